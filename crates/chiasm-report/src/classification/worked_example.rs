//! The papers' worked example and the feature sets: MLR Table 1, SVM Tables 2 and 3.

use super::experiments::{Outcome, strings};
use crate::Error;
use chiasm_page::Table;
use chiasm_phrases::{PhraseLink, Span};
use chiasm_reorder::FeatureSet;
use chiasm_reorder::features::ContextMarks;
use chiasm_reorder::spelling::{Words, spell_all};

const SOURCE: [&str; 6] = ["f1", "f2", "f3", "f4", "f5", "f6"];
const TARGET: [&str; 5] = ["e1", "e2", "e3", "e4", "e5"];

/// A phrase pair of the example: its spans, links within it, and orientation.
struct ExamplePair {
    source: Span,
    target: Span,
    links: &'static [(u8, u8)],
    orientation: &'static str,
}

const PAIRS: [ExamplePair; 3] = [
    ExamplePair {
        source: Span::new(0, 2),
        target: Span::new(0, 1),
        links: &[(0, 0), (1, 0)],
        orientation: "monotone",
    },
    ExamplePair {
        source: Span::new(5, 6),
        target: Span::new(1, 3),
        links: &[(0, 0), (0, 1)],
        orientation: "discontinuous",
    },
    ExamplePair {
        source: Span::new(2, 5),
        target: Span::new(3, 5),
        links: &[(0, 1), (2, 0)],
        orientation: "swap",
    },
];

impl ExamplePair {
    fn phrases(&self) -> String {
        let source = SOURCE[self.source.range()].join(" ");
        format!("{source} | {}", TARGET[self.target.range()].join(" "))
    }

    fn features(&self, set: &FeatureSet) -> Vec<String> {
        let words = Words {
            source: &SOURCE,
            target: &TARGET[self.target.range()],
        };
        let links: Vec<PhraseLink> = self.links.iter().map(|&link| link.into()).collect();
        spell_all(
            set,
            self.source,
            SOURCE.len(),
            self.target.len(),
            &links,
            &words,
        )
    }
}

fn set(name: &str) -> Outcome<FeatureSet> {
    name.parse().map_err(Error::Request)
}

/// MLR Table 1: every feature of the example numbered as it first comes, context without marks or edges.
pub fn numbered() -> Outcome<Table> {
    let mut features = set("S7")?;
    features.marks = ContextMarks::None;
    features.edges = false;
    let mut known: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for pair in &PAIRS {
        let mut shown = Vec::new();
        for feature in pair.features(&features) {
            let at = known.iter().position(|other| *other == feature);
            let number = at.unwrap_or_else(|| {
                known.push(feature.clone());
                known.len() - 1
            });
            shown.push(format!("φ{} = {feature}", number + 1));
        }
        rows.push(vec![
            pair.phrases(),
            pair.orientation.into(),
            shown.join(", "),
        ]);
    }
    Ok(Table {
        title: "MLR Table 1: the worked example, all features numbered".into(),
        note: "Source f1 … f6, target e1 … e5. As the paper prints it: words beside the phrase without marks of side and \
               distance, nothing beyond the sentence."
            .into(),
        columns: strings(&["phrase pair", "orientation", "features"]),
        rows,
        commands: Vec::new(),
    })
}

/// SVM Table 2: what the fifteen sets are made of.
pub fn feature_sets() -> Table {
    let parts = [
        ("all words", "none", "1"),
        ("boundary words", "none", "1"),
        ("alignments", "none", "1"),
        ("boundary words", "1 word", "1"),
        ("boundary words", "1 word", "2"),
        ("boundary words", "1 word", "up to 2"),
        ("alignments", "1 word", "1"),
        ("alignments", "1 word", "2"),
        ("alignments", "1 word", "up to 2"),
        ("boundary words", "3 words", "1"),
        ("boundary words", "3 words", "2"),
        ("boundary words", "3 words", "up to 2"),
        ("alignments", "3 words", "1"),
        ("alignments", "3 words", "2"),
        ("alignments", "3 words", "up to 2"),
    ];
    let row = |(at, (phrase, context, degree)): (usize, &(&str, &str, &str))| {
        vec![
            format!("S{}", at + 1),
            (*phrase).into(),
            (*context).into(),
            (*degree).into(),
        ]
    };
    Table {
        title: "SVM Table 2: the fifteen feature sets".into(),
        note: "Context: source words before and after the phrase; degree: of the ANOVA products."
            .into(),
        columns: strings(&["set", "of the phrase pair", "context", "degree"]),
        rows: parts.iter().enumerate().map(row).collect(),
        commands: Vec::new(),
    }
}

/// SVM Table 3: the features of one phrase pair of the example in S1 to S7.
pub fn in_sets() -> Outcome<Table> {
    let pair = &PAIRS[2];
    let mut rows = Vec::new();
    for number in 1..=7 {
        let name = format!("S{number}");
        let features = pair.features(&set(&name)?);
        rows.push(vec![name, features.len().to_string(), features.join(", ")]);
    }
    Ok(Table {
        title: format!("SVM Table 3: features of {}", pair.phrases()),
        note: "The paper prints 13 of the 15 products of S5.".into(),
        columns: strings(&["set", "features", "which"]),
        rows,
        commands: Vec::new(),
    })
}
