//! The search against the slow and obvious version: every order, every segmentation, every option.

use crate::configuration::{Feature, FeatureKind, ReorderingShape, SparseVocabularyShape};
use crate::configuration::{SearchAlgorithm, SearchSettings, Side, SparseShape};
use crate::decoder::{Decoder, Wanted};
use crate::describer::Describer;
use crate::input::Input;
use crate::learned::Learned;
use crate::model::LogLinear;
use crate::moses::{ImportOptions, import};
use crate::options::{PhraseCache, Request, SentenceOptions};
use crate::sparse::SparseVocabulary;
use crate::system::{Parts, System};
use crate::translation::Translation;
use chiasm_phrases::{ClassSet, Directions, OrientationKind, PhraseLink, Span};
use chiasm_reorder::{OrientationModel, Scratch, WordKey};
use chiasm_work::Progress;
use std::path::Path;
use std::sync::Arc;

struct Silent;

impl Progress for Silent {
    fn advance(&self, _: u64) {}
}

fn data() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

pub(super) fn system(name: &str) -> System {
    let ini = data().join(format!("{name}.ini"));
    import(&ini, &ImportOptions::default(), &Silent).unwrap()
}

/// The system with sparse features of every template, on word lists and classes.
fn with_sparse_features(system: System) -> System {
    let mut parts: Parts = system.into_parts();
    let shape = SparseShape {
        phrase: true,
        stack: true,
        between: true,
        vocabularies: vec![
            SparseVocabularyShape {
                name: "s".into(),
                side: Side::Source,
                is_classes: false,
            },
            SparseVocabularyShape {
                name: "t".into(),
                side: Side::Target,
                is_classes: true,
            },
        ],
    };
    for feature in &mut parts.configuration.features {
        if let FeatureKind::ReorderingTable(table) = &mut feature.kind {
            table.sparse = Some(shape.clone());
        }
    }
    let words: Vec<String> = (0..40).map(|number| format!("f{number}")).collect();
    let pairs = words.iter().map(|word| (word.as_str(), word.as_str()));
    let source = SparseVocabulary::new(pairs);
    let words: Vec<String> = (0..60).map(|number| format!("e{number}")).collect();
    let classes = words.iter().enumerate().map(|(number, word)| {
        let class = ["even", "odd"][number % 2];
        (word.as_str(), class)
    });
    let target = SparseVocabulary::new(classes);
    parts.sparse_vocabularies = vec![vec![source, target]];
    // Weights that are all over the place, by a hash of the feature's name.
    let mut weights = std::collections::BTreeMap::new();
    let labels: Vec<String> = (0..40).map(|number| format!("f{number}")).collect();
    for class in 0..4 {
        for template in ["phr", "stk"] {
            for position in ["src-first", "src-last"] {
                for label in &labels {
                    let name = format!("{template}-{position}-s-{label}-{class}");
                    weights.insert(format!("LexicalReordering0_{name}"), 0.0);
                }
            }
            for position in ["tgt-first", "tgt-last"] {
                for label in ["even", "odd"] {
                    let name = format!("{template}-{position}-t-cluster_{label}-{class}");
                    weights.insert(format!("LexicalReordering0_{name}"), 0.0);
                }
            }
        }
    }
    for class in 2..4 {
        for label in &labels {
            let name = format!("btn-src-first-s-{label}-{class}");
            weights.insert(format!("LexicalReordering0_{name}"), 0.0);
        }
    }
    for (number, weight) in weights.values_mut().enumerate() {
        *weight = ((number * 7919 % 101) as f32 - 50.0) / 100.0;
    }
    parts.sparse_weights = weights;
    System::new(parts).unwrap()
}

/// All derivations within the distortion limit, best first.
fn all_derivations(
    model: &LogLinear,
    options: &SentenceOptions,
    limit: Option<u16>,
    learned: Option<&Learned>,
) -> Vec<Translation> {
    let start = model.start(learned);
    let describer = Describer {
        model,
        options,
        start: &start,
        ends_sentence: true,
        learned,
    };
    let mut found = Vec::new();
    let mut covered = vec![false; options.source.len()];
    extend(
        &describer,
        limit,
        &mut covered,
        0,
        &mut Vec::new(),
        &mut found,
    );
    found.sort_by(|a: &Translation, b| b.score.total_cmp(&a.score));
    found
}

fn extend(
    describer: &Describer<'_>,
    limit: Option<u16>,
    covered: &mut Vec<bool>,
    last_end: u32,
    chosen: &mut Vec<u32>,
    found: &mut Vec<Translation>,
) {
    let Some(first_gap) = covered.iter().position(|&word| !word) else {
        found.push(describer.describe(chosen).unwrap());
        return;
    };
    for span_options in &describer.options.spans {
        let span: Span = span_options.span;
        let words = span.range();
        if covered[words.clone()].iter().any(|&word| word) {
            continue;
        }
        if let Some(limit) = limit {
            let back = span.end as usize - first_gap.min(span.end as usize);
            let leaves_gap = span.start as usize != first_gap;
            if span.start.abs_diff(last_end) > u32::from(limit)
                || leaves_gap && back > usize::from(limit)
            {
                continue;
            }
        }
        covered[words.clone()].fill(true);
        for option in span_options.first..span_options.end {
            chosen.push(option);
            extend(describer, limit, covered, span.end, chosen, found);
            chosen.pop();
        }
        covered[words].fill(false);
    }
}

pub(super) fn compare(system: System, sentence: &str, table_limit: usize, limit: Option<u16>) {
    compare_orders(system, sentence, table_limit, limit, (false, None));
}

/// Is the order of the source spans one of a binary tree? By trying every way to cut it in two.
fn is_binary(spans: &[Span]) -> bool {
    let is_block = |spans: &[Span]| {
        let start = spans.iter().map(|span| span.start).min().unwrap();
        let end = spans.iter().map(|span| span.end).max().unwrap();
        (end - start) as usize == spans.iter().map(|span| span.len()).sum::<usize>()
    };
    spans.len() == 1
        || (1..spans.len()).any(|cut| {
            let (first, second) = spans.split_at(cut);
            is_block(first) && is_block(second) && is_binary(first) && is_binary(second)
        })
}

pub(super) fn compare_orders(
    system: System,
    sentence: &str,
    table_limit: usize,
    limit: Option<u16>,
    (itg, learned): (bool, Option<Learned>),
) {
    let system = Arc::new(system);
    let model = LogLinear::new(system.clone(), &system.weights()).unwrap();
    let mut input = Input::from_line(sentence);
    input.learned = learned.map(Arc::new);
    let learned = input.learned.as_deref();
    let request = Request {
        learned,
        tokens: &input.tokens,
        constraints: &[],
        target: None,
        table_limit,
        unknown: crate::Unknown::Copy,
    };
    let mut options = SentenceOptions::default();
    options
        .collect(&model, &PhraseCache::new(1000), &request)
        .unwrap();
    let mut expected = all_derivations(&model, &options, limit, learned);
    if itg {
        expected.retain(|translation| {
            let spans: Vec<Span> = translation.phrases.iter().map(|use_| use_.source).collect();
            is_binary(&spans)
        });
    }
    let wanted = Wanted {
        count: 40,
        distinct: false,
    };
    for algorithm in [SearchAlgorithm::Stack, SearchAlgorithm::Cube] {
        let settings = SearchSettings {
            algorithm,
            stack: 1_000_000,
            pop_limit: 1_000_000,
            beam_threshold: 0.0,
            distortion_limit: limit,
            table_limit,
            window: 100,
            itg,
            ranked: 0,
            unknown: crate::Unknown::Copy,
        };
        let decoder = Decoder::with_weights(system.clone(), &system.weights(), settings).unwrap();
        let found = decoder.nbest(&input, wanted).unwrap();
        assert_eq!(found.len(), expected.len().min(40), "{sentence}");
        for (rank, (a, b)) in found.iter().zip(&expected).enumerate() {
            assert!(
                (a.score - b.score).abs() < 1e-3,
                "{sentence}, {algorithm:?}, rank {rank}: {} instead of {}",
                a.score,
                b.score
            );
        }
    }
}

const SENTENCES: [&str; 3] = ["f1 f3 zzz f2", "f11 f16 f38", "f32 f34 f33 f5"];

#[test]
fn finds_every_derivation_in_order_hier_mslr() {
    for sentence in SENTENCES {
        compare(system("hier-mslr"), sentence, 3, Some(2));
        compare(system("hier-mslr"), sentence, 3, None);
    }
}

#[test]
fn finds_every_derivation_in_order_word_msd() {
    for sentence in SENTENCES {
        compare(system("word-msd"), sentence, 3, None);
    }
}

#[test]
fn finds_every_derivation_in_order_with_sparse_features() {
    for sentence in SENTENCES {
        compare(with_sparse_features(system("hier-mslr")), sentence, 3, None);
    }
}

#[test]
fn finds_every_derivation_in_order_of_five_words() {
    compare(system("hier-msd"), "f37 f16 f5 f20 f22", 2, None);
}

#[test]
fn finds_every_derivation_of_binary_orders() {
    for name in ["hier-mslr", "word-msd"] {
        compare_orders(system(name), "f37 f16 f5 f20 f22", 1, None, (true, None));
        compare_orders(system(name), "f37 f16 f5 f20 f22", 1, Some(3), (true, None));
    }
}

/// What is written for Moses, and read back, translates as before: sparse features, search settings and all.
#[test]
fn an_export_read_back_is_the_same_system() {
    let folder = tempfile::tempdir().unwrap();
    let mut parts = with_sparse_features(system("hier-mslr")).into_parts();
    let search = SearchSettings {
        algorithm: SearchAlgorithm::Stack,
        stack: 50,
        pop_limit: 70,
        beam_threshold: 0.001,
        distortion_limit: Some(4),
        table_limit: 3,
        ..SearchSettings::default()
    };
    parts.configuration.search = search.clone();
    // Two lists of one name that are told apart by their sides.
    for feature in &mut parts.configuration.features {
        if let FeatureKind::ReorderingTable(shape) = &mut feature.kind {
            for set in &mut shape.sparse.as_mut().unwrap().vocabularies {
                set.name = "top-most".into();
            }
        }
    }
    let renamed = parts.sparse_weights.iter().map(|(name, weight)| {
        let name = name
            .replace("-s-", "-top-most-")
            .replace("-t-", "-top-most-");
        (name, *weight)
    });
    parts.sparse_weights = renamed.collect();
    let before = System::new(parts).unwrap();
    let file = folder.path().join("system");
    before.write(&file).unwrap();
    let options = crate::moses::ExportOptions::default();
    crate::moses::export(System::open(&file).unwrap(), folder.path(), &options).unwrap();
    let written = std::fs::read_to_string(folder.path().join("sparse-weights")).unwrap();
    assert!(written.contains("LexicalReordering0_phr-src-first-topmost-f1-0 "));
    assert!(written.contains("LexicalReordering0_stk-tgt-last-topmost-cluster_odd-3 "));
    let clusters = folder.path().join("sparse.0.clusters-target-topmost");
    let clusters = std::fs::read_to_string(clusters).unwrap();
    assert!(clusters.starts_with("e0\teven\ne1\todd\n"), "{clusters}");
    let ini = folder.path().join("moses.ini");
    let after = import(&ini, &ImportOptions::default(), &Silent).unwrap();
    assert_eq!(after.configuration().search, search);
    assert_eq!(after.weights().dense, before.weights().dense);
    assert_eq!(after.weights().sparse.len(), before.weights().sparse.len());
    let [before, after] = [before, after].map(|system| Decoder::new(Arc::new(system)).unwrap());
    let wanted = Wanted {
        count: 20,
        distinct: false,
    };
    let mut jumped = 0;
    for sentence in [
        "f1 f3 zzz f2 f11 f1 f1",
        "f11 f16 f38 f5",
        "f32 f34 f33 f5 f20",
    ] {
        let input = Input::from_line(sentence);
        let [a, b] = [&before, &after].map(|decoder| decoder.nbest(&input, wanted).unwrap());
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(&b) {
            assert_eq!((&a.words, &a.features), (&b.words, &b.features));
            assert_eq!(a.score, b.score);
            let values = |t: &Translation| t.sparse.iter().map(|s| s.1).collect::<Vec<_>>();
            assert_eq!(values(a), values(b));
            jumped += values(a).iter().filter(|&&value| value > 1.0).count();
        }
    }
    assert!(jumped > 0, "no feature counted twice");
}

#[test]
fn lines_that_are_not_text_are_passed_over_if_asked() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let ini = "[feature]\nUnknownWordPenalty\nPhraseDictionaryMemory name=TM0 num-features=1 path=table\n\
               [weight]\nTM0= 1\n";
    put("moses.ini", ini.as_bytes());
    put(
        "table",
        b"a ||| b ||| 0.5\n\xff ||| c ||| 0.5\nd ||| e\xfe ||| 0.5\nd ||| f ||| 0.5\n",
    );
    let ini = folder.path().join("moses.ini");
    let refused = import(&ini, &ImportOptions::default(), &Silent);
    let refused = refused.err().unwrap().to_string();
    assert!(refused.contains("table: line 2"), "{refused}");
    let options = ImportOptions {
        skip_bad_lines: true,
        ..ImportOptions::default()
    };
    let (system, passed_over) = crate::moses::import_counting(&ini, &options, &Silent).unwrap();
    assert_eq!((system.phrase_table().len(), passed_over), (2, 2));
}

/// Says something else of every phrase and class, whatever it is.
struct Arbitrary {
    kind: OrientationKind,
    classes: ClassSet,
    directions: Directions,
}

impl OrientationModel for Arbitrary {
    fn kind(&self) -> OrientationKind {
        self.kind
    }

    fn classes(&self) -> ClassSet {
        self.classes
    }

    fn directions(&self) -> Directions {
        self.directions
    }

    fn family(&self) -> &'static str {
        "arbitrary"
    }

    fn write_sections(&self, _: &mut chiasm_store::Writer) -> chiasm_reorder::Result<()> {
        Ok(())
    }

    fn source_word(&self, word: &str) -> WordKey {
        WordKey::of(word)
    }

    fn target_word(&self, word: &str) -> WordKey {
        WordKey::of(word)
    }

    fn log_probabilities(
        &self,
        _: &mut Scratch,
        span: Span,
        target: &[WordKey],
        _: &[PhraseLink],
        out: &mut [f32],
    ) -> bool {
        let phrase = span.start as usize * 7 + span.end as usize * 13 + target.len() * 5;
        for (class, score) in out.iter_mut().enumerate() {
            *score = -(((phrase + class * 31) * 7919 % 97) as f32) / 40.0;
        }
        true
    }
}

fn with_model(system: System, model: Arbitrary) -> System {
    let mut parts: Parts = system.into_parts();
    let shape = ReorderingShape::of_model(&model);
    parts.configuration.features.push(Feature {
        name: "Orientation0".into(),
        weights: (0..shape.columns())
            .map(|n| 0.2 + 0.05 * n as f32)
            .collect(),
        kind: FeatureKind::ReorderingModel(shape),
    });
    parts.reordering_models.push(Arc::new(model));
    parts.sparse_vocabularies.push(Vec::new());
    System::new(parts).unwrap()
}

#[test]
fn finds_every_derivation_in_order_with_distances_and_joins() {
    for kind in [OrientationKind::Word, OrientationKind::Hier] {
        for (classes, directions, itg) in [
            (ClassSet::Distance, Directions::Bidirectional, false),
            (ClassSet::StraightInverted, Directions::Backward, true),
            (ClassSet::StraightInverted, Directions::Forward, false),
        ] {
            let model = Arbitrary {
                kind,
                classes,
                directions,
            };
            let system = with_model(system("hier-mslr"), model);
            compare_orders(system, "f37 f16 f5 f20 f22", 1, None, (itg, None));
        }
    }
}
