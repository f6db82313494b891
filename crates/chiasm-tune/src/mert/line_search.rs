//! Exact line search (Och 2003, section 5): along weights + γ · direction, each sentence's chosen
//! translation changes at finitely many γ. All of them are visited in order, the counts follow,
//! and the interval with the best BLEU is found.

use super::columns::{Columns, Row, SentenceColumns};
use super::envelope::{Line, Segment, upper_envelope};
use crate::pool::corpus_bleu;
use chiasm_metrics::bleu::WIDTH;

/// Intervals narrower than this, relative to where they are, are no place for a weight.
const NARROWEST: f64 = 1e-6;

/// Where to go from a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Direction<'a> {
    /// Change the weight of one feature.
    Coordinate(usize),
    /// Change the weights in this proportion.
    Vector(&'a [f64]),
}

impl Direction<'_> {
    fn part(&self, feature: usize) -> f64 {
        match self {
            Direction::Coordinate(coordinate) => f64::from(u8::from(feature == *coordinate)),
            Direction::Vector(vector) => vector[feature],
        }
    }

    /// How far one may go from `point`, back and forth, until the weight of a penalty is 0.
    pub fn bounds(&self, point: &[f64], penalties: &[usize]) -> (f64, f64) {
        let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
        for &feature in penalties {
            let zero = -point[feature] / self.part(feature);
            match self.part(feature) {
                part if part > 0.0 => from = from.max(zero.min(0.0)),
                part if part < 0.0 => to = to.min(zero.max(0.0)),
                _ => {}
            }
        }
        (from, to)
    }
}

/// The best step along a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// How far; 0 if nothing is better than staying.
    pub gamma: f64,
    /// BLEU on the lists there.
    pub bleu: f64,
}

/// The chosen translation of one sentence changes.
#[derive(Debug, Clone, Copy)]
struct Change {
    gamma: f64,
    difference: Row,
}

/// What the choices of all sentences amount to, from γ = -∞ on.
#[derive(Debug, Default)]
pub struct Choices {
    sum: Row,
    changes: Vec<Change>,
}

impl Choices {
    fn clear(&mut self) {
        self.sum = [0; WIDTH];
        self.changes.clear();
    }

    /// Adds a sentence's envelope.
    pub fn add<'a>(&mut self, envelope: &[Segment], row: impl Fn(u32) -> &'a Row) {
        let Some((first, rest)) = envelope.split_first() else {
            return;
        };
        let mut current = row(first.line.entry);
        add(&mut self.sum, current);
        for segment in rest {
            let next = row(segment.line.entry);
            if next != current {
                self.changes.push(Change {
                    gamma: segment.start,
                    difference: std::array::from_fn(|i| next[i] - current[i]),
                });
                current = next;
            }
        }
    }

    /// The best γ within bounds that have 0 between them.
    pub fn best(&mut self, from: f64, to: f64) -> Step {
        // Changes at the same γ commute, so an unstable sort is as good as a stable one.
        self.changes
            .sort_unstable_by(|a, b| a.gamma.total_cmp(&b.gamma));
        sweep(self.sum, &self.changes, from, to)
    }
}

/// Memory that searches share.
#[derive(Debug, Default)]
pub struct Workspace {
    choices: Choices,
    envelope: Vec<Segment>,
    lines: Vec<Line>,
}

/// Finds the best step between `bounds`. `scores` are those of all entries at γ = 0.
pub fn search(
    columns: &Columns,
    scores: &[f64],
    direction: Direction<'_>,
    bounds: (f64, f64),
    workspace: &mut Workspace,
) -> Step {
    workspace.choices.clear();
    for (index, sentence) in columns.sentences().iter().enumerate() {
        let scores = &scores[columns.range(index)];
        envelope_of(sentence, scores, direction, workspace);
        workspace
            .choices
            .add(&workspace.envelope, |entry| sentence.row(entry));
    }
    workspace.choices.best(bounds.0, bounds.1)
}

fn envelope_of(
    sentence: &SentenceColumns,
    scores: &[f64],
    direction: Direction<'_>,
    workspace: &mut Workspace,
) {
    let flat = scores.iter().enumerate().map(|(entry, &intercept)| Line {
        slope: 0.0,
        intercept,
        entry: entry as u32,
    });
    match direction {
        Direction::Coordinate(feature) if sentence.is_constant(feature) => {
            upper_envelope(flat, &mut workspace.envelope);
        }
        Direction::Coordinate(feature) => {
            let column = sentence.column(feature);
            let sorted = sentence.order(feature).iter().map(|&entry| Line {
                slope: f64::from(column[entry as usize]),
                intercept: scores[entry as usize],
                entry,
            });
            upper_envelope(sorted, &mut workspace.envelope);
        }
        Direction::Vector(vector) => {
            let lines = &mut workspace.lines;
            lines.clear();
            lines.extend(flat);
            for (feature, &part) in vector.iter().enumerate() {
                if part != 0.0 && !sentence.is_constant(feature) {
                    for (line, &value) in lines.iter_mut().zip(sentence.column(feature)) {
                        line.slope += part * f64::from(value);
                    }
                }
            }
            sorted_envelope(lines, &mut workspace.envelope);
        }
    }
}

/// The envelope of lines in any order.
pub fn sorted_envelope(lines: &mut [Line], envelope: &mut Vec<Segment>) {
    let key = |a: &Line, b: &Line| a.slope.total_cmp(&b.slope).then(a.entry.cmp(&b.entry));
    lines.sort_unstable_by(key);
    upper_envelope(lines.iter().copied(), envelope);
}

fn add(sum: &mut Row, row: &Row) {
    for (sum, value) in sum.iter_mut().zip(row) {
        *sum += value;
    }
}

fn bleu(sum: &Row) -> f64 {
    corpus_bleu(&std::array::from_fn(|i| sum[i] as f64))
}

/// Visits the intervals between the bounds from left to right.
fn sweep(mut sum: Row, changes: &[Change], from: f64, to: f64) -> Step {
    let mut best = Step {
        gamma: 0.0,
        bleu: f64::NEG_INFINITY,
    };
    let mut staying = f64::NEG_INFINITY;
    let mut low = from;
    let mut next = 0;
    while next < changes.len() && changes[next].gamma <= from {
        add(&mut sum, &changes[next].difference);
        next += 1;
    }
    loop {
        let high = changes.get(next).map_or(to, |change| change.gamma.min(to));
        let here = bleu(&sum);
        if low <= 0.0 && (0.0 < high || high == to) {
            staying = here;
        }
        if here > best.bleu && high - low > NARROWEST * (1.0 + low.abs().min(high.abs())) {
            best = Step {
                gamma: inside(low, high),
                bleu: here,
            };
        }
        if next == changes.len() || high >= to {
            break;
        }
        while next < changes.len() && changes[next].gamma == high {
            add(&mut sum, &changes[next].difference);
            next += 1;
        }
        low = high;
    }
    if best.bleu > staying {
        best
    } else {
        Step {
            gamma: 0.0,
            bleu: staying,
        }
    }
}

/// A place in an interval: 0 if that is in, else the middle, else a little beyond the end.
fn inside(low: f64, high: f64) -> f64 {
    let beyond = |end: f64| 0.1 * (1.0 + end.abs());
    if low <= 0.0 && 0.0 < high {
        0.0
    } else if low.is_finite() && high.is_finite() {
        0.5 * (low + high)
    } else if low.is_finite() {
        low + beyond(low)
    } else {
        high - beyond(high)
    }
}
