//! `chiasm reorder explain`.

use super::{corpus, failure, first_lines, json, path, train};
use serde_json::Value;

#[test]
fn phrases_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let training = corpus(folder.path(), "80", "1");
    let model = path(folder.path(), "model");
    let options = [
        "--features",
        "S9",
        "--direction",
        "both",
        "--min-count",
        "2",
        "-o",
        &model,
    ];
    train(&training, &options);
    let [source, target, links] = first_lines(&training);
    let explained = json(&[
        "reorder",
        "explain",
        "--model",
        &model,
        "--sentence",
        &source,
        "--translation",
        &target,
        "--links",
        &links,
        "--json",
    ]);
    let first = &explained.as_array().unwrap()[0];
    assert_eq!(first["directions"].as_array().unwrap().len(), 2);
    let probabilities = first["directions"][0]["probabilities"].as_object().unwrap();
    let sum: f64 = probabilities.values().map(|p| p.as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9);
    let one = json(&[
        "reorder",
        "explain",
        "--model",
        &model,
        "--sentence",
        &source,
        "--span",
        "0-0",
        "--phrase",
        "unheard",
        "--links",
        "0-0",
        "--json",
    ]);
    assert_eq!(one.as_array().unwrap().len(), 1);
    assert_eq!(one[0]["source_span"], serde_json::json!([0, 1]));
    assert_eq!(one[0]["target_span"], serde_json::json!([0, 1]));
    assert_eq!(one[0]["directions"][0]["truth"], Value::Null);
    let complaint = failure(&[
        "reorder",
        "explain",
        "--model",
        &model,
        "--sentence",
        "a b",
        "--span",
        "0-2",
        "--phrase",
        "x",
    ]);
    assert!(complaint.contains("position 2"), "{complaint}");
}

#[test]
fn a_calibrated_models_explanation_adds_up() {
    let folder = tempfile::tempdir().unwrap();
    let training = corpus(folder.path(), "300", "1");
    let model = path(folder.path(), "model");
    let options = [
        "--learner",
        "nb-map",
        "--calibrate",
        "temperature",
        "-o",
        &model,
    ];
    train(&training, &options);
    let [sentence, translation, links] = first_lines(&training);
    let explained = json(&[
        "reorder",
        "explain",
        "--model",
        &model,
        "--sentence",
        &sentence,
        "--translation",
        &translation,
        "--links",
        &links,
        "--top",
        "100",
        "--json",
    ]);
    let mut checked = 0;
    for phrase in explained.as_array().unwrap() {
        let direction = &phrase["directions"][0];
        let numbers = |value: &Value| -> Vec<f64> {
            let values: Vec<&Value> = match value {
                Value::Array(list) => list.iter().collect(),
                other => other.as_object().unwrap().values().collect(),
            };
            values
                .iter()
                .map(|number| number.as_f64().unwrap())
                .collect()
        };
        let mut scores = numbers(&direction["without_features"]);
        for feature in direction["features"].as_array().unwrap() {
            if !feature["contributions"].is_null() {
                let added = numbers(&feature["contributions"]);
                scores
                    .iter_mut()
                    .zip(added)
                    .for_each(|(score, added)| *score += added);
            }
        }
        let total: f64 = scores.iter().map(|score| score.exp()).sum();
        for (score, probability) in scores.iter().zip(numbers(&direction["probabilities"])) {
            assert!((score.exp() / total - probability).abs() < 1e-6, "{phrase}");
            checked += 1;
        }
    }
    assert!(checked > 0);
}
