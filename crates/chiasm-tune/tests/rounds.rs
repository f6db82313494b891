//! Whole runs with a decoder made up for the purpose: every sentence has a few hundred possible
//! translations, whose features tell more or less about how good they are.

use chiasm_metrics::bleu::SentenceReferences;
use chiasm_tune::tune::Settings;
use chiasm_tune::{Entry, Method, NbestDecoder, Outcome, Stop, Weights, mert, mira, pro, tune};

struct Made {
    candidates: Vec<Vec<Entry>>,
    decoded: usize,
    /// Fails from this decoding on, as a killed process would.
    killed_at: usize,
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

impl NbestDecoder for Made {
    fn decode(&mut self, weights: &Weights, size: usize) -> Result<Vec<Vec<Entry>>, Failure> {
        if self.decoded == self.killed_at {
            return Err("killed".into());
        }
        self.decoded += 1;
        assert!(weights.is_finite());
        let list = |candidates: &Vec<Entry>| {
            let mut scored: Vec<(f32, &Entry)> = candidates
                .iter()
                .map(|entry| (score(entry, weights), entry))
                .collect();
            scored.sort_by(|a, b| b.0.total_cmp(&a.0));
            scored
                .into_iter()
                .take(size)
                .map(|(_, entry)| entry.clone())
                .collect()
        };
        Ok(self.candidates.iter().map(list).collect())
    }
}

fn score(entry: &Entry, weights: &Weights) -> f32 {
    let dense: f32 = entry
        .dense
        .iter()
        .zip(&weights.dense)
        .map(|(f, w)| f * w)
        .sum();
    let weight = |id| weights.sparse.get(id).copied().unwrap_or(0.0);
    dense
        + entry
            .sparse
            .iter()
            .map(|(id, value)| value * weight(id))
            .sum::<f32>()
}

struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.next() * n as f32) as usize).min(n - 1)
    }
}

/// Features: noise, quality with noise, length, always zero; sparse: one for wrong first words.
fn made(sentences: usize, candidates: usize, seed: u64) -> (Made, Vec<SentenceReferences>) {
    let mut numbers = Numbers(seed);
    let mut all = Vec::new();
    let mut references = Vec::new();
    for _ in 0..sentences {
        let length = 5 + numbers.below(10);
        let reference: Vec<u32> = (0..length).map(|_| numbers.below(50) as u32).collect();
        let mut list = Vec::new();
        for _ in 0..candidates {
            let errors = numbers.below(length + 1);
            let mut target = reference.clone();
            for _ in 0..errors {
                let place = numbers.below(target.len());
                match numbers.below(3) {
                    0 => target[place] = 50 + numbers.below(50) as u32,
                    1 if target.len() > 1 => drop(target.remove(place)),
                    _ => target.insert(place, 50 + numbers.below(50) as u32),
                }
            }
            let quality = -(errors as f32) + 2.0 * numbers.next();
            let wrong = u32::from(target[0] != reference[0]);
            list.push(Entry {
                dense: vec![6.0 * numbers.next(), quality, target.len() as f32, 0.0],
                target,
                sparse: vec![(wrong, 1.0)],
            });
        }
        all.push(list);
        references.push(SentenceReferences::new(&[&reference]));
    }
    let made = Made {
        candidates: all,
        decoded: 0,
        killed_at: usize::MAX,
    };
    (made, references)
}

fn start() -> Weights {
    Weights::of_dense(vec![1.0, 0.1, 0.3, 0.5])
}

fn methods() -> [Method; 3] {
    let mert = mert::Settings {
        restarts: 4,
        ..mert::Settings::default()
    };
    [
        Method::Mert(mert),
        Method::Mira(mira::Settings::default()),
        Method::Pro(pro::Settings::default()),
    ]
}

fn run(
    made: &mut Made,
    references: &[SentenceReferences],
    settings: &Settings,
) -> chiasm_tune::Result<Outcome> {
    tune(made, references, &start(), settings, &mut |_, _| {})
}

fn settings(method: Method) -> Settings {
    Settings {
        nbest: 20,
        rounds: 6,
        ..Settings::new(method)
    }
}

#[test]
fn every_method_finds_far_better_weights() {
    for method in methods() {
        let (mut made, references) = made(60, 150, 3);
        let outcome = run(&mut made, &references, &settings(method)).unwrap();
        let (first, best) = (outcome.rounds[0].bleu, outcome.rounds[outcome.best].bleu);
        assert!(best > first + 30.0, "{}: {first} to {best}", method.name());
        assert!(outcome.rounds.iter().all(|round| round.bleu <= best));
        assert_eq!(outcome.weights, outcome.rounds[outcome.best].weights);
        let ratio = outcome.rounds[outcome.best].length_ratio;
        assert!((0.9..1.1).contains(&ratio), "{}: {ratio}", method.name());
        if matches!(method, Method::Mert(_)) {
            // The feature that is always zero keeps its weight up to the common factor.
            assert!(outcome.weights.dense[3] > 0.0);
        } else {
            assert!(outcome.weights.dense[3] >= 0.0);
            assert!(outcome.weights.sparse[&0] > outcome.weights.sparse[&1]);
        }
    }
}

#[test]
fn small_development_sets_and_lists_are_handled() {
    for method in methods() {
        for (sentences, candidates) in [(1, 150), (1, 1), (10, 1)] {
            let (mut made, references) = made(sentences, candidates, 5);
            let outcome = run(&mut made, &references, &settings(method)).unwrap();
            assert!(outcome.weights.is_finite());
            assert!(outcome.rounds[outcome.best].bleu >= outcome.rounds[0].bleu);
            if candidates == 1 {
                assert!(
                    matches!(outcome.stop, Stop::Settled | Stop::NothingNew),
                    "{:?}",
                    outcome.stop
                );
                assert_eq!(outcome.weights, start());
            }
        }
    }
}

#[test]
fn empty_hypotheses_and_empty_lists_are_handled() {
    for method in methods() {
        let (mut made, references) = made(10, 30, 7);
        made.candidates[0].clear();
        for entry in &mut made.candidates[1] {
            entry.target.clear();
        }
        let outcome = run(&mut made, &references, &settings(method)).unwrap();
        assert!(outcome.weights.is_finite());
        assert!(outcome.rounds[outcome.best].bleu > outcome.rounds[0].bleu);
        for list in &mut made.candidates {
            list.clear();
        }
        let outcome = run(&mut made, &references, &settings(method)).unwrap();
        assert_eq!((outcome.weights, outcome.stop), (start(), Stop::NothingNew));
    }
}

#[test]
fn weights_worse_than_the_start_are_never_returned() {
    for method in methods() {
        let (mut made, references) = made(20, 40, 9);
        // Nothing but noise to learn from: all features say nothing, references are others'.
        let mut shuffled = references.clone();
        shuffled.rotate_left(7);
        let outcome = run(&mut made, &shuffled, &settings(method)).unwrap();
        assert!(outcome.rounds[outcome.best].bleu >= outcome.rounds[0].bleu);
    }
}

#[test]
fn a_killed_run_goes_on_to_the_same_result() {
    for method in methods() {
        let folder = tempfile::tempdir().unwrap();
        let (mut whole, references) = made(30, 100, 11);
        let short = Settings {
            nbest: 3,
            ..settings(method)
        };
        let expected = run(&mut whole, &references, &short).unwrap();
        assert!(whole.decoded >= 3, "too short to interrupt");
        for killed_at in 0..whole.decoded {
            let kept = Settings {
                folder: Some(folder.path().join(format!("{killed_at}"))),
                ..short.clone()
            };
            let (mut made, _) = made(30, 100, 11);
            made.killed_at = killed_at;
            run(&mut made, &references, &kept).unwrap_err();
            (made.decoded, made.killed_at) = (0, usize::MAX);
            let outcome = run(&mut made, &references, &kept).unwrap();
            assert_eq!(outcome.resumed, killed_at);
            assert_eq!(made.decoded, whole.decoded - killed_at);
            assert_eq!(
                (&outcome.rounds, outcome.stop),
                (&expected.rounds, expected.stop)
            );
            // A finished run needs no decoding at all.
            made.decoded = 0;
            assert_eq!(
                run(&mut made, &references, &kept).unwrap().rounds,
                expected.rounds
            );
            assert_eq!(made.decoded, 0);
        }
    }
}

#[test]
fn rounds_of_another_run_or_damaged_ones_are_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let (mut made, references) = made(10, 30, 13);
    let kept = Settings {
        folder: Some(folder.path().to_path_buf()),
        ..settings(methods()[1])
    };
    run(&mut made, &references, &kept).unwrap();
    let other = Settings {
        seed: 2,
        ..kept.clone()
    };
    let expected = run(&mut made, &references, &other).unwrap();
    assert_eq!(expected.resumed, 0);
    // Every truncation and every flipped byte of a later round is noticed.
    let second = folder.path().join("round-001");
    let whole = std::fs::read(&second).unwrap();
    for length in (0..whole.len()).step_by(whole.len() / 40 + 1) {
        std::fs::write(&second, &whole[..length]).unwrap();
        let error = run(&mut made, &references, &other).unwrap_err().to_string();
        assert!(
            error.contains("round-001") && error.contains("remove the folder"),
            "{error}"
        );
    }
    for place in (0..whole.len()).step_by(whole.len() / 40 + 1) {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x20;
        std::fs::write(&second, damaged).unwrap();
        // Between sections there are bytes that mean nothing.
        match run(&mut made, &references, &other) {
            Err(error) => assert!(error.to_string().contains("round-001")),
            Ok(outcome) => assert_eq!(outcome.rounds, expected.rounds, "byte {place}"),
        }
    }
}

#[test]
fn senseless_settings_are_refused() {
    let (mut made, references) = made(2, 5, 1);
    let none = Settings {
        nbest: 0,
        ..settings(methods()[0])
    };
    assert_eq!(
        run(&mut made, &references, &none).unwrap_err().to_string(),
        "nbest: at least 1 expected"
    );
    assert!(run(&mut made, &[], &settings(methods()[0])).is_err());
    let nan = Weights::of_dense(vec![f32::NAN; 4]);
    let error = tune(
        &mut made,
        &references,
        &nan,
        &settings(methods()[0]),
        &mut |_, _| {},
    )
    .unwrap_err();
    assert!(error.to_string().contains("not a number"));
}
