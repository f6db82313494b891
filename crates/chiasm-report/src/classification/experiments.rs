//! Which tables and figures there are, in order, and how their models are trained.

use crate::classification::runner::{Corpus, Run, Runner};
use crate::page::Item;

/// Everything that the measurements need.
pub struct Experiments<'a> {
    /// Runs commands.
    pub runner: Runner<'a>,
    /// What is learned from.
    pub training: Corpus,
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
}

/// What a measurement gives.
pub type Outcome<T> = crate::Result<T>;

impl Experiments<'_> {
    /// All tables and figures.
    pub fn all(&mut self) -> Outcome<Vec<Item>> {
        let mut items = Vec::new();
        items.push(Item::Heading("Feature sets (SVM, Tables 4 to 7)".into()));
        items.extend(self.feature_sets()?);
        items.push(Item::Table(self.maxent_beside_svm()?));
        items.extend(self.growth()?);
        items.push(Item::Heading("Beyond the papers".into()));
        items.push(Item::Table(self.beyond()?));
        items.push(Item::Heading(
            "Naive Bayes (NB, Tables 3 and 5, Figures 1 and 2)".into(),
        ));
        items.push(Item::Table(self.repeats()?));
        items.push(Item::Table(self.sizes()?));
        items.extend(self.selection()?);
        items.push(Item::Heading(
            "Multinomial logistic regression (MLR, Table 2, Figure 1)".into(),
        ));
        items.extend(self.dual_and_primal()?);
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
            vec![3, 4, 7, 9, 10]
        } else {
            (1..=15).collect()
        }
    }

    /// What `svm` trains with.
    pub fn svm_options(&self, set: &str) -> Vec<String> {
        strings(&[
            "--features",
            set,
            "--learner",
            "svm",
            "--c",
            &self.c,
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

/// A size in MB.
pub fn megabytes(bytes: f64) -> String {
    format!("{:.0}", bytes / 1e6)
}
