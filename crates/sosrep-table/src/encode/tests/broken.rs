//! Encodings no fit would give, as a damaged or hostile file might hold them.

use super::super::Encoding;

const DISAGREE: &str = r#"column "a" and the missing values disagree"#;

fn fault(missing: &str, columns: &str) -> String {
    let json = format!(r#"{{"missing":"{missing}","columns":[{columns}]}}"#);
    let encoding: Encoding = serde_json::from_str(&json).unwrap();
    let message = encoding.check().unwrap_err().to_string();
    let message = message.strip_prefix("the model's encoding of columns is not readable: ");
    message.and_then(|m| m.strip_suffix("; fit the model again")).unwrap().to_string()
}

#[test]
fn a_check_says_what_is_inconsistent() {
    let number = r#"{"name":"n","how":{"number":{"fill":null,"gaps":false,"range":null}}}"#;
    let onehot = |values: &str, fill: &str| {
        let rest = r#""other":false,"pooled":false,"missing":false,"boolean":false"#;
        format!(
            r#"{{"name":"a","how":{{"category":{{"values":[{values}],{rest},"fill":{fill}}}}}}}"#
        )
    };
    let category = |from: &str, to: &str| onehot(r#""x","y""#, "null").replace(from, to);
    let date = |cycles: &str, fill: &str, gaps: bool| {
        let rest = r#""order":"day-first","times":false"#;
        let gaps = format!(r#""fill":{fill},"gaps":{gaps}"#);
        format!(r#"{{"name":"d","how":{{"date":{{{rest},"cycles":{cycles},{gaps}}}}}}}"#)
    };
    let pair = r#"{"name":"p","how":{"pair":{"values":["y","x"],"fill":null}}}"#;
    let kept = (100..151).map(|value| format!(r#""{value}""#)).collect::<Vec<_>>().join(",");
    let frequency = |shares: &str, fill: &str| {
        format!(r#"{{"name":"a","how":{{"frequency":{{"shares":{{{shares}}},"fill":{fill}}}}}}}"#)
    };
    let many = (100..201).map(|value| format!(r#""{value}""#)).collect::<Vec<_>>().join(",");
    let cases = [
        ("error", String::new(), "it has no columns"),
        ("error", format!("{number},{number}"), r#"two columns are named "n""#),
        ("error", number.replace(r#""n""#, r#""""#), "a column has no name"),
        ("impute", number.to_string(), r#"column "n" and the missing values disagree"#),
        (
            "drop",
            number.replacen("null", "1.5", 1),
            r#"column "n" and the missing values disagree"#,
        ),
        ("error", onehot("", "null"), r#"column "a" has no values"#),
        ("error", onehot(r#""y","x""#, "null"), r#"column "a" has values out of order"#),
        ("error", onehot(r#""x","x""#, "null"), r#"column "a" has values out of order"#),
        ("error", onehot(&many, "null"), r#"column "a" has too many values"#),
        ("impute", onehot(r#""x""#, "1"), r#"column "a" fills in an unknown value"#),
        ("error", frequency("", "null"), r#"column "a" has no values"#),
        ("error", frequency(r#""x":0.0"#, "null"), r#"column "a" has a share outside (0, 1]"#),
        ("error", frequency(r#""x":1.5"#, "null"), r#"column "a" has a share outside (0, 1]"#),
        ("impute", frequency(r#""x":1.0"#, "2.0"), r#"column "a" has a share outside (0, 1]"#),
        ("auto", number.replace("false", "true"), r#"column "n" and the missing values disagree"#),
        ("error", category(r#""missing":false"#, r#""missing":true"#), DISAGREE),
        (
            "auto",
            category(r#""boolean":false"#, r#""boolean":true"#),
            r#"column "a" has other values"#,
        ),
        (
            "auto",
            onehot(&kept, "null").replace(r#""other":false"#, r#""other":true"#),
            r#"column "a" has too many values"#,
        ),
        ("error", pair.to_string(), r#"column "p" has values out of order"#),
        ("auto", date("[]", "null", false), r#"column "d" has cycles out of order"#),
        (
            "auto",
            date(r#"["month","hour"]"#, "null", false),
            r#"column "d" has cycles out of order"#,
        ),
        ("auto", date("null", "null", true), r#"column "d" and the missing values disagree"#),
        (
            "error",
            number.replace(r#""range":null"#, r#""range":{"low":2.0,"high":1.0,"integers":true}"#),
            r#"column "n" has a range without numbers"#,
        ),
    ];
    for (missing, columns, expected) in cases {
        assert_eq!(fault(missing, &columns), expected);
    }
}

#[test]
fn unknown_fields_are_refused() {
    let cases = [
        r#"{"missing":"error","columns":[],"more":1}"#,
        r#"{"missing":"error","columns":[{"name":"n","how":{"boolean":{"fill":null}},"more":1}]}"#,
        r#"{"missing":"error","columns":[{"name":"n","how":{"boolean":{"fill":null,"more":1}}}]}"#,
        r#"{"missing":"error","columns":[{"name":"n","how":{"moment":{"fill":null}}}]}"#,
        r#"{"missing":"perhaps","columns":[]}"#,
    ];
    for json in cases {
        assert!(serde_json::from_str::<Encoding>(json).is_err(), "{json}");
    }
}
