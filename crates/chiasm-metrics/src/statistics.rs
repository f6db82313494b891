//! A corpus as rows of numbers that add up.

use crate::{Error, Metric, Result};
use rayon::prelude::*;

/// One or more parallel sets of references.
#[derive(Debug, Clone)]
pub struct References {
    sets: Vec<Vec<String>>,
}

impl References {
    /// Checks that there are references and that all sets have as many lines as the first.
    pub fn new(sets: Vec<Vec<String>>) -> Result<Self> {
        let expected = sets.first().ok_or(Error::NoReferences)?.len();
        if expected == 0 {
            return Err(Error::NoSentences);
        }
        for (i, set) in sets.iter().enumerate() {
            check_length(&format!("reference set {}", i + 1), set.len(), expected)?;
        }
        Ok(References { sets })
    }

    /// How many references a sentence has.
    pub fn count(&self) -> usize {
        self.sets.len()
    }

    /// How many sentences there are.
    pub fn sentences(&self) -> usize {
        self.sets[0].len()
    }

    /// All references of sentence `i`.
    pub fn of(&self, i: usize) -> Vec<&str> {
        self.sets.iter().map(|set| set[i].as_str()).collect()
    }

    /// Every line of every set.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.sets.iter().flatten().map(String::as_str)
    }
}

fn check_length(what: &str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::LineCount {
        what: what.to_string(),
        found,
        expected,
    })
}

/// The rows of a corpus for one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    width: usize,
    values: Vec<f64>,
}

impl Statistics {
    /// Computes the rows of all sentences, on all threads.
    pub fn collect<M: Metric + ?Sized>(
        metric: &M,
        hypotheses: &[String],
        references: &References,
    ) -> Result<Self> {
        check_length(
            "the hypothesis set",
            hypotheses.len(),
            references.sentences(),
        )?;
        let width = metric.width();
        let mut values = vec![0.0; width * hypotheses.len()];
        let rows = values
            .par_chunks_exact_mut(width)
            .zip(hypotheses)
            .enumerate();
        rows.for_each(|(i, (row, hypothesis))| {
            metric.sentence(hypothesis, &references.of(i), row);
        });
        Ok(Statistics { width, values })
    }

    /// How many sentences there are.
    pub fn sentences(&self) -> usize {
        self.values.len() / self.width
    }

    /// Numbers a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The row of sentence `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.width..(i + 1) * self.width]
    }

    /// The sum of all rows.
    pub fn sum(&self) -> Vec<f64> {
        let mut sum = vec![0.0; self.width];
        for row in self.values.chunks_exact(self.width) {
            add(&mut sum, row);
        }
        sum
    }
}

/// Adds a row.
pub(crate) fn add(sum: &mut [f64], row: &[f64]) {
    for (sum, value) in sum.iter_mut().zip(row) {
        *sum += value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bleu;

    #[test]
    fn unequal_lengths_are_named() {
        let sets = vec![vec!["a".into(), "b".into()], vec!["a".into()]];
        let error = References::new(sets).unwrap_err().to_string();
        assert_eq!(
            error,
            "reference set 2 has 1 lines, 2 expected, as in the first references"
        );
        let references = References::new(vec![vec!["a".into(), "b".into()]]).unwrap();
        let error = Statistics::collect(&Bleu::default(), &["a".into()], &references).unwrap_err();
        assert!(matches!(
            error,
            Error::LineCount {
                found: 1,
                expected: 2,
                ..
            }
        ));
    }

    #[test]
    fn nothing_is_an_error() {
        assert_eq!(References::new(vec![]).unwrap_err(), Error::NoReferences);
        assert_eq!(
            References::new(vec![vec![]]).unwrap_err(),
            Error::NoSentences
        );
    }
}
