//! A model's own word translation probabilities as text.

use crate::Result;
use crate::model::Model;
use chiasm_text::TextOutput;
use std::path::Path;

/// What stands for no word, as in Moses' tables.
const NULL: &str = "NULL";

impl Model {
    /// Writes `PREFIX.f2e` (`target source p(target|source)`, with NULL for no source word) and `PREFIX.e2f`, the words lower-cased
    /// as the model has them. Pairs under 0.0001 in both directions are not in the model.
    pub fn write_tables(&self, prefix: &Path) -> Result<()> {
        for (side, ending) in [".f2e", ".e2f"].into_iter().enumerate() {
            let mut name = prefix.as_os_str().to_owned();
            name.push(ending);
            let mut output = TextOutput::create(Path::new(&name))?;
            let (parents, children) = match side {
                0 => (&self.source, &self.target),
                _ => (&self.target, &self.source),
            };
            for (word, &probability) in self.directions[side].null.iter().enumerate() {
                let child = children.word(word as u32);
                output.write_text(format!("{child} {NULL} {probability:.7}\n").as_bytes())?;
            }
            for ((source, target), probabilities) in self.stored_entries() {
                let (parent, child) = match side {
                    0 => (source, target),
                    _ => (target, source),
                };
                let (parent, child) = (parents.word(parent), children.word(child));
                let line = format!("{child} {parent} {:.7}\n", probabilities[side]);
                output.write_text(line.as_bytes())?;
            }
            output.finish()?;
        }
        Ok(())
    }
}
