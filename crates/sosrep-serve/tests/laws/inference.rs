//! The Open Inference Protocol.

use serde_json::{Value, json};

use super::client::Answer;
use super::started::{Started, TABLE, options};

const PATH: &str = "/v2/models/m/infer";

fn infer(service: &Started, request: &Value) -> Answer {
    service.post(PATH, "application/json", request.to_string().as_bytes())
}

fn columns() -> Value {
    json!([
        {"name": "x", "shape": [3], "datatype": "FP64", "data": [0.5, -0.5, 4.0]},
        {"name": "y", "shape": [3, 1], "datatype": "FP32", "data": [[0.5], [-0.25], [4.0]]},
        {"name": "colour", "shape": [3], "datatype": "BYTES", "data": ["red", "blue", "green"]},
    ])
}

#[test]
fn tensors_are_scored_as_the_same_rows_in_csv() {
    let service = Started::new(options());
    let answer = infer(&service, &json!({"id": "7", "inputs": columns()}));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer = answer.json();
    assert_eq!((answer["id"].as_str(), answer["model_name"].as_str()), (Some("7"), Some("m")));
    let outputs = answer["outputs"].as_array().unwrap();
    let names: Vec<&str> = outputs.iter().map(|output| output["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["anomaly_score", "p_value", "is_anomaly"]);
    let csv = b"x,y,colour\n0.5,0.5,red\n-0.5,-0.25,blue\n4,4,green\n";
    let rows = service.post("/v1/models/m/score", "text/csv", csv).json();
    for output in outputs {
        assert_eq!(output["shape"], json!([3]));
        let data = output["data"].as_array().unwrap();
        let name = output["name"].as_str().unwrap();
        assert!(
            data.iter().zip(rows.as_array().unwrap()).all(|(a, row)| *a == row[name]),
            "{name}"
        );
    }
}

#[test]
fn only_the_outputs_asked_for_are_given_in_their_order() {
    let service = Started::new(options());
    let wanted = json!([{"name": "reasons"}, {"name": "p_value"}]);
    let answer = infer(&service, &json!({"inputs": columns(), "outputs": wanted})).json();
    let outputs = answer["outputs"].as_array().unwrap();
    let names: Vec<&str> = outputs.iter().map(|output| output["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["reasons", "p_value"]);
    assert!(outputs[0]["data"][2].as_str().unwrap().contains("typical"), "{answer}");
    let unknown = json!([{"name": "score"}]);
    let refused = infer(&service, &json!({"inputs": columns(), "outputs": unknown}));
    assert_eq!(refused.status, 400);
    assert!(refused.json()["error"].as_str().unwrap().contains("anomaly_score"));
}

#[test]
fn a_row_that_cannot_be_scored_is_an_error_that_names_it() {
    let service = Started::new(options());
    let mut inputs = columns();
    inputs[0]["data"][1] = Value::Null;
    let refused = infer(&service, &json!({"inputs": inputs}));
    assert_eq!(refused.status, 400, "{}", refused.text());
    assert_eq!(
        (refused.json()["row"].as_u64(), refused.json()["column"].as_str()),
        (Some(2), Some("x"))
    );
}

#[test]
fn requests_that_are_none_are_refused_in_the_form_of_the_protocol() {
    let service = Started::new(options());
    let matrix = json!([{"name": "in", "shape": [1, 3], "datatype": "FP64", "data": [1, 2, 3]}]);
    let cases = [
        json!({}),
        json!([]),
        json!({"inputs": []}),
        json!({"inputs": [{}]}),
        json!({"inputs": matrix}),
        json!({"inputs": [{"name": "x", "shape": [1], "datatype": "FP64", "data": [1]}]}),
        json!({"inputs": [{"name": "x", "shape": [0], "datatype": "FP64", "data": []}]}),
    ];
    for case in &cases {
        let refused = infer(&service, case);
        assert_eq!(refused.status, 400, "{case}: {}", refused.text());
        assert_eq!(refused.problem(), refused.json()["error"]);
    }
    let deep = "[".repeat(100_000);
    let body = format!(r#"{{"inputs":[{{"name":"x","shape":[1],"datatype":"FP64","data":{deep}"#);
    assert_eq!(service.post(PATH, "application/json", body.as_bytes()).status, 400);
    let fields = [("inference-header-content-length", "10")];
    assert_eq!(service.ask("POST", PATH, &fields, TABLE).status, 415);
    let missing = service.get("/v2/models/other/ready");
    assert_eq!((missing.status, missing.json()["error"].is_string()), (404, true));
}

#[test]
fn the_metadata_name_what_is_taken_and_given() {
    let service = Started::new(options());
    let model = service.get("/v2/models/m").json();
    let inputs: Vec<&str> = model["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(inputs, ["x", "y", "colour"]);
    assert_eq!(model["inputs"][2]["datatype"], "BYTES");
    assert_eq!(service.get("/v2").json()["name"], "sosrep");
    assert_eq!(service.get("/v2/models/m/ready").json()["ready"], true);
}
