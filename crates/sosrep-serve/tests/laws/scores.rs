//! What is scored is what the library scores, whatever the format in and out.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use sosrep_scoring::{Model, Parts, read_options};
use sosrep_table::{Input, open};

use super::started::{Started, TABLE, options};

/// The scores of the library for the table, from the model that the service gives out.
fn expected(service: &Started) -> Vec<f64> {
    let file = service.get("/v1/models/m/file");
    let model = Model::from_bytes(&file.body).unwrap();
    let ids = model.recipe.ids.iter().map(String::as_str);
    let read = read_options(true, ids, &model.recipe.encoding.input_columns());
    let input = Input::Bytes { name: "t".to_string(), bytes: TABLE };
    let mut source = open(&input, &read).unwrap();
    let parts = Parts::default().of_model(&model.recipe, "t", source.columns(), &[]).unwrap();
    source.project(&parts.projection());
    let batch = source.next_batch().unwrap().unwrap();
    let split = parts.split(&batch).unwrap();
    let (rows, _, _) = split.encode("t", &model.recipe.encoding).unwrap();
    model.assess(&rows).unwrap().scores
}

fn scores_of_csv(text: &str) -> Vec<f64> {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = head.iter().position(|name| *name == "anomaly_score").unwrap();
    lines.map(|line| line.split(',').nth(column).unwrap().parse().unwrap()).collect()
}

/// The table as an Arrow stream of two batches.
fn arrow_table() -> Vec<u8> {
    let read = read_options(true, ["name"].into_iter(), &[]);
    let input = Input::Bytes { name: "t".to_string(), bytes: TABLE };
    let cells = open(&input, &read).unwrap().next_batch().unwrap().unwrap().cells;
    let mut writer = StreamWriter::try_new(Vec::new(), cells.schema_ref()).unwrap();
    writer.write(&cells.slice(0, 15)).unwrap();
    writer.write(&cells.slice(15, cells.num_rows() - 15)).unwrap();
    writer.into_inner().unwrap()
}

fn json_table() -> Vec<u8> {
    let text = std::str::from_utf8(TABLE).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let y = if cells[2].is_empty() { "null" } else { cells[2] };
        format!(r#"{{"colour":"{}","y":{y},"name":"{}","x":{}}}"#, cells[3], cells[0], cells[1])
    };
    let rows: Vec<String> = text.lines().skip(1).map(row).collect();
    format!("[{}]", rows.join(",")).into_bytes()
}

#[test]
fn scores_are_those_of_the_library_to_the_bit_in_every_format() {
    let service = Started::new(options());
    let expected = expected(&service);
    assert_eq!(expected.len(), 40);
    let arrow = arrow_table();
    let json = json_table();
    let forms: [(&str, &[u8]); 4] = [
        ("text/csv", TABLE),
        ("application/json", &json),
        ("application/vnd.apache.arrow.stream", &arrow),
        ("application/octet-stream", &arrow),
    ];
    for (kind, body) in forms {
        let fields = [("content-type", kind), ("accept", "text/csv")];
        let csv = service.ask("POST", "/v1/models/m/score", &fields, body);
        assert_eq!(csv.status, 200, "{kind}: {}", csv.text());
        assert_eq!(scores_of_csv(&csv.text()), expected, "{kind}");
    }
    let fields = [("content-type", "text/csv")];
    let json = service.ask("POST", "/v1/models/m/score", &fields, TABLE).json();
    let scores: Vec<f64> =
        json.as_array().unwrap().iter().map(|row| row["anomaly_score"].as_f64().unwrap()).collect();
    assert_eq!(scores, expected);
    let fields = [("content-type", "text/csv"), ("accept", "application/vnd.apache.arrow.stream")];
    let stream = service.ask("POST", "/v1/models/m/score", &fields, TABLE);
    let batches: Vec<RecordBatch> =
        StreamReader::try_new(&stream.body[..], None).unwrap().map(Result::unwrap).collect();
    let column: ArrayRef = Arc::clone(batches[0].column_by_name("anomaly_score").unwrap());
    assert_eq!(column.as_primitive::<Float64Type>().values()[..], expected[..]);
}

#[test]
fn outputs_are_those_asked_for_and_kept_columns_stand_beside_them() {
    let service = Started::new(options());
    let ask = |query: &str| {
        let fields = [("content-type", "text/csv"), ("accept", "text/csv")];
        service.ask("POST", &format!("/v1/models/m/score{query}"), &fields, TABLE)
    };
    let head = |query: &str| ask(query).text().lines().next().unwrap().to_string();
    assert_eq!(head(""), "row,id,anomaly_score,p_value,is_anomaly,unscored");
    assert_eq!(head("?outputs=p_value"), "p_value");
    assert_eq!(head("?outputs=id,%20map_y"), "id,map_y");
    assert_eq!(head("?outputs=row,reasons&keep=all"), "row,reasons,name,x,y,colour");
    for query in ["?outputs=score", "?outputs=", "?keep=some", "?output=row"] {
        let refused = ask(query);
        assert_eq!(refused.status, 400, "{query}");
        refused.problem();
    }
}

#[test]
fn a_long_table_is_scored_like_its_parts() {
    let service = Started::new(options());
    let lines: Vec<&str> = std::str::from_utf8(TABLE).unwrap().lines().collect();
    let mut long = format!("{}\n", lines[0]);
    (0..30_000).for_each(|i| long.push_str(&format!("{}\n", lines[1 + i % 40])));
    let whole = scores_of_csv(&service.score_csv(long.as_bytes()).text());
    let part = scores_of_csv(&service.score_csv(TABLE).text());
    assert_eq!(whole.len(), 30_000);
    assert!(whole.iter().enumerate().all(|(i, score)| *score == part[i % 40]));
}

#[test]
fn an_explanation_adds_up_to_the_score_and_scoring_agrees() {
    let service = Started::new(options());
    let answer = service.post("/v1/models/m/explain", "text/csv", TABLE).json();
    let scores = scores_of_csv(&service.score_csv(TABLE).text());
    let rows = answer["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 40);
    for (row, score) in rows.iter().zip(scores) {
        assert_eq!(row["anomaly_score"].as_f64().unwrap(), score);
        let reasons = row["reasons"].as_array().unwrap();
        let sum: f64 = reasons.iter().map(|reason| reason["contribution"].as_f64().unwrap()).sum();
        let apart = score - row["reference_score"].as_f64().unwrap();
        assert!((sum - apart).abs() < 1e-9 * score.abs().max(1.0), "{sum} and {apart}");
    }
}

#[test]
fn a_row_that_cannot_be_scored_says_why_and_the_others_are_scored() {
    let service = Started::new(options());
    let body = b"name,x,y,colour\na,0.5,0.5,red\nb,much,0.1,blue\nc,,0.2,red\n";
    let text = service.score_csv(body).text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines[1].ends_with("false,") || lines[1].ends_with("true,"), "{text}");
    assert!(lines[2].starts_with("2,b,,,,") && lines[2].contains("much"), "{text}");
}
