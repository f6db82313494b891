//! From counts of orientations to class probabilities, the columns of every lexicalised table.
//!
//! `p(o_k | f̄, ē) = (count(f̄, ē, o_k) + s_k) / Σ_j (count(f̄, ē, o_j) + s_j)` (SPEC section 3).

use chiasm_phrases::{ClassSet, Counts, Counts64, Direction, Directions, Orientation};

/// What is added to the counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Smoothing {
    /// The same for every class (Moses: 0.5).
    Constant(f64),
    /// As much in all, shared out by how frequent the classes are in the whole corpus.
    ByCounts(f64),
}

impl Smoothing {
    /// What is added to each class, given the frequencies of the classes.
    fn per_class(self, frequencies: &[f64]) -> Vec<f64> {
        match self {
            Smoothing::Constant(amount) => vec![amount; frequencies.len()],
            Smoothing::ByCounts(amount) => {
                let all: f64 = frequencies.iter().sum();
                let mass = amount * frequencies.len() as f64;
                let share = |count: &f64| mass * count / all.max(1.0);
                frequencies.iter().map(share).collect()
            }
        }
    }
}

/// The smoothed class probabilities of phrase pairs: a column a class, backward before forward.
#[derive(Clone, Debug)]
pub struct OrientationColumns {
    classes: ClassSet,
    sides: Vec<Side>,
}

#[derive(Clone, Debug)]
struct Side {
    direction: Direction,
    /// How often each class occurs in the corpus.
    frequencies: Vec<f64>,
    /// What is added to each class.
    added: Vec<f64>,
}

impl OrientationColumns {
    /// Columns for a corpus with these counts; classes are those [of tables](ClassSet::is_of_tables).
    pub fn new(
        classes: ClassSet,
        directions: Directions,
        smoothing: Smoothing,
        totals: &Counts64,
    ) -> Self {
        let side = |direction| {
            let counts = totals.of(direction).map(|count| count as f64);
            let folded = fold(classes, &counts);
            let frequencies = folded[..classes.len().min(4)].to_vec();
            Side {
                direction,
                added: smoothing.per_class(&frequencies),
                frequencies,
            }
        };
        OrientationColumns {
            classes,
            sides: directions.iter().map(side).collect(),
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.classes.len() * self.sides.len()
    }

    /// Never.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The probabilities of one phrase pair.
    pub fn probabilities(&self, counts: &Counts) -> impl Iterator<Item = f64> {
        self.sides.iter().flat_map(|side| {
            let counts = counts.of(side.direction).map(f64::from);
            let mut smoothed = fold(self.classes, &counts);
            for (count, amount) in smoothed.iter_mut().zip(&side.added) {
                *count += amount;
            }
            shares(smoothed).into_iter().take(self.classes.len())
        })
    }

    /// Their natural logarithms, as decoders store them.
    pub fn logarithms(&self, counts: &Counts) -> impl Iterator<Item = f32> {
        self.probabilities(counts)
            .map(|probability| probability.ln() as f32)
    }

    /// The logarithms of how frequent the classes are, for a pair that was never seen.
    pub fn prior(&self) -> Vec<f32> {
        let sides = self.sides.iter();
        sides
            .flat_map(|side| {
                let all: f64 = side.frequencies.iter().sum();
                let logarithm = move |count: &f64| (count / all).ln() as f32;
                side.frequencies.iter().map(logarithm)
            })
            .collect()
    }
}

/// Counts of the four orientations as counts of classes; the rest of the array is 0.
fn fold(classes: ClassSet, counts: &[f64; 4]) -> [f64; 4] {
    use Orientation::{DiscontinuousLeft, DiscontinuousRight, Monotone, Swap};
    let mut folded = [0.0; 4];
    for orientation in [Monotone, Swap, DiscontinuousLeft, DiscontinuousRight] {
        let class = classes.class(orientation);
        if let Some(sum) = class.and_then(|class| folded.get_mut(class)) {
            *sum += counts[orientation as usize];
        }
    }
    folded
}

fn shares(counts: [f64; 4]) -> [f64; 4] {
    let sum: f64 = counts.iter().sum();
    counts.map(|count| count / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOTALS: Counts64 = Counts64 {
        total: 8,
        backward: [4, 2, 1, 1],
        forward: [8, 0, 0, 0],
    };

    fn one_swap() -> Counts {
        Counts::one(Orientation::Swap, Orientation::Monotone)
    }

    #[test]
    fn every_class_gets_the_same_or_its_share() {
        let columns = |smoothing| {
            OrientationColumns::new(ClassSet::Msd, Directions::Backward, smoothing, &TOTALS)
        };
        let constant = columns(Smoothing::Constant(0.5));
        let found: Vec<f64> = constant.probabilities(&one_swap()).collect();
        assert_eq!(found, [0.2, 0.6, 0.2]);
        let shared = columns(Smoothing::ByCounts(0.5));
        let found: Vec<f64> = shared.probabilities(&one_swap()).collect();
        assert_eq!(found, [0.75 / 2.5, 1.375 / 2.5, 0.375 / 2.5]);
    }

    #[test]
    fn backward_columns_come_first_and_the_prior_is_not_smoothed() {
        let columns = OrientationColumns::new(
            ClassSet::LeftRight,
            Directions::Bidirectional,
            Smoothing::Constant(0.5),
            &TOTALS,
        );
        let found: Vec<f64> = columns.probabilities(&one_swap()).collect();
        assert_eq!(found, [0.25, 0.75, 0.75, 0.25]);
        assert_eq!(columns.len(), found.len());
        let prior: Vec<f32> = columns.prior().iter().map(|l| l.exp()).collect();
        assert_eq!(prior, [0.625, 0.375, 1.0, 0.0]);
    }
}
