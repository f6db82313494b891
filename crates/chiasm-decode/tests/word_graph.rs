//! Word graphs: every translation of the list is a path with its score, and posteriors are what they should be.

use chiasm_decode::moses::{ImportOptions, import};
use chiasm_decode::{Decoder, GraphArc, GraphLimits, Input, SearchAlgorithm, SearchSettings};
use chiasm_decode::{System, Translation, Wanted, WordGraph};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn data(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    folder.join(name)
}

fn system(name: &str) -> Arc<System> {
    let ini = data(&format!("{name}.ini"));
    Arc::new(import(&ini, &ImportOptions::default(), &()).unwrap())
}

fn inputs() -> Vec<Input> {
    let text = std::fs::read_to_string(data("input")).unwrap();
    text.lines().take(12).map(Input::from_line).collect()
}

const ALL: GraphLimits = GraphLimits {
    beam: f32::INFINITY,
    arcs: usize::MAX,
};

/// The score of a derivation as a path of the graph; none if it is not one.
fn walk(graph: &WordGraph, translation: &Translation) -> Option<f32> {
    let mut ends = vec![(0, 0.0)];
    for phrase in &translation.phrases {
        let words = &translation.words[phrase.target.range()];
        let same = |arc: &&GraphArc| arc.source == phrase.source && arc.words == words;
        let mut next = Vec::new();
        for arc in graph.arcs.iter().filter(same) {
            let before = ends.iter().filter(|end| end.0 == arc.from);
            next.extend(before.map(|end| (arc.to, end.1 + arc.score)));
        }
        ends = next;
    }
    let scores = ends
        .iter()
        .filter(|end| end.0 == graph.nodes - 1)
        .map(|end| end.1);
    scores.reduce(f32::max)
}

fn best(graph: &WordGraph) -> f32 {
    let mut scores = vec![f32::NEG_INFINITY; graph.nodes as usize];
    scores[0] = 0.0;
    for arc in &graph.arcs {
        let through = scores[arc.from as usize] + arc.score;
        scores[arc.to as usize] = scores[arc.to as usize].max(through);
    }
    scores[graph.nodes as usize - 1]
}

#[test]
fn lists_are_paths_and_posteriors_cover_every_word_once() {
    for (name, algorithm) in [
        ("hier-msd", SearchAlgorithm::Cube),
        ("word-msd", SearchAlgorithm::Stack),
    ] {
        let system = system(name);
        let settings = SearchSettings {
            algorithm,
            pop_limit: 100,
            stack: 50,
            ..system.configuration().search.clone()
        };
        let decoder = Decoder::with_weights(system.clone(), &system.weights(), settings).unwrap();
        for input in inputs() {
            let wanted = Wanted {
                count: 50,
                distinct: false,
            };
            let list = decoder.nbest(&input, wanted).unwrap();
            let graph = decoder.word_graph(&input, ALL, 1.0).unwrap();
            assert!(
                graph
                    .arcs
                    .iter()
                    .all(|arc| arc.from < arc.to && arc.to < graph.nodes)
            );
            for translation in &list {
                let score = walk(&graph, translation).unwrap();
                assert!(
                    (score - translation.score).abs() < 1e-3,
                    "{score} {}",
                    translation.score
                );
            }
            assert!((best(&graph) - list[0].score).abs() < 1e-3);
            for word in 0..input.tokens.len() {
                let over = graph
                    .arcs
                    .iter()
                    .filter(|arc| arc.source.range().contains(&word));
                let sum: f32 = over.map(|arc| arc.posterior).sum();
                assert!((sum - 1.0).abs() < 1e-3, "{sum}");
            }
            let links = |arc: &GraphArc| {
                arc.links
                    .iter()
                    .all(|link| arc.source.range().contains(&(link.0 as usize)))
            };
            assert!(graph.arcs.iter().all(links));
        }
    }
}

#[test]
fn limits_keep_the_best_translation_whole() {
    let system = system("hier-msd");
    let decoder = Decoder::new(system).unwrap();
    for input in inputs() {
        let whole = decoder.word_graph(&input, ALL, 1.0).unwrap();
        let few = GraphLimits {
            beam: f32::INFINITY,
            arcs: 40,
        };
        for limits in [
            GraphLimits { beam: 0.0, ..ALL },
            GraphLimits { beam: 2.0, ..ALL },
            few,
        ] {
            let graph = decoder.word_graph(&input, limits, 1.0).unwrap();
            assert!(graph.arcs.len() <= whole.arcs.len());
            assert!((best(&graph) - best(&whole)).abs() < 1e-3);
        }
        // However few arcs there may be, each lies on a way from the beginning to the end.
        for arcs in (1..60).map(|tens| 10 * tens) {
            let limits = GraphLimits { arcs, ..few };
            let graph = decoder.word_graph(&input, limits, 1.0).unwrap();
            let from: BTreeSet<u32> = graph.arcs.iter().map(|arc| arc.from).collect();
            let to: BTreeSet<u32> = graph.arcs.iter().map(|arc| arc.to).collect();
            let inner: BTreeSet<u32> = (1..graph.nodes - 1).collect();
            assert!(from.iter().skip(1).eq(&inner) && to.iter().take(inner.len()).eq(&inner));
        }
    }
    let empty = decoder.word_graph(&Input::default(), ALL, 1.0).unwrap();
    assert_eq!((empty.nodes, empty.arcs.len()), (1, 0));
}

#[test]
fn long_inputs_are_one_graph() {
    let system = system("distance");
    let settings = SearchSettings {
        window: 8,
        ..system.configuration().search.clone()
    };
    let decoder = Decoder::with_weights(system.clone(), &system.weights(), settings).unwrap();
    let input = inputs()
        .into_iter()
        .max_by_key(|input| input.tokens.len())
        .unwrap();
    assert!(input.tokens.len() > 8);
    let graph = decoder
        .word_graph(&input, GraphLimits::default(), 1.0)
        .unwrap();
    let translation = decoder.translate(&input).unwrap();
    let score = walk(&graph, &translation).unwrap();
    assert!((score - translation.score).abs() < 1e-3);
}
