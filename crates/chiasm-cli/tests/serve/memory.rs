//! Learning and completing over HTTP.

use crate::client::post;
use crate::fixture::{Served, fixture};
use serde_json::json;

#[test]
fn a_team_shares_a_system_and_keeps_its_corrections_apart() {
    let (fixture, folder) = (fixture(), tempfile::tempdir().unwrap());
    let options = ["--memories", folder.path().to_str().unwrap()];
    let served = Served::start(&[&fixture.arabic], &options);
    let text = &fixture.arabic_text[0];
    let asked = |memory: Option<&str>| {
        let body = json!({ "text": text, "memory": memory, "confidence": true });
        let answer = post(served.address, "/v1/translate", &body);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["sentences"][0].clone()
    };
    let before = asked(None);
    let words = before["words"].as_array().map_or(0, Vec::len);
    let confidences = before["confidences"].as_array().unwrap();
    assert!(words == 0 || confidences.len() == words);
    let sum: f64 = confidences.iter().filter_map(|one| one.as_f64()).sum();
    let mean = before["confidence"].as_f64().unwrap();
    assert!((mean - sum / confidences.len() as f64).abs() < 1e-4);
    assert_eq!(asked(Some("maria")), before);

    let lesson =
        json!({ "source": text, "target": "Something quite different.", "memory": "maria" });
    let learned = post(served.address, "/v1/learn", &lesson);
    assert_eq!(learned.status, 200, "{}", learned.body);
    assert_eq!(learned.json()["id"], 1);
    assert_eq!(
        asked(Some("maria"))["translation"],
        "Something quite different."
    );
    assert_eq!(asked(Some("omar")), before);
    assert_eq!(asked(None), before);

    let list = post(served.address, "/v1/memory", &json!({ "memory": "maria" })).json();
    assert_eq!(list["pairs"][0]["source"], *text);
    let forgotten = json!({ "memory": "maria", "forget": 1 });
    let list = post(served.address, "/v1/memory", &forgotten).json();
    assert_eq!(list["pairs"], json!([]));
    assert_eq!(post(served.address, "/v1/memory", &forgotten).status, 404);
    assert_eq!(asked(Some("maria")), before);

    for name in ["", "../x", "a/b", "ü", &"x".repeat(65)] {
        let body = json!({ "source": text, "target": "x", "memory": name });
        assert_eq!(
            post(served.address, "/v1/learn", &body).status,
            400,
            "{name}"
        );
    }
    let empty = json!({ "source": " ", "target": "x" });
    assert_eq!(post(served.address, "/v1/learn", &empty).status, 400);
}

#[test]
fn translations_go_on_from_what_was_typed() {
    let fixture = fixture();
    let served = Served::start(&[&fixture.arabic], &[]);
    let text = &fixture.arabic_text[0];
    let best = post(served.address, "/v1/complete", &json!({ "text": text })).json();
    let best = best["text"].as_str().unwrap().to_string();
    let (first, _) = best.split_at(best.find(' ').unwrap() + 3);
    for prefix in [first, "Nothing of the kind ", "ζζ ", "«", "a  b"] {
        let body = json!({ "text": text, "prefix": prefix });
        let answer = post(served.address, "/v1/complete", &body).json();
        let (whole, rest) = (answer["text"].as_str().unwrap(), &answer["completion"]);
        assert_eq!(whole, format!("{prefix}{}", rest.as_str().unwrap()));
        if prefix == first {
            assert_eq!(whole, best);
        }
    }
    let graph = post(
        served.address,
        "/v1/wordgraph",
        &json!({ "text": text, "arcs": 50 }),
    )
    .json();
    assert!(!graph["graph"]["arcs"].as_array().unwrap().is_empty());
    // Without a folder for them there are no memories.
    let lesson = json!({ "source": text, "target": "x" });
    assert_eq!(post(served.address, "/v1/learn", &lesson).status, 403);
    // Links that were given leave no aligner to learn with.
    let folder = tempfile::tempdir().unwrap();
    let options = ["--memories", folder.path().to_str().unwrap()];
    let served = Served::start(&[&fixture.table], &options);
    let answer = post(served.address, "/v1/learn", &lesson);
    assert_eq!(answer.status, 403);
    assert!(answer.body.contains("aligner"), "{}", answer.body);
}
