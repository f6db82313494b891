//! The interface: what programs ask and get.

use crate::client::{Client, get, post};
use crate::fixture::{Served, fixture};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn server() -> Served {
    let fixture = fixture();
    Served::start(&[&fixture.learned, &fixture.table, &fixture.arabic], &[])
}

/// What `chiasm translate` makes of lines.
fn translated_by_command(system: &std::path::Path, lines: &[String]) -> Vec<String> {
    let output = assert_cmd::Command::new(crate::common::binary())
        .args(["translate", "-s"])
        .arg(system)
        .write_stdin(lines.join("\n") + "\n")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_string).collect()
}

#[test]
fn translations_are_those_of_the_command_line() {
    let (served, fixture) = (server(), fixture());
    let lines = &fixture.arabic_text[..20];
    let expected = translated_by_command(&fixture.arabic, lines);
    // As LibreTranslate's clients ask: one text, several lines, a list, a form.
    let body =
        json!({ "q": lines[0], "source": "ar", "target": "en", "format": "text", "api_key": "" });
    let one = post(served.address, "/translate", &body);
    assert_eq!(one.status, 200, "{}", one.body);
    assert_eq!(one.json(), json!({ "translatedText": expected[0] }));
    let body = json!({ "q": lines.join("\n"), "source": "ar", "target": "en" });
    let text = post(served.address, "/translate", &body).json();
    assert_eq!(text["translatedText"], expected.join("\n"));
    let body = json!({ "q": lines, "source": "auto", "target": "en-GB", "alternatives": 2 });
    let list = post(served.address, "/translate", &body).json();
    assert_eq!(list["translatedText"], json!(expected));
    assert_eq!(list["detectedLanguage"][0]["language"], "ar");
    assert_eq!(list["alternatives"].as_array().unwrap().len(), lines.len());
    assert_eq!(list["alternatives"][0].as_array().unwrap().len(), 2);
    assert_ne!(list["alternatives"][0][0], expected[0]);
    let form = "q=%D9%83%D8%AA%D8%A7%D8%A8&source=ar&target=en&alternatives=1";
    let kind = "application/x-www-form-urlencoded";
    let answer =
        Client::connect(served.address).request("POST", "/translate", kind, form.as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.json()["translatedText"].is_string());

    let languages = get(served.address, "/languages").json();
    let arabic = languages
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["code"] == "ar");
    let expected = json!({ "code": "ar", "name": "Arabic", "targets": ["en"] });
    assert_eq!(arabic, Some(&expected));
}

/// Addresses, tags and numbers leave the system as they came, by both doors.
#[test]
fn what_must_stay_stays() {
    let (served, fixture) = (server(), fixture());
    let stays = [
        "https://Example.org/a_(b)?c=1&amp;d=%20e",
        "www.example.org/ü",
        "A.Name+x@example.org",
        "<a href=\"/x y\" class='z'>",
        "</a>",
        "<br/>",
        "12:30",
        "17/11/2026",
        "1,234.56",
        "987654321",
    ];
    let words: Vec<&str> = fixture.arabic_text[0].split(' ').collect();
    let stretches = stays.iter().zip(words.iter().cycle());
    let line: Vec<String> = stretches
        .map(|(stays, word)| format!("{word} {stays}"))
        .collect();
    let line = line.join(" ") + ".";
    let body = json!({ "q": line, "source": "ar", "target": "en" });
    let served = post(served.address, "/translate", &body).json()["translatedText"].clone();
    let commanded = translated_by_command(&fixture.arabic, std::slice::from_ref(&line));
    for translation in [served.as_str().unwrap(), &commanded[0]] {
        for stretch in stays {
            assert!(translation.contains(stretch), "{stretch} in {translation}");
        }
    }
}

#[test]
fn a_translation_says_how_it_came_about_and_obeys_pins() {
    let (served, fixture) = (server(), fixture());
    let line = &fixture.japanese_text[0];
    let ask = |constraints: Value| {
        let body = json!({ "text": line, "system": "learned", "nbest": 10, "distinct": true, "constraints": constraints });
        let answer = post(served.address, "/v1/translate", &body);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["sentences"][0].clone()
    };
    let free = ask(json!([]));
    assert_eq!(free["nbest"].as_array().unwrap().len(), 10);
    assert_eq!(free["nbest"][0]["translation"], free["translation"]);
    let phrases = free["phrases"].as_array().unwrap();
    let mut covered: Vec<u64> = Vec::new();
    for phrase in phrases {
        let span = |side: &str| [0, 1].map(|end| phrase[side][end].as_u64().unwrap());
        covered.extend(span("source")[0]..span("source")[1]);
        let shares = phrase["orientation_probabilities"].as_object().unwrap();
        let sum: f64 = shares.values().map(|share| share.as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-3, "{phrase}");
        assert!(shares.contains_key(phrase["orientation"].as_str().unwrap()));
        // They are those of the model that is named: a learned one, if there is one.
        let said = phrase["orientations"].as_array().unwrap();
        let named = |one: &&Value| one["feature"] == phrase["orientation_model"];
        let named = said
            .iter()
            .find(|one| named(one) && one["direction"] == "backward");
        assert_eq!(
            named.unwrap()["probabilities"],
            phrase["orientation_probabilities"]
        );
        let learned = said.iter().any(|one| one["learned"] == true);
        assert_eq!(named.unwrap()["learned"] == true, learned);
    }
    covered.sort_unstable();
    let words = free["source"].as_array().unwrap().len() as u64;
    assert!(covered.into_iter().eq(0..words));

    let source = &phrases[phrases.len() / 2]["source"];
    let pinned = ask(json!([{ "source": source, "target": "xyzzy plugh" }]));
    assert!(
        pinned["translation"]
            .as_str()
            .unwrap()
            .contains("xyzzy plugh")
    );
    let spans: Vec<&Value> = pinned["phrases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["source"])
        .collect();
    assert!(spans.contains(&source));

    for (wrong, expected) in [
        (json!([{ "source": [0, 99], "target": "x" }]), "no span"),
        (
            json!([{ "source": [0, 1], "target": " " }]),
            "some target words",
        ),
        (
            json!([{ "source": [0, 2], "target": "x" }, { "source": [1, 3], "target": "y" }]),
            "in common",
        ),
        (
            json!([{ "sentence": 7, "source": [0, 1], "target": "x" }]),
            "not there",
        ),
    ] {
        let answer = post(
            served.address,
            "/v1/translate",
            &json!({ "text": line, "constraints": wrong }),
        );
        assert_eq!(answer.status, 400);
        assert!(answer.body.contains(expected), "{}", answer.body);
    }
}

#[test]
fn reasons_are_those_of_the_model() {
    let (served, fixture) = (server(), fixture());
    let line = &fixture.japanese_text[1];
    let best = post(served.address, "/v1/translate", &json!({ "text": line })).json();
    let phrase = &best["sentences"][0]["phrases"][1];
    let body = json!({ "text": line, "source": phrase["source"], "features": 5 });
    let said = post(served.address, "/v1/explain", &body).json();
    let direction = &said["models"][0]["directions"][0];
    // The same model answered both times.
    for (name, share) in phrase["orientation_probabilities"].as_object().unwrap() {
        let explained = direction["probabilities"][name].as_f64().unwrap();
        assert!((explained - share.as_f64().unwrap()).abs() < 1e-4, "{said}");
    }
    let features = direction["features"].as_array().unwrap();
    assert!((1..=5).contains(&features.len()));
    let spread = |feature: &Value| {
        let Some(values) = feature["contributions"].as_object() else {
            return 0.0;
        };
        let values: Vec<f64> = values.values().filter_map(Value::as_f64).collect();
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most - values.iter().copied().fold(f64::INFINITY, f64::min)
    };
    assert!(spread(&features[0]) > 0.0);
    assert!(
        features
            .windows(2)
            .all(|pair| spread(&pair[0]) >= spread(&pair[1]))
    );
    assert!(!said["alternatives"].as_array().unwrap().is_empty());

    let table = json!({ "text": line, "system": "table", "source": [0, 1], "target": "x" });
    let said = post(served.address, "/v1/explain", &table).json();
    assert_eq!(said["models"][0]["kind"], "table");
    let outside = json!({ "text": line, "source": [0, 1], "target": "x", "links": [[4, 0]] });
    assert_eq!(post(served.address, "/v1/explain", &outside).status, 400);
}

#[test]
fn the_description_describes_what_is_there() {
    let (fixture, folder) = (fixture(), tempfile::tempdir().unwrap());
    let systems = [fixture.learned.as_path(), &fixture.table, &fixture.arabic];
    let memories = ["--memories", folder.path().to_str().unwrap()];
    let served = Served::start(&systems, &memories);
    let description = get(served.address, "/openapi.json").json();
    let mut answered = 0;
    for (path, operations) in description["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let body = &operation["requestBody"]["content"]["application/json"];
            let mut example = body["example"].clone();
            if example.get("memory").is_some() {
                // The one of them that has an aligner.
                example["system"] = json!("arabic");
            }
            let answer = match method.as_str() {
                "get" => get(served.address, path),
                _ => post(served.address, path, &example),
            };
            assert_eq!(answer.status, 200, "{path}: {}", answer.body);
            let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
            check(&description, schema, &answer.json(), path);
            answered += 1;
        }
    }
    assert_eq!(answered, 11);
    // Nothing of the interface is left out of the description.
    for path in [
        "/translate",
        "/languages",
        "/v1/translate",
        "/v1/explain",
        "/v1/complete",
        "/v1/wordgraph",
        "/v1/learn",
        "/v1/memory",
        "/v1/systems",
        "/healthz",
    ] {
        assert!(description["paths"][path].is_object(), "{path}");
    }
}

/// Required fields are there, of the types that the schema names.
fn check(description: &Value, schema: &Value, value: &Value, place: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        let found = description.pointer(reference.trim_start_matches('#'));
        return check(description, found.expect(reference), value, place);
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        check(description, part, value, place);
    }
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        _ => value.is_null(),
    };
    let fits = match &schema["type"] {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().any(|name| is(name.as_str().unwrap())),
        _ => true,
    };
    assert!(fits, "{place}: {value}");
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().unwrap();
        assert!(value.get(name).is_some(), "{place}: no {name}");
    }
    for (name, part) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(name) {
            check(description, part, value, &format!("{place}/{name}"));
        }
    }
    for item in value.as_array().into_iter().flatten() {
        check(description, &schema["items"], item, place);
    }
}

#[test]
fn what_is_wrong_is_said() {
    let fixture = fixture();
    let options = [
        "--max-sentences",
        "3",
        "--max-words",
        "20",
        "--max-bytes",
        "4000",
    ];
    let served = Served::start(&[&fixture.learned], &options);
    let long = "a ".repeat(21);
    for (path, body, status, code) in [
        ("/v1/translate", json!({ "text": long }), 413, "too_long"),
        (
            "/v1/translate",
            json!({ "text": "a\nb\nc\nd" }),
            413,
            "too_long",
        ),
        (
            "/v1/translate",
            json!({ "text": "a".repeat(5000) }),
            413,
            "too_long",
        ),
        (
            "/v1/translate",
            json!({ "text": "a", "system": "other" }),
            404,
            "not_found",
        ),
        (
            "/v1/translate",
            json!({ "text": "a", "nbest": 0 }),
            400,
            "bad_request",
        ),
        (
            "/v1/translate",
            json!({ "text": "a", "colour": "red" }),
            400,
            "bad_request",
        ),
        ("/v1/translate", json!({ "text": 5 }), 400, "bad_request"),
        (
            "/v1/explain",
            json!({ "text": "a", "source": [1, 1] }),
            400,
            "bad_request",
        ),
        ("/translate", json!({ "target": "en" }), 400, "bad_request"),
        ("/translate", json!({ "q": "a" }), 400, "bad_request"),
        (
            "/translate",
            json!({ "q": "a", "target": "en", "format": "html" }),
            400,
            "bad_request",
        ),
        ("/nowhere", json!({}), 404, "not_found"),
        ("/healthz", json!({}), 405, "method"),
    ] {
        let answer = post(served.address, path, &body);
        assert_eq!(
            (answer.status, answer.json()["code"].as_str()),
            (status, Some(code)),
            "{path} {body}"
        );
        assert!(answer.json()["error"].is_string());
    }
    let empty = post(served.address, "/v1/translate", &json!({ "text": "" })).json();
    assert_eq!(empty["sentences"], json!([]));
    let blank = post(
        served.address,
        "/v1/translate",
        &json!({ "text": ["", " "] }),
    )
    .json();
    assert_eq!(blank["sentences"][1]["translation"], "");
    let split = post(
        served.address,
        "/v1/translate",
        &json!({ "text": ["a\nb"] }),
    )
    .json();
    assert_eq!(split["sentences"][0]["source"], json!(["a", "b"]));
}

#[test]
fn a_stopping_server_answers_what_was_asked_and_logs_no_text() {
    let fixture = fixture();
    let served = Served::start(&[&fixture.learned], &[]);
    let secret = "himitsuzzz";
    let mut busy = Client::connect(served.address);
    let text: Vec<String> = (0..50)
        .map(|_| format!("{secret} {}", fixture.japanese_text[2]))
        .collect();
    let body = json!({ "text": text }).to_string();
    busy.write(format!("POST /v1/translate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
    // The request is under way when the server is told to stop.
    let start = Instant::now();
    while get(served.address, "/healthz").json()["requests"] == 0 {
        if start.elapsed() > Duration::from_millis(300) {
            break;
        }
    }
    served.terminate();
    let answer = busy.read().unwrap();
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["sentences"].as_array().unwrap().len(), 50);
    let (good, log) = served.wait();
    assert!(good, "{log}");
    assert!(log.contains("POST /v1/translate 200"), "{log}");
    assert!(
        log.contains("50 sentences") && log.contains("stopped"),
        "{log}"
    );
    assert!(!log.contains(secret), "{log}");

    let served = Served::start(&[&fixture.learned], &["--log-text"]);
    post(
        served.address,
        "/v1/translate",
        &json!({ "text": format!("{secret}\nb") }),
    );
    served.terminate();
    let (_, log) = served.wait();
    assert!(log.contains(&format!("\"{secret}\\nb\"")), "{log}");
}

#[test]
fn a_server_that_cannot_start_says_why() {
    let fixture = fixture();
    let served = Served::start(&[&fixture.learned], &[]);
    let fails = |arguments: &[&str], expected: &str| {
        let assert = assert_cmd::Command::new(crate::common::binary())
            .arg("serve")
            .args(arguments)
            .assert()
            .failure();
        let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(said.contains(expected), "{said}");
    };
    let system = fixture.learned.to_str().unwrap();
    let taken = served.address.to_string();
    fails(&["-s", system, "--listen", &taken], "cannot listen");
    fails(
        &["-s", system, "-s", system],
        "there is a system called learned already",
    );
    fails(&["-s", "nothing.chiasm"], "nothing.chiasm");
    fails(&[], "--system");
}

#[test]
fn the_demo_ends_on_the_page_with_its_systems() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new(crate::common::binary());
    command.current_dir(folder.path());
    command.args([
        "demo",
        "--pairs",
        "150",
        "--serve",
        "--listen",
        "127.0.0.1:0",
    ]);
    let served = Served::spawn(command);
    let there = get(served.address, "/v1/systems").json();
    let names: Vec<&str> = there["systems"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|system| system["name"].as_str())
        .collect();
    assert_eq!(names[0], "support vector machine, S7");
    assert!(names.contains(&"lexicalised table"), "{names:?}");
    let example = &there["examples"][0];
    for name in names {
        let body = json!({ "text": example, "system": name });
        assert_eq!(post(served.address, "/v1/translate", &body).status, 200);
    }
    assert_eq!(get(served.address, "/").status, 200);
    served.terminate();
    assert!(served.wait().0);
}
