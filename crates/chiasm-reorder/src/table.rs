//! The lexicalised model as Moses' reordering table: `source ||| target ||| probabilities`.
//!
//! `p(o_k | f̄, ē) = (count(f̄, ē, o_k) + s_k) / Σ_j (count(f̄, ē, o_j) + s_j)` (SPEC section 3).

use crate::Result;
use crate::name::TableName;
use chiasm_phrases::numbers::write_number;
use chiasm_phrases::{
    ClassSet, CountedPair, CountedPairs, Counts64, Direction, IndexedCorpus, Orientation,
    write_words,
};
use chiasm_text::TextOutput;
use std::path::Path;

/// What is added to the counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Smoothing {
    /// The same for every class (Moses: 0.5).
    Constant(f64),
    /// As much in all, shared out by how frequent the classes are in the whole corpus.
    ByCounts(f64),
}

impl Smoothing {
    /// What is added to each class, given the frequencies of the four orientations.
    pub fn per_class(self, classes: ClassSet, totals: &[u64; 4]) -> Vec<f64> {
        match self {
            Smoothing::Constant(amount) => vec![amount; classes.len()],
            Smoothing::ByCounts(amount) => {
                let counts = fold(classes, &totals.map(|count| count as f64));
                let all: f64 = counts.iter().sum();
                let mass = amount * classes.len() as f64;
                counts
                    .iter()
                    .map(|count| mass * count / all.max(1.0))
                    .collect()
            }
        }
    }
}

const ALL: [Orientation; 4] = [
    Orientation::Monotone,
    Orientation::Swap,
    Orientation::DiscontinuousLeft,
    Orientation::DiscontinuousRight,
];

/// Counts of the four orientations as counts of classes.
pub(crate) fn fold(classes: ClassSet, counts: &[f64; 4]) -> Vec<f64> {
    let mut folded = vec![0.0; classes.len()];
    for orientation in ALL {
        folded[classes.class(orientation)] += counts[orientation as usize];
    }
    folded
}

/// Writes the table of all pairs; returns how many lines.
pub fn write_table(
    name: TableName,
    smoothing: Smoothing,
    mut pairs: CountedPairs,
    corpus: &IndexedCorpus,
    path: &Path,
) -> Result<u64> {
    let mut output = TextOutput::create(path)?;
    let sides = Sides::new(name, smoothing, &pairs.totals);
    let (mut pair, mut lines) = (CountedPair::default(), 0);
    let mut text = Vec::new();
    while pairs.next(&mut pair)? {
        write_words(&pair.source, &corpus.source.vocabulary, &mut text);
        text.extend_from_slice(b"||| ");
        write_words(&pair.target, &corpus.target.vocabulary, &mut text);
        text.extend_from_slice(b"|||");
        sides.write(&pair, &mut text);
        text.push(b'\n');
        lines += 1;
        if text.len() > 1 << 16 {
            output.write_text(&text)?;
            text.clear();
        }
    }
    output.write_text(&text)?;
    output.finish()?;
    Ok(lines)
}

/// The smoothing of each direction that is written.
struct Sides {
    classes: ClassSet,
    sides: Vec<(Direction, Vec<f64>)>,
}

impl Sides {
    fn new(name: TableName, smoothing: Smoothing, totals: &Counts64) -> Self {
        let side = |direction| {
            (
                direction,
                smoothing.per_class(name.classes, totals.of(direction)),
            )
        };
        Sides {
            classes: name.classes,
            sides: name.directions.iter().map(side).collect(),
        }
    }

    fn write(&self, pair: &CountedPair, text: &mut Vec<u8>) {
        for (direction, smoothing) in &self.sides {
            let probabilities = smoothed(self.classes, pair.counts.of(*direction), smoothing);
            for probability in &probabilities[..smoothing.len()] {
                text.push(b' ');
                write_number(*probability, text);
            }
        }
    }
}

/// `p(o_k | f̄, ē)` of each class (the rest of the array is 0), from the counts of the four
/// orientations and what is added to each class.
pub fn smoothed(classes: ClassSet, counts: &[u32; 4], smoothing: &[f64]) -> [f64; 4] {
    let mut probabilities = [0.0; 4];
    for orientation in ALL {
        probabilities[classes.class(orientation)] += f64::from(counts[orientation as usize]);
    }
    for (probability, amount) in probabilities.iter_mut().zip(smoothing) {
        *probability += amount;
    }
    let sum: f64 = probabilities.iter().sum();
    probabilities.map(|probability| probability / sum)
}
