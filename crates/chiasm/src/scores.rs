//! How good translations are.

use crate::Result;
use chiasm_metrics::bleu::Bleu;
use chiasm_metrics::{Chrf, Metric, Nist, References, Statistics, Ter};

/// Corpus scores as sacreBLEU and mteval-v13a count them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// BLEU, 0 to 100, on 13a tokens.
    pub bleu: f64,
    /// NIST.
    pub nist: f64,
    /// chrF, 0 to 100.
    pub chrf: f64,
    /// TER, 0 is best.
    pub ter: f64,
}

/// Scores translations against one or more sets of references.
pub fn score(hypotheses: &[String], references: Vec<Vec<String>>) -> Result<Scores> {
    let references = References::new(references)?;
    let corpus = |metric: &dyn Metric| -> Result<f64> {
        let counted = Statistics::collect(metric, hypotheses, &references)?;
        Ok(metric.score(&counted.sum()))
    };
    Ok(Scores {
        bleu: corpus(&Bleu::default())?,
        nist: corpus(&Nist::new(&references)?)?,
        chrf: corpus(&Chrf::default())?,
        ter: corpus(&Ter::default())?,
    })
}
