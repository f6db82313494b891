//! Naive Bayes, MAP and fully Bayesian (NB eq. 5-13): one pass, closed form.
//!
//! The class prior is p(o_k) = N_k / N and the likelihood multinomial, with c_km = Σ_n φ_m over the
//! examples of class k:
//! - MAP (eq. 9): q_km = (α-1+c_km) / (M(α-1) + Σ_m' c_km'), α > 1;
//! - Bayesian (eq. 13): with α_km = α + c_km,
//!   p(φ|o_k) ∝ Γ(Σ_m α_km) / Γ(Σ_m α_km + Σ_m φ_m) · Π_m Γ(α_km + φ_m) / Γ(α_km).
//!
//! The counts are the model: two models of the same kind add up to the model of both corpora, and
//! a model learns more examples by adding their counts.

mod alpha;

pub use alpha::{AlphaChoice, AlphaTrial, alphas_tried, choose_alpha};

use crate::learner::Trained;
use crate::report::Stopwatch;
use crate::{Error, Examples, Learner, Model, Report, Result, Row};
use chiasm_store::{Array, Sections, Writer};
use chiasm_work::Progress;
use std::collections::BTreeMap;

/// Which estimate the likelihood uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// The most probable parameters.
    Map,
    /// Averaged over all parameters.
    Bayesian,
}

impl Variant {
    /// α must be above this.
    fn least_alpha(self) -> f64 {
        match self {
            Variant::Map => 1.0,
            Variant::Bayesian => 0.0,
        }
    }
}

/// Parameters, unchecked.
#[derive(Clone, Debug)]
pub struct NaiveBayesParameters {
    variant: Variant,
    alpha: f64,
}

impl NaiveBayesParameters {
    /// α = 1.1.
    pub fn new(variant: Variant) -> Self {
        NaiveBayesParameters {
            variant,
            alpha: 1.1,
        }
    }

    /// The Dirichlet prior's parameter: above 1 for MAP, above 0 for Bayesian.
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.alpha = alpha;
        self
    }

    /// A learner with these parameters, if they make sense.
    pub fn check(self) -> Result<NaiveBayesLearner> {
        let least = self.variant.least_alpha();
        if !self.alpha.is_finite() || self.alpha <= least {
            let reason = format!("a number above {least} expected, {} found", self.alpha);
            return Err(Error::parameter("alpha", reason));
        }
        Ok(NaiveBayesLearner {
            variant: self.variant,
            alpha: self.alpha,
        })
    }
}

/// Counts features and classes.
#[derive(Clone, Debug)]
pub struct NaiveBayesLearner {
    variant: Variant,
    alpha: f64,
}

impl Learner for NaiveBayesLearner {
    fn name(&self) -> &'static str {
        match self.variant {
            Variant::Map => "nb-map",
            Variant::Bayesian => "nb-bayes",
        }
    }

    fn train(&self, examples: &Examples, progress: &dyn Progress) -> Result<Trained> {
        let watch = Stopwatch::start();
        examples.check_learnable()?;
        let model = NaiveBayes::count(examples, self.variant, self.alpha)?;
        progress.advance(1);
        let mut report = Report {
            parameters: model.parameters(),
            iterations: 1,
            active_share: vec![1.0],
            converged: true,
            ..Report::of(self.name(), examples)
        };
        watch.stop(&mut report);
        let model = Model::naive_bayes(examples.class_names().to_vec(), model);
        let model = model.with_report(report.clone());
        Ok(Trained { model, report })
    }
}

#[derive(Clone, Debug)]
enum Counts {
    Whole(Array<u32>),
    Broken(Array<f64>),
}

/// The counts of a corpus and how to read them.
#[derive(Clone, Debug)]
pub struct NaiveBayes {
    variant: Variant,
    alpha: f64,
    feature_ids: Array<u32>,
    /// c_km at `feature * classes + class`.
    counts: Counts,
    /// N_k.
    class_weights: Vec<f64>,
    /// Σ_m c_km.
    class_totals: Vec<f64>,
}

impl NaiveBayes {
    fn count(examples: &Examples, variant: Variant, alpha: f64) -> Result<Self> {
        let classes = examples.classes();
        let mut counts = vec![0.0; examples.features() * classes];
        let mut totals = vec![0.0; classes];
        for index in examples.scan() {
            let row = examples.row(index);
            if row.values.iter().any(|&value| value < 0.0) {
                let reason = "naive Bayes counts features: values must not be below zero";
                return Err(Error::Examples(reason.into()));
            }
            for pair in examples.pairs_of(index) {
                let (class, weight) = (examples.pair_class(pair), examples.pair_weight(pair));
                for (position, &feature) in row.features.iter().enumerate() {
                    let value = row.values.get(position).copied().unwrap_or(1.0);
                    counts[feature as usize * classes + class] += weight * value;
                }
                totals[class] += weight * row.total();
            }
        }
        Ok(Self::assemble(
            variant,
            alpha,
            examples.feature_ids(),
            &counts,
            examples.class_weights(),
            totals,
        ))
    }

    /// Sorts the features by identity and leaves out those without counts.
    fn assemble(
        variant: Variant,
        alpha: f64,
        ids: &[u32],
        counts: &[f64],
        class_weights: Vec<f64>,
        class_totals: Vec<f64>,
    ) -> Self {
        let classes = class_weights.len();
        let row = |feature: usize| &counts[feature * classes..(feature + 1) * classes];
        let mut kept: Vec<usize> = (0..ids.len())
            .filter(|&feature| row(feature).iter().any(|&count| count != 0.0))
            .collect();
        kept.sort_unstable_by_key(|&feature| ids[feature]);
        let whole = |count: f64| count.fract() == 0.0 && count <= f64::from(u32::MAX);
        let sorted = kept
            .iter()
            .flat_map(|&feature| row(feature).iter().copied());
        let counts = if sorted.clone().all(whole) {
            Counts::Whole(sorted.map(|count| count as u32).collect::<Vec<_>>().into())
        } else {
            Counts::Broken(sorted.collect::<Vec<_>>().into())
        };
        NaiveBayes {
            variant,
            alpha,
            feature_ids: kept.iter().map(|&f| ids[f]).collect::<Vec<_>>().into(),
            counts,
            class_weights,
            class_totals,
        }
    }

    /// From counts kept elsewhere: c_km at `feature * classes + class`, features by their identities
    /// in any order, all different; N_k.
    pub fn from_counts(
        variant: Variant,
        alpha: f64,
        ids: &[u32],
        counts: &[f64],
        class_weights: Vec<f64>,
    ) -> Result<Self> {
        let classes = class_weights.len();
        if counts.len() != ids.len() * classes {
            let reason = "a count for each feature and class expected".to_string();
            return Err(Error::Mismatch(reason));
        }
        NaiveBayesParameters::new(variant).alpha(alpha).check()?;
        let mut totals = vec![0.0; classes];
        for row in counts.chunks_exact(classes) {
            for (total, count) in totals.iter_mut().zip(row) {
                *total += count;
            }
        }
        Ok(Self::assemble(
            variant,
            alpha,
            ids,
            counts,
            class_weights,
            totals,
        ))
    }

    /// The Dirichlet prior's parameter.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// MAP or Bayesian.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Identities of the features, in increasing order; a feature's number is its place here.
    pub fn feature_ids(&self) -> &[u32] {
        &self.feature_ids
    }

    /// How many counts are not zero.
    pub fn parameters(&self) -> u64 {
        let all = 0..self.feature_ids.len() * self.class_weights.len();
        all.filter(|&at| self.count_at(at) != 0.0).count() as u64
    }

    /// N_k: how many examples of each class there were.
    pub fn class_weights(&self) -> &[f64] {
        &self.class_weights
    }

    /// c_km, by the feature's number.
    pub fn feature_count(&self, feature: u32, class: usize) -> f64 {
        self.count_at(feature as usize * self.class_weights.len() + class)
    }

    #[inline(always)]
    fn count_at(&self, at: usize) -> f64 {
        match &self.counts {
            Counts::Whole(counts) => f64::from(counts[at]),
            Counts::Broken(counts) => counts[at],
        }
    }

    /// log p(o_k) + log p(φ|o_k) but for a constant; features are numbers of this model.
    pub fn scores(&self, row: Row, scores: &mut [f64]) {
        let total: f64 = self.class_weights.iter().sum();
        for (class, score) in scores.iter_mut().enumerate() {
            *score = (self.class_weights[class] / total).ln();
            *score += match self.variant {
                Variant::Map => self.log_likelihood_map(row, class),
                Variant::Bayesian => self.log_likelihood_bayesian(row, class),
            };
        }
    }

    fn log_likelihood_map(&self, row: Row, class: usize) -> f64 {
        let pseudo = self.alpha - 1.0;
        let total = self.feature_ids.len() as f64 * pseudo + self.class_totals[class];
        let one = |(feature, value): (u32, f64)| {
            value * ((pseudo + self.feature_count(feature, class)) / total).ln()
        };
        row.entries().map(one).sum()
    }

    fn log_likelihood_bayesian(&self, row: Row, class: usize) -> f64 {
        let total = self.feature_ids.len() as f64 * self.alpha + self.class_totals[class];
        let one = |(feature, value): (u32, f64)| {
            log_gamma_ratio(self.alpha + self.feature_count(feature, class), value)
        };
        row.entries().map(one).sum::<f64>() - log_gamma_ratio(total, row.total())
    }

    /// The linear form of a MAP model: bias log p(o_k), weights log q_km, `weights[feature * K + k]`.
    pub fn log_parameters(&self) -> (Vec<f64>, Vec<f64>) {
        let classes = self.class_weights.len();
        let total: f64 = self.class_weights.iter().sum();
        let bias = self
            .class_weights
            .iter()
            .map(|w| (w / total).ln())
            .collect();
        let mut weights = Vec::with_capacity(self.feature_ids.len() * classes);
        for feature in 0..self.feature_ids.len() as u32 {
            let row = [feature];
            weights.extend((0..classes).map(|k| self.log_likelihood_map(Row::of(&row), k)));
        }
        (bias, weights)
    }

    /// The model of both corpora; features are told apart by their identities.
    pub fn merged(&self, other: &NaiveBayes) -> Result<NaiveBayes> {
        if self.variant != other.variant || self.alpha != other.alpha {
            let reason = "the two models differ in variant or alpha and do not add up";
            return Err(Error::Mismatch(reason.into()));
        }
        if self.class_weights.len() != other.class_weights.len() {
            let reason = "the two models differ in their classes and do not add up";
            return Err(Error::Mismatch(reason.into()));
        }
        let classes = self.class_weights.len();
        let mut union: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for model in [self, other] {
            for (feature, &id) in model.feature_ids.iter().enumerate() {
                let sums = union.entry(id).or_insert_with(|| vec![0.0; classes]);
                for (class, sum) in sums.iter_mut().enumerate() {
                    *sum += model.feature_count(feature as u32, class);
                }
            }
        }
        let ids: Vec<u32> = union.keys().copied().collect();
        let counts: Vec<f64> = union.into_values().flatten().collect();
        let add = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect();
        Ok(Self::assemble(
            self.variant,
            self.alpha,
            &ids,
            &counts,
            add(&self.class_weights, &other.class_weights),
            add(&self.class_totals, &other.class_totals),
        ))
    }

    /// The model after it has seen more examples of the same classes.
    pub fn updated(&self, examples: &Examples) -> Result<NaiveBayes> {
        self.merged(&Self::count(examples, self.variant, self.alpha)?)
    }

    /// The same counts under other identities: `rename` gives each old one its new one, all
    /// different. For corpora whose dictionaries number the same features differently.
    pub fn renamed(&self, rename: impl Fn(u32) -> u32) -> NaiveBayes {
        let ids: Vec<u32> = self.feature_ids.iter().map(|&id| rename(id)).collect();
        let all = 0..ids.len() * self.class_weights.len();
        let counts: Vec<f64> = all.map(|at| self.count_at(at)).collect();
        let (weights, totals) = (self.class_weights.clone(), self.class_totals.clone());
        Self::assemble(self.variant, self.alpha, &ids, &counts, weights, totals)
    }

    pub(crate) fn write(&self, writer: &mut Writer) -> Result<()> {
        let variant = match self.variant {
            Variant::Map => "map",
            Variant::Bayesian => "bayesian",
        };
        writer.bytes("variant", variant.as_bytes())?;
        writer.array("alpha", &[self.alpha])?;
        writer.array("feature-ids", &self.feature_ids)?;
        writer.array("class-weights", &self.class_weights)?;
        writer.array("class-totals", &self.class_totals)?;
        match &self.counts {
            Counts::Whole(counts) => writer.array("counts-32", counts)?,
            Counts::Broken(counts) => writer.array("counts-64", counts)?,
        }
        Ok(())
    }

    pub(crate) fn read(sections: &Sections, classes: usize) -> Result<Self> {
        let variant = match sections.text("variant")? {
            "map" => Variant::Map,
            "bayesian" => Variant::Bayesian,
            _ => {
                return Err(sections
                    .corrupt("variant", "map or bayesian expected")
                    .into());
            }
        };
        let (name, counts, length) = if sections.contains("counts-32") {
            let counts: Array<u32> = sections.array("counts-32")?;
            let length = counts.len();
            ("counts-32", Counts::Whole(counts), length)
        } else {
            let counts: Array<f64> = sections.array("counts-64")?;
            let length = counts.len();
            ("counts-64", Counts::Broken(counts), length)
        };
        let alpha = sections.array::<f64>("alpha")?;
        let &[alpha] = &alpha[..] else {
            return Err(sections.corrupt("alpha", "one number expected").into());
        };
        let model = NaiveBayes {
            variant,
            alpha,
            feature_ids: sections.array("feature-ids")?,
            counts,
            class_weights: sections.array("class-weights")?.to_vec(),
            class_totals: sections.array("class-totals")?.to_vec(),
        };
        if !model.feature_ids.windows(2).all(|pair| pair[0] < pair[1]) {
            return Err(sections
                .corrupt("feature-ids", "is not in increasing order")
                .into());
        }
        if model.class_weights.len() != classes || model.class_totals.len() != classes {
            return Err(sections
                .corrupt("class-weights", "is not as long as the classes")
                .into());
        }
        if length != model.feature_ids.len() * classes {
            let reason = "does not hold a count for each feature and class";
            return Err(sections.corrupt(name, reason).into());
        }
        Ok(model)
    }
}

/// log Γ(start + count) / Γ(start). Small whole counts, nearly all, are a product; the difference of
/// two large logarithms would lose digits.
fn log_gamma_ratio(start: f64, count: f64) -> f64 {
    if count.fract() != 0.0 || count > 1000.0 {
        return libm::lgamma(start + count) - libm::lgamma(start);
    }
    let mut product = 1.0;
    let mut sum = 0.0;
    for step in 0..count as u64 {
        product *= start + step as f64;
        if product > 1e250 {
            sum += product.ln();
            product = 1.0;
        }
    }
    sum + product.ln()
}
