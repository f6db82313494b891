//! How training went, as JSON with the keys that scripts rely on.

use crate::recipe::{Method, Recipe};
use crate::trainer::Learned;
use crate::{LexicalisedModel, OrientationModel};
use chiasm_learn::Evaluation;
use serde_json::{Value, json};

impl Learned {
    /// The first direction's report; with a list of both where there are two. `bytes` is how large the model's
    /// file is.
    pub fn summary(&mut self, recipe: &Recipe, bytes: u64) -> Value {
        for report in &mut self.reports {
            report.model_bytes = bytes;
        }
        let mut summary = json!(self.reports[0]);
        summary["model"] = recipe.task().to_string().into();
        summary["feature_set"] = recipe.looked_at().to_string().into();
        summary["features_kept_by_count"] = self.kept.into();
        if let Method::Learned(learner) = &recipe.method {
            summary["bits"] = learner.bits.into();
        }
        if !self.held_out.is_empty() {
            let all = self.held_out.iter();
            let all = all.map(|(evaluation, temperature)| held_out(evaluation, *temperature));
            summary["held_out"] = all.collect::<Vec<_>>().into();
        }
        if self.reports.len() > 1 {
            summary["directions"] = json!(self.reports);
        }
        summary
    }
}

fn held_out(evaluation: &Evaluation, temperature: f64) -> Value {
    json!({
        "examples": evaluation.examples(),
        "accuracy": evaluation.accuracy(),
        "error": 1.0 - evaluation.accuracy(),
        "log_loss": evaluation.log_loss(),
        "temperature": temperature,
    })
}

impl LexicalisedModel {
    /// The same keys for a model that was counted: one pass, nothing to minimise.
    pub fn summary(&self, recipe: &Recipe, examples: u64) -> Value {
        json!({
            "learner": "lexicalised",
            "model": recipe.task().to_string(),
            "examples": examples,
            "features": self.len(),
            "parameters": self.len() * self.columns(),
            "primal_objective": null,
            "dual_objective": null,
            "relative_gap": null,
            "iterations": 1,
            "active_share": [1.0],
        })
    }
}
