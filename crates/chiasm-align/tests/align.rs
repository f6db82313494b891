//! Whole corpora: the gold links of a made-up language come back, the same on any number of
//! threads, and again from a saved model; odd corpora have clear answers.

use chiasm_align::aer::{Agreement, GoldLinks};
use chiasm_align::{
    Bitext, Checkpoint, Decoder, Knowledge, LinkMaker, LinkSettings, Method, Model, PairAlignment,
    Posteriors, Preset, Settings, Trained, align_corpus, align_corpus_by, train, train_with,
};
use chiasm_text::Link;
use chiasm_work::{MemorySize, Progress};
use rand_xoshiro::Xoshiro128PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const LINKS: LinkSettings = LinkSettings {
    method: Method::GrowDiagFinalAnd,
    null_bias: 1.0,
};

/// Sentences of words s0, s1, ... and their translations t0, t1, ..., with some neighbours swapped and
/// a word without a translation now and then.
fn made_up(pairs: usize) -> (Bitext, Vec<GoldLinks>) {
    let mut random = Xoshiro128PlusPlus::seed_from_u64(7);
    let mut below = |limit: u32| random.next_u32() % limit;
    let (mut bitext, mut gold) = (Bitext::new(), Vec::new());
    for _ in 0..pairs {
        let length = 3 + below(8);
        let words: Vec<u32> = (0..length).map(|_| below(12) * below(12)).collect();
        let mut order: Vec<usize> = (0..words.len()).collect();
        for at in 1..order.len() {
            if below(5) == 0 {
                order.swap(at - 1, at);
            }
        }
        let (mut target, mut links) = (Vec::new(), GoldLinks::default());
        for &source in &order {
            if below(10) == 0 {
                target.push("ping".to_string());
            }
            let link = Link {
                source: source as u32,
                target: target.len() as u32,
            };
            target.push(format!("t{}", words[source]));
            links.sure.push(link);
        }
        links.sure.sort();
        links.possible = links.sure.clone();
        let source: Vec<String> = words.iter().map(|word| format!("s{word}")).collect();
        bitext.push(&source.join(" "), &target.join(" "));
        gold.push(links);
    }
    (bitext, gold)
}

fn align(trained: &Trained, bitext: &Bitext) -> Vec<PairAlignment> {
    let mut pairs = Vec::new();
    let sink = |pair: &PairAlignment| {
        pairs.push(pair.clone());
        Ok(())
    };
    align_corpus(trained, bitext, LINKS, &(), sink).unwrap();
    pairs
}

fn error_rate(gold: &[GoldLinks], pairs: &[PairAlignment]) -> f64 {
    assert_eq!(gold.len(), pairs.len());
    let mut total = Agreement::default();
    for (gold, pair) in gold.iter().zip(pairs) {
        total.add(&Agreement::of(gold, &pair.links));
    }
    total.error_rate()
}

#[test]
fn gold_links_come_back() {
    let (bitext, gold) = made_up(1500);
    for (preset, most) in [(Preset::Fast, 0.15), (Preset::Standard, 0.05)] {
        let trained = train(&bitext, &Settings::preset(preset, bitext.len()), &()).unwrap();
        let found = error_rate(&gold, &align(&trained, &bitext));
        assert!(found < most, "{preset:?}: {found}");
    }
}

#[test]
fn links_do_not_depend_on_threads_but_on_the_seed() {
    let (bitext, _) = made_up(1500);
    let run = |threads: usize, seed: u64, preset| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let mut settings = Settings::preset(preset, bitext.len());
            settings.seed = seed;
            align(&train(&bitext, &settings, &()).unwrap(), &bitext)
        })
    };
    for preset in [Preset::Fast, Preset::Standard] {
        let one = run(1, 5, preset);
        for threads in [2, 3, 7] {
            assert_eq!(one, run(threads, 5, preset));
        }
    }
    let scores = |pairs: Vec<PairAlignment>| -> Vec<Vec<f32>> {
        pairs.into_iter().map(|pair| pair.scores).collect()
    };
    let (one, other) = (run(2, 5, Preset::Standard), run(2, 6, Preset::Standard));
    assert_ne!(scores(one), scores(other));
}

#[test]
fn samplers_kept_apart_make_an_alignment_each() {
    let (bitext, gold) = made_up(1500);
    let run = |threads: usize, apart: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let mut settings = Settings::preset(Preset::Standard, bitext.len());
            let sampling = settings.sampling.as_mut().unwrap();
            (sampling.chains, sampling.apart) = (3, apart);
            let trained = train(&bitext, &settings, &()).unwrap();
            let by = |number: usize| {
                let mut pairs = Vec::new();
                let this = number..number + 1;
                align_corpus_by(&trained, this, &bitext, LINKS, &(), |pair| {
                    pairs.push(pair.clone());
                    Ok(())
                })
                .unwrap();
                pairs
            };
            let each: Vec<_> = (0..trained.alignments()).map(by).collect();
            (each, align(&trained, &bitext))
        })
    };
    let (each, all) = run(2, true);
    assert_eq!(each.len(), 3);
    for pairs in &each {
        assert!(error_rate(&gold, pairs) < 0.06);
    }
    assert_ne!(each[0], each[1]);
    assert_eq!((each.clone(), all.clone()), run(1, true));
    // Together they are what samplers that were never apart are, but for rounding.
    let (together, mean) = run(2, false);
    assert_eq!(together, std::slice::from_ref(&mean));
    let links = |pairs: &[PairAlignment]| -> Vec<GoldLinks> {
        let gold = |pair: &PairAlignment| GoldLinks {
            sure: pair.links.clone(),
            possible: pair.links.clone(),
        };
        pairs.iter().map(gold).collect()
    };
    assert!(error_rate(&links(&mean), &all) < 0.002);
}

#[test]
fn a_saved_model_agrees_with_training() {
    let (bitext, gold) = made_up(1000);
    let folder = tempfile::tempdir().unwrap();
    for (preset, least) in [(Preset::Fast, 0.99), (Preset::Standard, 0.95)] {
        let trained = train(&bitext, &Settings::preset(preset, bitext.len()), &()).unwrap();
        let path = folder.path().join(preset.name());
        trained.model(&bitext).unwrap().save(&path).unwrap();
        let model = Model::open(&path).unwrap();
        let mut decoder = Decoder::new(&model);
        let (mut maker, mut posteriors) = (LinkMaker::default(), Posteriors::default());
        let again: Vec<PairAlignment> = (0..bitext.len())
            .map(|at| {
                let line = |side: &chiasm_align::Side| {
                    let words = side.text.sentence(at).iter();
                    words
                        .map(|&id| side.vocabulary.word(id))
                        .collect::<Vec<_>>()
                        .join(" ")
                };
                decoder.align(
                    &line(&bitext.source),
                    &line(&bitext.target),
                    &mut posteriors,
                );
                maker.links(&posteriors, LINKS)
            })
            .collect();
        let first = align(&trained, &bitext);
        let as_gold: Vec<GoldLinks> = first
            .iter()
            .map(|pair| GoldLinks {
                sure: pair.links.clone(),
                possible: pair.links.clone(),
            })
            .collect();
        let agreement = 1.0 - error_rate(&as_gold, &again);
        assert!(agreement > least, "{preset:?}: {agreement}");
        assert!(error_rate(&gold, &again) < 0.15);
    }
}

#[test]
fn links_do_not_depend_on_the_memory_allowed() {
    let (bitext, gold) = made_up(2000);
    for (preset, most) in [(Preset::Fast, 0.15), (Preset::Standard, 0.05)] {
        let run = |memory: u64| {
            let mut settings = Settings::preset(preset, bitext.len());
            settings.memory = MemorySize(memory);
            align(&train(&bitext, &settings, &()).unwrap(), &bitext)
        };
        // The first lets sums, or the numbers of cells, lie in files.
        let little = run(1 << 10);
        for memory in [64 << 20, 512 << 20, 4 << 30] {
            assert_eq!(little, run(memory), "{preset:?}, {memory}");
        }
        assert!(error_rate(&gold, &little) < most);
    }
}

/// Ends the work after so many reports.
struct Killer(AtomicU64);

impl Progress for Killer {
    fn advance(&self, _: u64) {
        if self.0.fetch_sub(1, Ordering::Relaxed) == 0 {
            panic!("killed");
        }
    }
}

#[test]
fn work_that_was_killed_goes_on_to_the_same_links() {
    let (bitext, _) = made_up(400);
    let folder = tempfile::tempdir().unwrap();
    for apart in [false, true] {
        let mut settings = Settings::preset(Preset::Standard, bitext.len());
        settings.set_passes(8);
        settings.sampling.as_mut().unwrap().apart = apart;
        let whole = align(&train(&bitext, &settings, &()).unwrap(), &bitext);
        let path = folder.path().join(format!("{apart}.unfinished"));
        let checkpoint = || Checkpoint::new(path.clone(), 7, Duration::ZERO);
        let knowledge = || Knowledge {
            checkpoint: Some(checkpoint()),
            ..Knowledge::default()
        };
        let mut seen = Vec::new();
        for moment in 11..21 {
            let killer = Killer(AtomicU64::new(moment));
            let run = || train_with(&bitext, &settings, knowledge(), &killer).map(|_| ());
            let _ = std::panic::catch_unwind(AssertUnwindSafe(run));
            seen.push(checkpoint().progress());
        }
        seen.dedup();
        assert!(seen.len() > 3, "{seen:?}");
        let resumed = train_with(&bitext, &settings, knowledge(), &()).unwrap();
        assert_eq!(align(&resumed, &bitext), whole);
        // Of other work nothing is taken.
        let other = Knowledge {
            checkpoint: Some(Checkpoint::new(path.clone(), 8, Duration::ZERO)),
            ..Knowledge::default()
        };
        let other = train_with(&bitext, &settings, other, &()).unwrap();
        assert_eq!(align(&other, &bitext), whole);
        checkpoint().remove();
    }
}

#[test]
fn a_model_of_other_text_helps_as_prior_and_as_start() {
    let (bitext, gold) = made_up(1500);
    let part = |from: usize, to: usize| {
        let mut part = Bitext::new();
        for at in from..to {
            let line = |side: &chiasm_align::Side| {
                let words = side.text.sentence(at).iter();
                let words = words.map(|&id| side.vocabulary.word(id));
                words.collect::<Vec<_>>().join(" ")
            };
            part.push(&line(&bitext.source), &line(&bitext.target));
        }
        part
    };
    let (large, small) = (part(0, 1450), part(1450, 1500));
    let gold = &gold[1450..];
    for preset in [Preset::Fast, Preset::Standard] {
        let trained = train(&large, &Settings::preset(preset, large.len()), &()).unwrap();
        let model = trained.model(&large).unwrap();
        let mut settings = Settings::preset(preset, small.len());
        settings.set_passes(4);
        let run = |knowledge: Knowledge| {
            let trained = train_with(&small, &settings, knowledge, &()).unwrap();
            error_rate(gold, &align(&trained, &small))
        };
        let alone = run(Knowledge::default());
        let priors = run(Knowledge {
            priors: Some(model.clone()),
            ..Knowledge::default()
        });
        let start = run(Knowledge {
            start: Some(model),
            ..Knowledge::default()
        });
        assert!(
            priors < alone && start < alone,
            "{preset:?} {alone} {priors} {start}"
        );
    }
}

#[test]
fn the_fast_model_is_the_same_in_little_memory() {
    let (bitext, _) = made_up(2000);
    let mut settings = Settings::preset(Preset::Fast, bitext.len());
    let roomy = train(&bitext, &settings, &()).unwrap();
    settings.memory = MemorySize(1 << 10);
    let tight = train(&bitext, &settings, &()).unwrap();
    assert_eq!(align(&tight, &bitext), align(&roomy, &bitext));
    let entries = |trained: &Trained| -> Vec<_> {
        let model = trained.model(&bitext).unwrap();
        model.stored_entries().collect()
    };
    assert_eq!(entries(&tight), entries(&roomy));
}

#[test]
fn odd_corpora_have_clear_answers() {
    let long = "a b c d ".repeat(100);
    let corpora: [&[(&str, &str)]; 6] = [
        &[],
        &[("", "")],
        &[("a b", ""), ("", "x"), ("a", "x")],
        &[("a", "x")],
        &[("a", &long), (&long, "x"), ("a", "x")],
        &[("a a a a", "a a a"), ("A", "a")],
    ];
    for preset in [Preset::Fast, Preset::Standard] {
        for corpus in corpora {
            let mut bitext = Bitext::new();
            corpus
                .iter()
                .for_each(|(source, target)| bitext.push(source, target));
            let trained = train(&bitext, &Settings::preset(preset, bitext.len()), &()).unwrap();
            let pairs = align(&trained, &bitext);
            assert_eq!(pairs.len(), corpus.len());
            for (pair, (source, target)) in pairs.iter().zip(corpus) {
                let count = |text: &str| chiasm_text::tokens(text).count() as u32;
                let inside =
                    |link: &Link| link.source < count(source) && link.target < count(target);
                assert!(pair.links.iter().all(inside));
                assert!(
                    pair.scores
                        .iter()
                        .all(|score| (0.0..=1.001).contains(score))
                );
            }
        }
    }
    // One pair of one word each is linked.
    let mut bitext = Bitext::new();
    bitext.push("hund", "dog");
    let trained = train(&bitext, &Settings::preset(Preset::Standard, 1), &()).unwrap();
    assert_eq!(
        align(&trained, &bitext)[0].links,
        [Link {
            source: 0,
            target: 0
        }]
    );
}

#[test]
fn a_pair_too_large_to_be_sentences_stays_unaligned() {
    let mut bitext = Bitext::new();
    let long = "x ".repeat(3000);
    bitext.push(&long, &long);
    bitext.push("x", "x");
    let trained = train(&bitext, &Settings::preset(Preset::Fast, 2), &()).unwrap();
    let pairs = align(&trained, &bitext);
    assert!(pairs[0].links.is_empty());
    assert_eq!(pairs[1].links.len(), 1);
    let mut posteriors = Posteriors::default();
    let model = trained.model(&bitext).unwrap();
    Decoder::new(&model).align(&long, &long, &mut posteriors);
    assert!(posteriors.forward.iter().all(|&posterior| posterior == 0.0));
}

#[test]
fn words_that_the_model_does_not_know_are_aligned_by_spelling_and_place() {
    let (bitext, _) = made_up(800);
    let trained = train(
        &bitext,
        &Settings::preset(Preset::Standard, bitext.len()),
        &(),
    )
    .unwrap();
    let mut posteriors = Posteriors::default();
    let model = trained.model(&bitext).unwrap();
    let mut decoder = Decoder::new(&model);
    decoder.align("s1 Kaliningrad s4", "t1 kaliningrad t4", &mut posteriors);
    let pair = LinkMaker::default().links(&posteriors, LINKS);
    let diagonal: Vec<Link> = (0..3)
        .map(|at| Link {
            source: at,
            target: at,
        })
        .collect();
    assert_eq!(pair.links, diagonal);
    decoder.align(
        "Только неизвестные слова",
        "only unknown words",
        &mut posteriors,
    );
    assert!(
        posteriors
            .forward
            .iter()
            .all(|posterior| posterior.is_finite())
    );
    decoder.align("", "t1", &mut posteriors);
    assert!(posteriors.forward.is_empty());
}

#[test]
fn damaged_and_wrong_model_files_are_refused() {
    let (bitext, _) = made_up(50);
    let trained = train(
        &bitext,
        &Settings::preset(Preset::Standard, bitext.len()),
        &(),
    )
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    trained.model(&bitext).unwrap().save(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(97) {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(Model::open(&path).is_err(), "{length}");
    }
    // A changed byte is refused or does no harm: contents are checked at every look-up.
    for at in (0..whole.len()).step_by(41) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        std::fs::write(&path, &bytes).unwrap();
        if let Ok(model) = Model::open(&path) {
            let mut posteriors = Posteriors::default();
            Decoder::new(&model).align("s1 s2 s3 neu", "t1 new t3", &mut posteriors);
            LinkMaker::default().links(&posteriors, LINKS);
        }
    }
    let mut other = chiasm_store::Writer::create(&path, "classifier", 1).unwrap();
    other.bytes("settings", b"{}").unwrap();
    other.finish().unwrap();
    let error = Model::open(&path).err().unwrap().to_string();
    assert!(
        error.ends_with("holds a classifier, not a aligner"),
        "{error}"
    );
}
