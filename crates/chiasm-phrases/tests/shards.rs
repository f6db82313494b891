//! Counting in parts gives the table of the whole, byte for byte, however the parts are cut.

use chiasm_phrases::shards::{
    Cuts, RunSums, Scoring, Shard, give_runs, merge_runs, target_counts, target_marginals,
};
use chiasm_phrases::{
    AlignedFiles, CountedPairs, CountsOfCounts, Extraction, ForwardRule, IndexedCorpus, Lexicon,
    OrientationKind, PhraseSmoothing, Side, score_pairs, write_line,
};
use chiasm_synthesis::Language;
use std::collections::BTreeMap;
use std::path::Path;

const EXTRACTION: Extraction = Extraction {
    max_length: 7,
    kind: OrientationKind::Hier,
    forward_rule: ForwardRule::Moses,
};

type Row = [String; 3];

/// Sentence pairs of the built-in language, one of them many times over, and a few with other links, so that there are ties.
fn rows() -> Vec<Row> {
    let pairs = Language::JapaneseLike.generator(3, 0);
    let mut rows: Vec<Row> = (0..150u64)
        .map(|number| {
            let pair = pairs.pair(number);
            [pair.source_text(), pair.target_text(), pair.links_text()]
        })
        .collect();
    let often = ["a b | ~ z".to_string(), "x y".to_string()];
    for links in ["0-0 1-1", "0-1 1-0", "0-0", "", "0-1 1-0", "0-0 1-1"] {
        for _ in 0..20 {
            rows.push([often[0].clone(), often[1].clone(), links.to_string()]);
        }
    }
    rows
}

/// Table, lexicon entries and what all adds up to, by one machine.
fn whole(rows: &[Row], smoothing: PhraseSmoothing, folder: &Path) -> (Vec<u8>, Vec<(u64, u32)>) {
    let write = |column: usize, name: &str| {
        let lines: String = rows.iter().map(|row| row[column].clone() + "\n").collect();
        let path = folder.join(name);
        std::fs::write(&path, lines).unwrap();
        path
    };
    let files = AlignedFiles {
        source: write(0, "source"),
        target: write(1, "target"),
        links: write(2, "links"),
    };
    let mut corpus = IndexedCorpus::read(&files, folder, &()).unwrap();
    let lexicon = Lexicon::count(&mut corpus).unwrap();
    let pairs = CountedPairs::count(&mut corpus, &EXTRACTION, 1 << 24, folder, &()).unwrap();
    let mut table = Vec::new();
    score_pairs(pairs, &lexicon, smoothing, 1 << 20, folder, |scored| {
        let (source, target) = (&corpus.source.vocabulary, &corpus.target.vocabulary);
        write_line(scored, source, target, &mut table);
        Ok(())
    })
    .unwrap();
    let mut counts: Vec<(u64, u32)> = lexicon.counts().collect();
    counts.sort_unstable();
    (table, counts)
}

/// The same by many.
fn in_parts(
    rows: &[Row],
    parts: usize,
    places: usize,
    smoothing: PhraseSmoothing,
    folder: &Path,
) -> (Vec<u8>, Vec<(u64, u32)>) {
    let words = |column: usize| {
        let all = rows
            .iter()
            .flat_map(|row| chiasm_text::tokens(&row[column]));
        // Whatever the order of arrival.
        let mut all: Vec<&str> = all.collect();
        all.reverse();
        Side::of_words(all.into_iter())
    };
    let (source, target) = (words(0), words(1));
    let sides = [&source, &target];
    let drawn = rows.iter().step_by(3).map(|row| row[0].as_str());
    let cuts = Cuts::of_numbers(&Cuts::new(drawn, &source, places).to_numbers());
    let mut runs: BTreeMap<u64, Vec<Vec<u8>>> = BTreeMap::new();
    let mut links: BTreeMap<u64, u32> = BTreeMap::new();
    // An empty part, too.
    for part in 0..=parts {
        let mut shard = Shard::new([source.clone(), target.clone()], folder).unwrap();
        for row in rows
            .iter()
            .skip(part)
            .step_by(parts)
            .filter(|_| part < parts)
        {
            shard.push([&row[0], &row[1], &row[2]]).unwrap();
        }
        let mut corpus = shard.finish().unwrap();
        for (key, count) in Lexicon::count(&mut corpus).unwrap().counts() {
            *links.entry(key).or_default() += count;
        }
        let pairs = CountedPairs::count(&mut corpus, &EXTRACTION, 1 << 17, folder, &()).unwrap();
        give_runs(pairs, &cuts, |place, run| {
            runs.entry(place as u64).or_default().push(run)
        })
        .unwrap();
    }
    let lexicon = Lexicon::of_counts(links.iter().map(|(&key, &count)| (key, count)));
    let mut merged: BTreeMap<u64, Vec<Vec<u8>>> = BTreeMap::new();
    let mut sums = [0u64; 5];
    for (place, some) in runs {
        merge_runs(some, sides, folder, |run, found: RunSums| {
            merged.entry(place).or_default().push(run);
            let found = found.counts_of_counts.sums();
            sums.iter_mut()
                .zip(found)
                .for_each(|(sum, part)| *sum += part);
        })
        .unwrap();
    }
    let meetings = 3;
    let mut told = vec![Vec::new(); meetings];
    for (&place, runs) in &merged {
        for (part, run) in runs.iter().enumerate() {
            let number = (place, part as u64);
            let found = target_counts(number, run.clone(), sides, meetings, folder).unwrap();
            told.iter_mut()
                .zip(found)
                .for_each(|(all, some)| all.push(some));
        }
    }
    let mut known: BTreeMap<u64, Vec<Vec<u8>>> = BTreeMap::new();
    for some in &told {
        target_marginals(some, 1 << 16, folder, |place, records| {
            known.entry(place).or_default().push(records);
        })
        .unwrap();
    }
    let scoring = Scoring {
        lexicon: &lexicon,
        smoothing,
        counts_of_counts: CountsOfCounts::of_sums(sums),
    };
    let mut table = Vec::new();
    for (place, runs) in merged {
        let each = |scored: &_| {
            write_line(scored, &source.vocabulary, &target.vocabulary, &mut table);
            Ok(())
        };
        scoring
            .score_runs(runs, &known[&place], sides, folder, each)
            .unwrap();
    }
    (table, links.into_iter().collect())
}

#[test]
fn any_number_of_parts_and_places_gives_the_table_of_one_machine() {
    let folder = tempfile::tempdir().unwrap();
    let rows = rows();
    for smoothing in [PhraseSmoothing::None, PhraseSmoothing::KneserNey] {
        let expected = whole(&rows, smoothing, folder.path());
        assert!(expected.0.len() > 100_000);
        for (parts, places) in [(1, 1), (2, 7), (5, 40)] {
            let found = in_parts(&rows, parts, places, smoothing, folder.path());
            assert!(found == expected, "{parts} parts, {places} places");
        }
    }
}

#[test]
fn a_row_that_is_wrong_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let sides = || {
        [
            Side::of_words(["a", "b"].into_iter()),
            Side::of_words(["x"].into_iter()),
        ]
    };
    for (row, part) in [
        (
            ["a b", "x", "0-0 5-0"],
            "links: line 2: link 5-0 points outside",
        ),
        (["a b", "x", "0:0"], "links: line 2: '0:0' is not a link"),
        (["a c", "x", "0-0"], "source: line 2: 'c' was not there"),
        (["a", "x |||", "0-0"], "target: line 2"),
    ] {
        let mut shard = Shard::new(sides(), folder.path()).unwrap();
        shard.push(["a", "x", "0-0"]).unwrap();
        let error = shard.push(row).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    let long = "a ".repeat(5000);
    let mut shard = Shard::new(sides(), folder.path()).unwrap();
    shard.push([&long, "x", "0-0"]).unwrap();
    assert_eq!(shard.passed().too_long, 1);
}

#[test]
fn a_run_that_is_no_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (
        Side::of_words(std::iter::empty()),
        Side::of_words(std::iter::empty()),
    );
    for bytes in [b"nonsense".to_vec(), vec![0xff; 64]] {
        let found = merge_runs(vec![bytes], [&source, &target], folder.path(), |_, _| {});
        assert!(found.is_err());
    }
}
