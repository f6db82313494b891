//! The six configurations of the reference decoder: never a worse score, the same features.

use chiasm_decode::moses::{ImportOptions, import};
use chiasm_decode::{Decoder, Input, Precision, SearchAlgorithm, SearchSettings, System, Wanted};
use chiasm_text::Lines;
use chiasm_work::Progress;
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Silent;

impl Progress for Silent {
    fn advance(&self, _: u64) {}
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn system(name: &str) -> Arc<System> {
    let options = ImportOptions {
        precision: Precision::Exact,
        ..ImportOptions::default()
    };
    Arc::new(import(&data(&format!("{name}.ini")), &options, &Silent).unwrap())
}

fn decoder(system: &Arc<System>, algorithm: SearchAlgorithm, limit: usize) -> Decoder {
    let settings = SearchSettings {
        algorithm,
        stack: limit,
        pop_limit: limit,
        ..system.configuration().search.clone()
    };
    Decoder::with_weights(system.clone(), &system.weights(), settings).unwrap()
}

struct Entry {
    sentence: usize,
    words: String,
    features: Vec<(String, Vec<f32>)>,
    score: f32,
    links: Vec<(usize, usize)>,
}

fn lines(name: &str) -> Vec<String> {
    let mut lines = Lines::open(data(name)).unwrap();
    let mut all = Vec::new();
    while let Some(line) = lines.next_line().unwrap() {
        all.push(line.to_string());
    }
    all
}

fn reference(name: &str) -> Vec<Entry> {
    let parse = |line: &String| {
        let fields: Vec<&str> = line.split("|||").map(str::trim).collect();
        let mut features: Vec<(String, Vec<f32>)> = Vec::new();
        for word in fields[2].split_whitespace() {
            match word.strip_suffix('=') {
                Some(name) => features.push((name.to_string(), Vec::new())),
                None => features.last_mut().unwrap().1.push(word.parse().unwrap()),
            }
        }
        let link = |text: &str| {
            let (s, t) = text.split_once('-').unwrap();
            (s.parse().unwrap(), t.parse().unwrap())
        };
        Entry {
            sentence: fields[0].parse().unwrap(),
            words: fields[1].to_string(),
            features,
            score: fields[3].parse().unwrap(),
            links: fields[4].split_whitespace().map(link).collect(),
        }
    };
    lines(&format!("{name}.nbest.xz"))
        .iter()
        .map(parse)
        .collect()
}

fn inputs() -> Vec<Input> {
    lines("input")
        .iter()
        .map(|line| Input::from_line(line))
        .collect()
}

/// The printed figures have six significant digits.
fn close(a: f32, b: f32) -> bool {
    (a - b).abs() <= 1e-3
}

fn check(name: &str) {
    let system = system(name);
    let thorough = decoder(&system, SearchAlgorithm::Stack, 5000);
    let inputs = inputs();
    let reference = reference(name);
    let configuration = system.configuration();
    let mut best = vec![f32::NEG_INFINITY; inputs.len()];
    for entry in &reference {
        best[entry.sentence] = best[entry.sentence].max(entry.score);
    }
    for (sentence, input) in inputs.iter().enumerate() {
        let found = thorough.translate(input).unwrap();
        assert!(
            found.score >= best[sentence] - 1e-3,
            "{name}, sentence {sentence}: {} is worse than {}",
            found.score,
            best[sentence]
        );
    }
    let everything = Wanted {
        count: 1000,
        distinct: false,
    };
    let mut compared = 0;
    for entry in &reference {
        let target: Vec<String> = entry.words.split_whitespace().map(str::to_string).collect();
        let found = thorough
            .force(&inputs[entry.sentence], &target, everything)
            .unwrap();
        assert!(
            !found.is_empty(),
            "{name}: {:?} cannot be produced",
            entry.words
        );
        let mut links = entry.links.clone();
        links.sort_unstable();
        let same = found.iter().any(|translation| {
            let mut own: Vec<(usize, usize)> = translation.links().collect();
            own.sort_unstable();
            let mut position = 0;
            let features = configuration.features.iter().all(|feature| {
                let values = &translation.features[position..position + feature.weights.len()];
                position += feature.weights.len();
                let expected = entry
                    .features
                    .iter()
                    .find(|(name, _)| name == &feature.name);
                expected.is_none_or(|(_, expected)| {
                    expected.len() == values.len()
                        && values.iter().zip(expected).all(|(&a, &b)| close(a, b))
                })
            });
            own == links && features && close(translation.score, entry.score)
        });
        assert!(
            same,
            "{name}, sentence {}: no derivation of {:?} with {:?}, but {:#?}",
            entry.sentence, entry.words, entry.features, found[0]
        );
        compared += 1;
    }
    assert!(compared > 500, "only {compared} entries compared");
}

#[test]
fn cube_pruning_comes_near_the_thorough_search() {
    let system = system("hier-msd");
    // Moses counts what it takes from the queue and scores two or three neighbours of each; we count what is scored.
    let cube = decoder(&system, SearchAlgorithm::Cube, 3000);
    let mut best = vec![f32::NEG_INFINITY; inputs().len()];
    for entry in reference("hier-msd") {
        best[entry.sentence] = best[entry.sentence].max(entry.score);
    }
    let found = inputs()
        .iter()
        .map(|input| cube.translate(input).unwrap().score)
        .sum::<f32>();
    let loss = (best.iter().sum::<f32>() - found) / best.len() as f32;
    assert!(loss < 0.05, "cube pruning loses {loss} a sentence");
}

#[test]
fn distance() {
    check("distance");
}

#[test]
fn distance_monotone() {
    check("distance-monotone");
}

#[test]
fn distance_unlimited() {
    check("distance-unlimited");
}

#[test]
fn hier_msd() {
    check("hier-msd");
}

#[test]
fn hier_mslr() {
    check("hier-mslr");
}

#[test]
fn word_msd() {
    check("word-msd");
}
