//! What the demo found, as text, as a page, and as systems to serve.

use super::{drawing, page};
use chiasm_train::experiment::{self, Contender, Run, TestSet};
use std::path::Path;

/// Systems side by side, and what they translated.
pub struct Outcome {
    /// The systems, the one that knows most of moves last.
    pub contenders: Vec<Contender>,
    /// What all of them translated.
    pub test: TestSet,
}

/// Sentences that are drawn.
const DRAWN: usize = 3;
/// Sentences that a served page offers.
const EXAMPLES: usize = 8;

impl Outcome {
    /// The run of the system that knows most of moves.
    pub fn best(&self) -> Option<&Run> {
        self.contenders.last().and_then(|best| best.runs.first())
    }

    /// Every system's name and file, the one that knows most of moves first.
    pub fn systems(&self) -> impl Iterator<Item = (&str, &Path)> {
        let backwards = self.contenders.iter().rev();
        backwards.filter_map(|contender| {
            let run = contender.runs.first()?;
            Some((contender.name.as_str(), run.system.as_path()))
        })
    }

    /// Source sentences whose phrases moved most.
    pub fn examples(&self) -> Vec<String> {
        let moved = self.most_moved(EXAMPLES);
        moved
            .iter()
            .map(|&index| self.test.source[index].clone())
            .collect()
    }

    fn most_moved(&self, count: usize) -> Vec<usize> {
        self.best().map_or_else(Vec::new, |best| {
            drawing::most_moved(&best.translations, count)
        })
    }

    /// The table and a few sentences, for a terminal.
    pub fn text(&self) -> String {
        let table = experiment::table(&self.contenders, self.test.source.len());
        let mut text = format!("\n{table}\n");
        if let Some(best) = self.best() {
            for index in self.most_moved(DRAWN) {
                text += &drawing::draw(&self.test.source[index], &best.translations[index]);
                text += &format!("reference  {}\n\n", self.test.references[0][index]);
            }
        }
        text
    }

    /// The same as a page; `command` is what was typed to get it.
    pub fn html(&self, command: &str) -> String {
        page::html(
            &self.contenders,
            &self.test,
            &self.most_moved(DRAWN),
            command,
        )
    }
}
