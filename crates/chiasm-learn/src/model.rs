//! A classifier and its file: magic number, kind, version and checksums by the container, then the
//! classes, the features' identities, the weights or counts, and the report of its training.
//!
//! A model knows features by identity, a number that is opaque here; an embedding program that has
//! a dictionary of features writes it into sections of its own beside these.

use crate::linear::{Bits, LinearModel};
use crate::naive_bayes::NaiveBayes;
use crate::{Error, Examples, Report, Result, Row, kernels};
use chiasm_store::{Container, Sections, Writer};
use std::path::Path;

const KIND: &str = "classifier";
const VERSION: u32 = 1;

/// Stands for a feature that the model does not know.
pub const UNKNOWN: u32 = u32::MAX;

/// A trained classifier.
#[derive(Clone, Debug)]
pub struct Model {
    class_names: Vec<String>,
    form: Form,
    /// Scores are divided by it before the softmax.
    temperature: f64,
    report: Report,
}

/// What a model consists of.
#[derive(Clone, Debug)]
pub enum Form {
    /// A weight a feature and class.
    Linear(LinearModel),
    /// Counts of features and classes.
    NaiveBayes(NaiveBayes),
}

impl Model {
    /// A linear model.
    pub fn linear(class_names: Vec<String>, model: LinearModel) -> Self {
        Self::new(class_names, Form::Linear(model))
    }

    /// A naive Bayes model.
    pub fn naive_bayes(class_names: Vec<String>, model: NaiveBayes) -> Self {
        Self::new(class_names, Form::NaiveBayes(model))
    }

    fn new(class_names: Vec<String>, form: Form) -> Self {
        Model {
            class_names,
            form,
            temperature: 1.0,
            report: Report::default(),
        }
    }

    /// Names of the classes.
    pub fn class_names(&self) -> &[String] {
        &self.class_names
    }

    /// What the model consists of.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// How the model was trained.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The same model with the report of its training.
    pub fn with_report(mut self, report: Report) -> Self {
        self.report = report;
        self
    }

    /// What scores are divided by before the softmax.
    pub fn temperature(&self) -> f64 {
        self.temperature
    }

    /// The same model with another temperature.
    pub fn with_temperature(mut self, temperature: f64) -> Result<Self> {
        self.temperature = crate::learner::positive("temperature", temperature)?;
        Ok(self)
    }

    /// The same model with its weights in `bits`. Naive Bayes models hold counts, which stay exact.
    pub fn with_bits(mut self, bits: Bits) -> Self {
        if let Form::Linear(model) = &self.form {
            self.form = Form::Linear(model.with_bits(bits));
        }
        self
    }

    /// The same model under other identities of its features, all different.
    pub fn renamed(&self, rename: impl Fn(u32) -> u32) -> Self {
        let form = match &self.form {
            Form::Linear(model) => Form::Linear(model.renamed(rename)),
            Form::NaiveBayes(model) => Form::NaiveBayes(model.renamed(rename)),
        };
        Model {
            form,
            ..self.clone()
        }
    }

    /// Identities of the features, in increasing order; a feature's number is its place here.
    pub fn feature_ids(&self) -> &[u32] {
        match &self.form {
            Form::Linear(model) => model.feature_ids(),
            Form::NaiveBayes(model) => model.feature_ids(),
        }
    }

    /// The number of the feature with this identity.
    #[inline]
    pub fn feature_number(&self, id: u32) -> Option<u32> {
        let ids = self.feature_ids();
        // Identities without gaps, the usual case inside a larger program, need no search.
        if ids.get(id as usize) == Some(&id) {
            return Some(id);
        }
        ids.binary_search(&id).ok().map(|number| number as u32)
    }

    /// The number of each of these features, [`UNKNOWN`] where the model does not know it.
    pub fn feature_numbers(&self, ids: &[u32]) -> Vec<u32> {
        let number = |&id: &u32| self.feature_number(id).unwrap_or(UNKNOWN);
        ids.iter().map(number).collect()
    }

    /// Scores of a row whose features are numbers of this model.
    pub fn scores(&self, row: Row, scores: &mut [f64]) {
        match &self.form {
            Form::Linear(model) => model.scores(row, scores),
            Form::NaiveBayes(model) => model.scores(row, scores),
        }
    }

    /// Logarithms of the class probabilities of a row whose features are numbers of this model.
    pub fn log_probabilities(&self, row: Row, logarithms: &mut [f64]) {
        self.scores(row, logarithms);
        for score in logarithms.iter_mut() {
            *score /= self.temperature;
        }
        let normaliser = kernels::log_sum_exp(logarithms);
        for score in logarithms.iter_mut() {
            *score -= normaliser;
        }
    }

    /// A reader of examples whose features are numbered otherwise.
    pub fn predictor(&self, examples: &Examples) -> Predictor<'_> {
        self.predictor_for(examples.feature_ids())
    }

    /// A reader of rows in which feature `f` has the identity `ids[f]`.
    pub fn predictor_for(&self, ids: &[u32]) -> Predictor<'_> {
        Predictor {
            model: self,
            numbers: self.feature_numbers(ids),
            features: Vec::new(),
            values: Vec::new(),
        }
    }

    /// The weights as text: a line with the names of the classes, one with the scores that hold without any feature,
    /// and a line a feature with what one occurrence adds to the score of each class, between tabs.
    pub fn weights_text(&self, name: impl Fn(u32) -> String) -> String {
        let classes = self.class_names.len();
        let mut nothing = vec![0.0; classes];
        self.scores(Row::of(&[]), &mut nothing);
        let line = |name: &str, values: &[f64]| {
            let values: String = values.iter().map(|value| format!("\t{value}")).collect();
            format!("{name}{values}\n")
        };
        let mut text = format!("# feature\t{}\n", self.class_names.join("\t"));
        text += &line("(none)", &nothing);
        let mut scores = vec![0.0; classes];
        for (number, &id) in self.feature_ids().iter().enumerate() {
            self.scores(Row::of(&[number as u32]), &mut scores);
            for (score, nothing) in scores.iter_mut().zip(&nothing) {
                *score -= nothing;
            }
            text += &line(&name(id), &scores);
        }
        text
    }

    /// Writes the model as a file of its own.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut writer = Writer::create(path, KIND, VERSION)?;
        self.write(&mut writer)?;
        Ok(writer.finish()?)
    }

    /// Writes the model as sections of a larger file.
    pub fn write(&self, writer: &mut Writer) -> Result<()> {
        writer.bytes("class-names", self.class_names.join("\n").as_bytes())?;
        writer.array("temperature", &[self.temperature])?;
        let report = serde_json::to_string(&self.report.reproducible())
            .map_err(|e| Error::Mismatch(format!("the report cannot be written: {e}")))?;
        writer.bytes("report", report.as_bytes())?;
        match &self.form {
            Form::Linear(model) => model.write(writer),
            Form::NaiveBayes(model) => model.write(writer),
        }
    }

    /// Maps a model file and checks its contents.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let sections = Container::open(path)?.expect_kind(KIND, VERSION)?;
        sections.verify()?;
        Self::read(&sections)
    }

    /// Maps the model in a larger file.
    pub fn read(sections: &Sections) -> Result<Self> {
        let names = sections.text("class-names")?;
        let class_names: Vec<String> = names.lines().map(str::to_string).collect();
        let classes = class_names.len();
        if !(2..=crate::MOST_CLASSES).contains(&classes) {
            let reason = "between 2 and 256 classes expected";
            return Err(sections.corrupt("class-names", reason).into());
        }
        let temperature = sections.array::<f64>("temperature")?;
        let &[temperature] = &temperature[..] else {
            return Err(sections
                .corrupt("temperature", "one number expected")
                .into());
        };
        if !temperature.is_finite() || temperature <= 0.0 {
            let reason = "a positive number expected";
            return Err(sections.corrupt("temperature", reason).into());
        }
        let report = serde_json::from_str(sections.text("report")?)
            .map_err(|e| sections.corrupt("report", &e.to_string()))?;
        let form = if sections.contains("variant") {
            Form::NaiveBayes(NaiveBayes::read(sections, classes)?)
        } else {
            Form::Linear(LinearModel::read(sections, classes)?)
        };
        Ok(Model {
            class_names,
            form,
            temperature,
            report,
        })
    }
}

/// Answers for rows whose features are numbered otherwise than the model's; unknown features are
/// left out.
#[derive(Clone, Debug)]
pub struct Predictor<'a> {
    model: &'a Model,
    numbers: Vec<u32>,
    features: Vec<u32>,
    values: Vec<f64>,
}

impl Predictor<'_> {
    fn translate(&mut self, row: Row) {
        self.features.clear();
        self.values.clear();
        for (position, &feature) in row.features.iter().enumerate() {
            let number = self.numbers.get(feature as usize).copied();
            if let Some(number) = number.filter(|&number| number != UNKNOWN) {
                self.features.push(number);
                self.values.extend(row.values.get(position));
            }
        }
    }

    /// Logarithms of the class probabilities.
    pub fn log_probabilities(&mut self, row: Row, logarithms: &mut [f64]) {
        self.translate(row);
        let row = Row {
            features: &self.features,
            values: &self.values,
        };
        self.model.log_probabilities(row, logarithms);
    }

    /// Scores before temperature and softmax.
    pub fn scores(&mut self, row: Row, scores: &mut [f64]) {
        self.translate(row);
        let row = Row {
            features: &self.features,
            values: &self.values,
        };
        self.model.scores(row, scores);
    }
}
