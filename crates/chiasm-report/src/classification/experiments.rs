//! Which tables and figures there are, in order, and how their models are trained.

use super::runner::{Corpus, Run, Runner};
use super::{interval, worked_example};
use chiasm_page::Item;

/// Everything that the measurements need.
pub struct Experiments<'a> {
    /// Runs commands.
    pub runner: Runner<'a>,
    /// What is learned from.
    pub training: Corpus,
    /// How many sentence pairs there were to learn from.
    pub total: u64,
    /// What is scored on.
    pub test: Corpus,
    /// Of the SVM.
    pub c: String,
    /// Of MaxEnt.
    pub sigma2: String,
    /// The relative gap at which training ends.
    pub gap: String,
    /// Fewer sets, sizes and repeats.
    pub quick: bool,
    /// The program and its version.
    pub made_by: String,
    /// The day.
    pub date: String,
}

/// What a measurement gives.
pub type Outcome<T> = crate::Result<T>;

impl Experiments<'_> {
    /// All tables and figures: what the papers show under the papers' names, then what only we look at.
    pub fn all(&mut self) -> Outcome<Vec<Item>> {
        let mut items = vec![Item::Table(self.facts()?)];
        items.push(Item::Heading(
            "Bayesian Reordering Model with Feature Selection (NB, 2014)".into(),
        ));
        items.push(Item::Table(self.naive_bayes_errors()?));
        items.push(Item::Table(self.naive_bayes_sizes()?));
        items.extend(self.selection()?);
        items.push(Item::Heading(
            "Large-scale Reordering Model using Dual Multinomial Logistic Regression (MLR, 2014)"
                .into(),
        ));
        items.push(Item::Table(worked_example::numbered()?));
        items.extend(self.dual_and_primal()?);
        items.push(Item::Heading(
            "Scalable Reordering Models based on Multiclass SVM (SVM, 2015)".into(),
        ));
        items.push(Item::Table(worked_example::feature_sets()));
        items.push(Item::Table(worked_example::in_sets()?));
        items.push(Item::Table(self.lexicalised_confusion()?));
        items.push(Item::Table(self.maxent_sets()?));
        items.push(Item::Table(self.svm_sets()?));
        items.push(Item::Figure(self.active_pairs()?));
        items.extend(self.growth()?);
        items.push(Item::Table(self.parameters()?));
        items.push(Item::Heading("What they claim, tested here".into()));
        let (equal_loss, at_equal_loss) = self.equal_loss()?;
        let mut claims = self.claims()?;
        claims.push(at_equal_loss);
        items.push(Item::Claims(claims));
        items.push(Item::Table(equal_loss));
        items.push(Item::Heading("Beyond the papers".into()));
        items.push(Item::Table(self.all_learners()?));
        items.push(Item::Table(self.beyond()?));
        items.push(Item::Table(self.additions()?));
        items.push(Item::Table(self.certificates()?));
        Ok(items)
    }

    /// Trains and scores a model.
    pub fn run(&mut self, options: &[&str]) -> Outcome<Run> {
        let (training, test) = (self.training.clone(), self.test.clone());
        self.runner.train(&training, &test, options)
    }

    /// The baseline.
    pub fn lexicalised(&mut self) -> Outcome<Run> {
        self.run(&["--learner", "lexicalised"])
    }

    /// The SVM with a feature set.
    pub fn svm(&mut self, set: &str) -> Outcome<Run> {
        let options = self.svm_options(set);
        self.run(&as_texts(&options))
    }

    /// MaxEnt with a feature set, by a method.
    pub fn maxent(&mut self, set: &str, learner: &str) -> Outcome<Run> {
        let options = self.maxent_options(set, learner);
        self.run(&as_texts(&options))
    }

    /// Replaces `auto` by what it chooses for S7, so that all sets and sizes are compared with one
    /// strength.
    pub fn settle_strengths(&mut self) -> Outcome<()> {
        if self.c == "auto" {
            self.c = chosen(&self.svm("S7")?);
        }
        if self.sigma2 == "auto" {
            self.sigma2 = chosen(&self.maxent("S7", "dual")?);
        }
        Ok(())
    }

    /// The feature sets that are looked at.
    pub fn sets(&self) -> Vec<usize> {
        if self.quick {
            vec![3, 4, 7, 9]
        } else {
            (1..=15).collect()
        }
    }

    /// What `svm` trains with.
    pub fn svm_options(&self, set: &str) -> Vec<String> {
        self.svm_options_with(set, &self.c)
    }

    /// The same with another strength.
    pub fn svm_options_with(&self, set: &str, c: &str) -> Vec<String> {
        strings(&[
            "--features",
            set,
            "--learner",
            "svm",
            "--c",
            c,
            "--gap",
            &self.gap,
        ])
    }

    /// What `maxent` trains with.
    pub fn maxent_options(&self, set: &str, learner: &str) -> Vec<String> {
        strings(&[
            "--features",
            set,
            "--learner",
            learner,
            "--sigma2",
            &self.sigma2,
            "--gap",
            &self.gap,
        ])
    }
}

/// The strength that a run took.
fn chosen(run: &Run) -> String {
    run.training("strength").to_string()
}

/// Options as a command takes them.
pub fn as_texts(options: &[String]) -> Vec<&str> {
    options.iter().map(String::as_str).collect()
}

/// Owned texts.
pub fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

/// Processor time of training, and of the whole command.
pub fn seconds(run: &Run) -> String {
    format!(
        "{:.1} ({:.1})",
        run.training("cpu_seconds"),
        run.total_seconds
    )
}

/// Accuracy in per cent and the interval it lies in.
pub fn accuracy(run: &Run) -> String {
    match interval::accuracy(&run.sentences) {
        Some(interval) => format!(
            "{:.2} [{:.2}, {:.2}]",
            run.accuracy(),
            interval.low,
            interval.high
        ),
        None => format!("{:.2}", run.accuracy()),
    }
}

/// Error in per cent and the interval it lies in.
pub fn error(run: &Run) -> String {
    match interval::accuracy(&run.sentences) {
        Some(interval) => format!(
            "{:.2} [{:.2}, {:.2}]",
            run.error(),
            100.0 - interval.high,
            100.0 - interval.low
        ),
        None => format!("{:.2}", run.error()),
    }
}

/// By how much the error of a run is below that of another, in points.
pub fn gain(run: &Run, over: &Run) -> String {
    interval::difference(&run.sentences, &over.sentences)
        .map_or(String::new(), interval::Interval::shown)
}

/// A size in MB.
pub fn megabytes(bytes: f64) -> String {
    format!("{:.0}", bytes / 1e6)
}
