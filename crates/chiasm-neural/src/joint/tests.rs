//! Gradients against differences, answers against the definition, learning something that can be learned.

use super::network::{Batch, JointShape, Network, Noise};
use super::words::{EDGE, FIRST, NOTHING};
use super::*;
use chiasm_text::{Link, Links, MappedText};
use rand::RngExt;

const SHAPE: JointShape = JointShape {
    embedding: 3,
    hidden: 5,
    words: [7, 9],
    rare: 4,
};

fn network() -> Network {
    let unigrams: Vec<f32> = (0..9).map(|word| -1.0 - word as f32 / 5.0).collect();
    let mut network = Network::new(SHAPE, &unigrams, 3);
    let mut random = crate::random::random(1, "test", 0);
    for value in network
        .output
        .values
        .iter_mut()
        .chain(&mut network.bias.values)
    {
        *value = random.random::<f32>() - 0.5;
    }
    network
}

fn batch() -> Batch {
    let mut random = crate::random::random(2, "test", 0);
    let mut batch = Batch::default();
    for _ in 0..6 {
        let words = (0..INPUTS).map(|place| {
            let most = if place < HISTORY { 9 } else { 7 };
            random.random_range(0..most)
        });
        batch.inputs.extend(words.collect::<Vec<u32>>());
        batch.words.push(random.random_range(0..9));
    }
    batch.kept = (0..30).map(|i| [1.25, 1.25, 0.0, 1.25][i % 4]).collect();
    batch
}

const EXPECTED: [f32; 9] = [-1.0, -0.5, 0.1, 0.3, -0.2, 0.0, 0.4, -2.0, 0.2];

#[test]
fn gradients_are_differences() {
    let (mut network, batch) = (network(), batch());
    let words = [0, 4, 4, 8, 2];
    let noise = Noise {
        words: &words,
        expected: &EXPECTED,
    };
    network.learn(&batch, &noise, 1);
    let loss = |network: &Network| network.clone().learn(&batch, &noise, 1);
    let gradients = |network: &Network| {
        let tables = [
            &network.source,
            &network.target,
            &network.layer,
            &network.bias,
            &network.output,
            &network.output_bias,
        ];
        tables.map(|table| table.gradients().to_vec())
    };
    let found = gradients(&network);
    let mut seen = 0;
    for (part, found) in found.iter().enumerate() {
        for place in 0..found.len() {
            let moved = |by: f32| {
                let mut moved = network.clone();
                let tables = [
                    &mut moved.source,
                    &mut moved.target,
                    &mut moved.layer,
                    &mut moved.bias,
                    &mut moved.output,
                    &mut moved.output_bias,
                ];
                for (number, table) in tables.into_iter().enumerate() {
                    if number == part {
                        table.values[place] += by;
                    }
                }
                loss(&moved)
            };
            let expected = (moved(2e-3) - moved(-2e-3)) / 4e-3;
            let difference = (f64::from(found[place]) - expected).abs();
            // Where a number of the hidden layer crosses 0 there is no derivative.
            if difference > 2e-3 * (1.0 + expected.abs()) {
                let near = (moved(2e-4) - moved(-2e-4)) / 4e-4;
                assert!(
                    (f64::from(found[place]) - near).abs() < 2e-2,
                    "{part} {place}"
                );
            }
            seen += usize::from(expected.abs() > 1e-3);
        }
    }
    assert!(seen > 100, "{seen}");
}

/// A text of two words that change places, with words that depend on their neighbours.
fn text(folder: &std::path::Path) -> (MappedText, MappedText, Links) {
    let mut random = crate::random::random(5, "test", 0);
    let (mut source, mut target, mut links) = (Vec::new(), Vec::new(), Links::default());
    for _ in 0..400 {
        let length = random.random_range(2..6);
        let words: Vec<u32> = (0..length).map(|_| random.random_range(0..5)).collect();
        let spelled = |prefix: &str, words: &[u32]| -> String {
            let words = words.iter().map(|word| format!("{prefix}{word}"));
            words.collect::<Vec<_>>().join(" ")
        };
        source.push(spelled("s", &words));
        let reversed: Vec<u32> = words.iter().rev().copied().collect();
        target.push(spelled("t", &reversed));
        let pairs: Vec<Link> = (0..length as u32)
            .map(|place| Link {
                source: length as u32 - 1 - place,
                target: place,
            })
            .collect();
        links.push(&pairs);
    }
    let write = |name: &str, lines: &[String]| {
        let path = folder.join(name);
        MappedText::write(&path, lines.iter().map(String::as_str)).unwrap();
        MappedText::open(&path).unwrap()
    };
    (write("s", &source), write("t", &target), links)
}

fn recipe() -> JointRecipe {
    JointRecipe {
        words: 100,
        embedding: 8,
        hidden: 16,
        examples: 60_000,
        dropout: 0.0,
        learning_rate: 0.01,
        seed: 1,
    }
}

#[test]
fn learns_what_goes_with_what_and_is_the_same_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let (source, target, links) = text(folder.path());
    let training = JointTraining {
        source: &source,
        target: &target,
        links: &links,
        recipe: &recipe(),
    };
    let trained = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let model = pool
            .build()
            .unwrap()
            .install(|| train_joint(&training, &chiasm_work::Silent));
        let path = folder.path().join(format!("model{threads}"));
        model.unwrap().write(&path).unwrap();
        path
    };
    let (one, three) = (trained(1), trained(3));
    assert_eq!(std::fs::read(&one).unwrap(), std::fs::read(three).unwrap());
    let model = JointModel::open(&one).unwrap();
    let sentence = ["s1", "s3", "s0", "s4"].map(|word| model.source_word(word));
    let mut contexts = Vec::new();
    model.contexts(&sentence, &mut contexts);
    let width = model.width();
    let context = |place: usize| &contexts[place * width..(place + 1) * width];
    // Every word of the target goes with its own word of the source, and the sentence ends at its end.
    for (place, word) in ["t1", "t3", "t0", "t4"].iter().enumerate() {
        let history = [EDGE, EDGE, EDGE];
        let history = if place == 3 {
            history
        } else {
            [NOTHING; HISTORY]
        };
        let score = |word: &str| model.score(context(place), &history, model.target_word(word));
        assert!(score(word) > -0.7, "{word} {}", score(word));
        let others = (0..5).map(|other| format!("t{other}"));
        let others = others.filter(|other| other != word);
        for other in others {
            assert!(score(&other) < score(word) - 1.0, "{word} {other}");
        }
    }
    let history = ["t1", "t3", "t0"].map(|word| model.target_word(word));
    assert!(model.score(context(4), &history, EDGE) > -0.5);
    assert!(model.score(context(4), &history, FIRST) < -1.0);
}

#[test]
fn answers_follow_the_definition() {
    let (network, batch) = (network(), batch());
    let vocabulary = |count: u32| {
        let mut words = chiasm_text::Vocabulary::new();
        (0..count).for_each(|word| {
            words.intern(&format!("w{word}"));
        });
        words
    };
    let folder = tempfile::tempdir().unwrap();
    let words = [4, 6].map(|count| {
        let line: Vec<String> = (vocabulary(count).words())
            .flat_map(|word| [word.to_string(), word.to_string()])
            .collect();
        let path = folder.path().join(format!("text{count}"));
        MappedText::write(&path, [line.join(" ").as_str()]).unwrap();
        super::words::Words::of_text(&MappedText::open(&path).unwrap(), 100).0
    });
    let model = JointModel::new(SHAPE, words, network.parameters());
    let half = |value: f32| half::f16::from_f32(value).to_f32();
    for inputs in batch.inputs.chunks_exact(INPUTS) {
        // The window's own centre is its middle.
        let source = &inputs[HISTORY..];
        let mut contexts = Vec::new();
        model.contexts(source, &mut contexts);
        let centre = WINDOW / 2;
        let context = &contexts[centre * SHAPE.hidden..(centre + 1) * SHAPE.hidden];
        let history = [inputs[0], inputs[1], inputs[2]];
        for word in 0..SHAPE.words[1] as u32 {
            let mut expected = half(network.output_bias.values[word as usize]);
            for hidden in 0..SHAPE.hidden {
                let mut value = half(network.bias.values[hidden]);
                for (place, &input) in inputs.iter().enumerate() {
                    let table = if place < HISTORY {
                        &network.target
                    } else {
                        &network.source
                    };
                    for (number, &embedded) in table.row(input).iter().enumerate() {
                        let row = place * SHAPE.embedding + number;
                        let weight = network.layer.values[row * SHAPE.hidden + hidden];
                        value += half(embedded) * half(weight);
                    }
                }
                expected += value.max(0.0) * half(network.output.row(word)[hidden]);
            }
            if word == super::words::RARE {
                expected -= 5.0f32.ln();
            }
            let found = model.score(context, &history, word);
            assert!(
                (found - expected.clamp(-20.0, 0.0)).abs() < 1e-4,
                "{found} {expected}"
            );
        }
    }
}
