//! The fast versions against slow, obviously right ones.

use chiasm_phrases::moses_text::{MosesText, OrientationStyle, TokenLine};
use chiasm_phrases::{
    AlignedFiles, Alignment, ClassSet, CountedPair, CountedPairs, Extraction, Extractor,
    ForwardRule, IndexedCorpus, Instance, Orientation, OrientationKind, Span, Spans,
    extract_to_moses_files,
};
use chiasm_text::{Link, MappedText};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug)]
struct Sample {
    source_length: usize,
    target_length: usize,
    links: Vec<Link>,
}

fn samples(longest: usize) -> impl Strategy<Value = Sample> {
    (1..=longest, 1..=longest).prop_flat_map(|(source_length, target_length)| {
        let link = (0..source_length as u32, 0..target_length as u32);
        prop::collection::btree_set(link, 0..source_length + 3).prop_map(move |links| Sample {
            source_length,
            target_length,
            links: links
                .into_iter()
                .map(|(source, target)| Link { source, target })
                .collect(),
        })
    })
}

/// Every consistent block, by definition.
fn slow_blocks(sample: &Sample) -> Vec<Spans> {
    let (source_length, target_length) = (sample.source_length as u32, sample.target_length as u32);
    let mut blocks = Vec::new();
    for source_start in 0..source_length {
        for source_end in source_start + 1..=source_length {
            for target_start in 0..target_length {
                for target_end in target_start + 1..=target_length {
                    let source = source_start..source_end;
                    let target = target_start..target_end;
                    let inside =
                        |l: &Link| source.contains(&l.source) && target.contains(&l.target);
                    let outside =
                        |l: &Link| !source.contains(&l.source) && !target.contains(&l.target);
                    if sample.links.iter().any(inside)
                        && sample.links.iter().all(|l| inside(l) || outside(l))
                    {
                        blocks.push(Spans {
                            source: Span::new(source_start, source_end),
                            target: Span::new(target_start, target_end),
                        });
                    }
                }
            }
        }
    }
    blocks
}

fn within(spans: &Spans, max: usize) -> bool {
    spans.source.len() <= max && spans.target.len() <= max
}

/// The definitions of SPEC section 1, monotone and swap only (what is neither is `None`).
fn slow_orientation(
    sample: &Sample,
    neighbours: &[Spans],
    spans: &Spans,
    forward: bool,
    rule: ForwardRule,
) -> Option<Orientation> {
    let (length_j, length_i) = (sample.source_length as i64, sample.target_length as i64);
    let linked = |source: i64, target: i64| {
        (source, target) == (-1, -1)
            || (source, target) == (length_j, length_i)
            || sample
                .links
                .iter()
                .any(|l| (l.source as i64, l.target as i64) == (source, target))
    };
    let left = spans.source.start as i64 - 1;
    let right = spans.source.end as i64;
    let (row, ahead, behind) = if forward {
        (spans.target.end as i64, right, left)
    } else {
        (spans.target.start as i64 - 1, left, right)
    };
    match (linked(ahead, row), linked(behind, row)) {
        (true, false) => return Some(Orientation::Monotone),
        (false, true) => return Some(Orientation::Swap),
        _ => {}
    }
    let touches = |block: &Spans| {
        if forward && rule == ForwardRule::Exact {
            block.target.start as i64 == row
        } else {
            block.target.end as i64 - 1 == row
        }
    };
    let starts_at = |at: i64| {
        neighbours
            .iter()
            .any(|b| touches(b) && b.source.start as i64 == at)
    };
    let ends_at = |at: i64| {
        neighbours
            .iter()
            .any(|b| touches(b) && b.source.end as i64 - 1 == at)
    };
    let (monotone, swap) = if forward {
        (starts_at(right), ends_at(left))
    } else {
        (ends_at(left), starts_at(right))
    };
    if monotone {
        Some(Orientation::Monotone)
    } else if swap {
        Some(Orientation::Swap)
    } else {
        None
    }
}

fn decided(orientation: Orientation) -> Option<Orientation> {
    matches!(orientation, Orientation::Monotone | Orientation::Swap).then_some(orientation)
}

fn fast(sample: &Sample, max: usize, kind: OrientationKind, rule: ForwardRule) -> Vec<Instance> {
    let mut alignment = Alignment::default();
    alignment.load(&sample.links, sample.source_length, sample.target_length);
    let mut instances = Vec::new();
    Extractor::new(max, kind, rule).instances(&alignment, |instance| instances.push(instance));
    instances
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..Default::default() })]

    #[test]
    fn extraction_and_orientation_follow_the_definitions(sample in samples(9), max in 1usize..9) {
        let blocks = slow_blocks(&sample);
        let phrases: Vec<Spans> = blocks.iter().filter(|s| within(s, max)).copied().collect();
        for (kind, neighbours) in [
            (OrientationKind::Word, &[][..]),
            (OrientationKind::Phrase, &phrases[..]),
            (OrientationKind::Hier, &blocks[..]),
        ] {
            for rule in [ForwardRule::Moses, ForwardRule::Exact] {
                let found = fast(&sample, max, kind, rule);
                let found_spans: BTreeSet<Spans> = found.iter().map(|i| i.spans).collect();
                prop_assert_eq!(found.len(), found_spans.len(), "each once");
                prop_assert_eq!(&found_spans, &phrases.iter().copied().collect());
                for instance in &found {
                    let spans = &instance.spans;
                    let backward = slow_orientation(&sample, neighbours, spans, false, rule);
                    prop_assert_eq!(decided(instance.backward), backward, "{:?} {:?}", kind, spans);
                    let forward = slow_orientation(&sample, neighbours, spans, true, rule);
                    prop_assert_eq!(decided(instance.forward), forward, "{:?} {:?}", kind, spans);
                }
            }
        }
    }

    #[test]
    fn long_sentences_use_more_than_one_word_of_bits(links in prop::collection::btree_set((0u32..150, 0u32..150), 0..120)) {
        let links: Vec<Link> = links.into_iter().map(|(source, target)| Link { source, target }).collect();
        let sample = Sample { source_length: 150, target_length: 150, links };
        // The mirror image, both sides reversed, exchanges backward and exact forward.
        let mut mirrored = sample.clone();
        for link in &mut mirrored.links {
            *link = Link { source: 149 - link.source, target: 149 - link.target };
        }
        mirrored.links.sort_unstable();
        let mirrored_span = |span: Span| Span::new(150 - span.end, 150 - span.start);
        let reverse = |i: &Instance| Spans {
            source: mirrored_span(i.spans.source),
            target: mirrored_span(i.spans.target),
        };
        let straight: BTreeMap<_, _> = fast(&sample, 7, OrientationKind::Hier, ForwardRule::Exact)
            .iter()
            .map(|i| (reverse(i), (decided(i.forward), decided(i.backward))))
            .collect();
        let mirror: BTreeMap<_, _> = fast(&mirrored, 7, OrientationKind::Hier, ForwardRule::Exact)
            .iter()
            .map(|i| (i.spans, (decided(i.backward), decided(i.forward))))
            .collect();
        prop_assert_eq!(straight, mirror);
    }
}

/// A corpus of random pairs on disk.
fn written(folder: &std::path::Path, pairs: &[Sample]) -> AlignedFiles {
    let (mut source, mut target, mut links) = (String::new(), String::new(), String::new());
    for (number, pair) in pairs.iter().enumerate() {
        let word = |side: &str, position: usize| format!("{side}{}", (position * 7 + number) % 11);
        let words = |side: &str, length: usize| {
            (0..length)
                .map(|position| word(side, position))
                .collect::<Vec<_>>()
                .join(" ")
        };
        source += &format!("{}\n", words("f", pair.source_length));
        target += &format!("{}\n", words("e", pair.target_length));
        chiasm_text::links::format(&pair.links, &mut links);
        links.push('\n');
    }
    let files = AlignedFiles {
        source: folder.join("source"),
        target: folder.join("target"),
        links: folder.join("links"),
    };
    std::fs::write(&files.source, source).unwrap();
    std::fs::write(&files.target, target).unwrap();
    std::fs::write(&files.links, links).unwrap();
    files
}

const HIER: Extraction = Extraction {
    max_length: 7,
    kind: OrientationKind::Hier,
    forward_rule: ForwardRule::Moses,
};

fn counted(files: &AlignedFiles, budget: usize, threads: usize) -> (Vec<CountedPair>, usize) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(|| {
        let folder = files.source.parent().unwrap();
        let mut corpus = IndexedCorpus::read(files, folder, &()).unwrap();
        let mut pairs = CountedPairs::count(&mut corpus, &HIER, budget, folder, &()).unwrap();
        let (mut all, mut pair) = (Vec::new(), CountedPair::default());
        while pairs.next(&mut pair).unwrap() {
            all.push(pair.clone());
        }
        (all, pairs.spilled_runs)
    })
}

/// The lines of a file as a mapped text beside it.
fn mapped(path: &std::path::Path) -> MappedText {
    let lines = std::fs::read_to_string(path).unwrap();
    let beside = path.with_extension("mapped");
    MappedText::write(&beside, lines.lines()).unwrap();
    MappedText::open(&beside).unwrap()
}

#[test]
fn several_alignments_count_as_the_sum_of_each() {
    let folder = tempfile::tempdir().unwrap();
    let files = AlignedFiles {
        source: folder.path().join("source"),
        target: folder.path().join("target"),
        links: folder.path().join("links"),
    };
    let other = folder.path().join("other");
    std::fs::write(&files.source, "a b c\na b\nc\n").unwrap();
    std::fs::write(&files.target, "x y z\ny x\nz\n").unwrap();
    std::fs::write(&files.links, "0-0 1-1 2-2\n0-1 1-0\n\n").unwrap();
    std::fs::write(&other, "0-0 1-2\n0-0 1-1\n0-0\n").unwrap();
    let counts = |mut corpus: IndexedCorpus| {
        let passed = (corpus.passed.sentence_pairs, corpus.passed.without_links);
        let mut pairs =
            CountedPairs::count(&mut corpus, &HIER, 1 << 20, folder.path(), &()).unwrap();
        let (mut counts, mut pair) = (BTreeMap::new(), CountedPair::default());
        while pairs.next(&mut pair).unwrap() {
            let key = (pair.source.clone(), pair.target.clone());
            counts.insert(key, (pair.counts.total, pair.counts.backward));
        }
        (counts, passed)
    };
    let count = |files: &AlignedFiles, more: &[std::path::PathBuf]| {
        counts(IndexedCorpus::read_several(files, more, folder.path(), &()).unwrap())
    };
    let (first, _) = count(&files, &[]);
    let second = AlignedFiles {
        links: other.clone(),
        ..files.clone()
    };
    let (second, _) = count(&second, &[]);
    let (both, passed) = count(&files, std::slice::from_ref(&other));
    assert_eq!(passed, (3, 1));
    let texts = [&files.source, &files.target].map(|path| mapped(path));
    let links = [files.links.clone(), other];
    let indexed = |links: &[std::path::PathBuf]| {
        IndexedCorpus::of_texts([&texts[0], &texts[1]], links, folder.path(), &())
    };
    let of_texts = counts(indexed(&links).unwrap());
    assert_eq!(of_texts, (both.clone(), passed));
    for lines in ["0-0\n", "\n\n\n\n"] {
        std::fs::write(&links[1], lines).unwrap();
        assert!(indexed(&links[1..]).is_err());
    }
    assert!(indexed(&[]).is_err());
    let mut sum = first;
    for (key, (total, backward)) in second {
        let entry = sum.entry(key).or_default();
        entry.0 += total;
        for (sum, count) in entry.1.iter_mut().zip(backward) {
            *sum += count;
        }
    }
    assert_eq!(both, sum);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..Default::default() })]

    #[test]
    fn counting_equals_a_map_for_any_budget_and_threads(pairs in prop::collection::vec(samples(12), 100..300)) {
        let folder = tempfile::tempdir().unwrap();
        let files = written(folder.path(), &pairs);
        let (in_memory, none) = counted(&files, 1 << 30, 1);
        prop_assert_eq!(none, 0);
        let (spilled, _) = counted(&files, 1, 3);
        prop_assert_eq!(&in_memory, &spilled);

        // The slow version: the extraction lines in a map.
        let outputs = ["x", "x.inv", "x.o"].map(|name| folder.path().join(name));
        let passed = extract_to_moses_files(&files, &HIER, ClassSet::Mslr, outputs.clone(), &()).unwrap();
        let text = std::fs::read_to_string(&outputs[0]).unwrap();
        let mut map: BTreeMap<&str, u32> = BTreeMap::new();
        for line in text.lines() {
            // Up to the links, with the separator, so that the order is that of lines.
            let (columns, _) = line.split_at(line.rfind("||| ").unwrap() + 3);
            *map.entry(columns).or_default() += 1;
        }
        prop_assert_eq!(passed.phrase_pairs, text.lines().count() as u64);
        let counts: Vec<u32> = in_memory.iter().map(|pair| pair.counts.total).collect();
        let expected: Vec<u32> = map.values().copied().collect();
        prop_assert_eq!(counts, expected);
        for pair in &in_memory {
            prop_assert_eq!(pair.counts.backward.iter().sum::<u32>(), pair.counts.total);
            prop_assert_eq!(pair.counts.forward.iter().sum::<u32>(), pair.counts.total);
        }
    }

    #[test]
    fn extraction_files_are_the_same_on_any_number_of_threads(pairs in prop::collection::vec(samples(8), 1..50)) {
        // More rows than one batch holds.
        let pairs: Vec<Sample> = pairs.iter().cycle().take(2500).cloned().collect();
        let folder = tempfile::tempdir().unwrap();
        let files = written(folder.path(), &pairs);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let outputs = ["x", "x.inv", "x.o"].map(|name| folder.path().join(name));
            pool.install(|| {
                extract_to_moses_files(&files, &HIER, ClassSet::Msd, outputs.clone(), &()).unwrap()
            });
            outputs.map(|path| std::fs::read(path).unwrap())
        };
        let one = run(1);
        prop_assert!(one == run(2) && one == run(5));
    }
}

#[test]
fn a_token_line_is_normalised_and_refuses_the_separator() {
    let mut line = TokenLine::default();
    line.load("  a \t b  c ").unwrap();
    assert_eq!(line.len(), 3);
    assert!(line.load("a ||| b").unwrap_err().contains("|||"));
    line.load("a||| b").unwrap();

    let mut alignment = Alignment::default();
    alignment.load(
        &[Link {
            source: 0,
            target: 0,
        }],
        1,
        1,
    );
    let (mut source, mut target) = (TokenLine::default(), TokenLine::default());
    source.load(" x ").unwrap();
    target.load("y").unwrap();
    let mut text = MosesText::default();
    let style = OrientationStyle::new(OrientationKind::Word, ClassSet::LeftRight);
    Extractor::new(1, OrientationKind::Word, ForwardRule::Moses).instances(
        &alignment,
        |instance| {
            text.push(&instance, &alignment, &source, &target, &style);
        },
    );
    assert_eq!(text.orientations.as_bytes(), b"x ||| y ||| mono mono\n");
}
