//! Where a training run stands, in a file: a killed run goes on from here and ends with the same bytes.

use crate::adam::State;
use chiasm_store::{Container, Result, Sections, Writer};
use std::path::Path;

const KIND: &str = "ranker-checkpoint";
const VERSION: u32 = 1;

/// Where a training run stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Checkpoint {
    pub step: usize,
    pub epoch: u64,
    /// The next batch of the epoch.
    pub batch: usize,
    /// The loss in training since the last look, and of how many steps.
    pub loss: f64,
    pub losses: usize,
    pub state: State,
    /// The weights of the last looks at held-out text.
    pub last: Vec<Vec<f32>>,
    /// The best mean of such weights; empty before the first look.
    pub best: Vec<f32>,
    pub best_loss: f64,
    pub since_best: usize,
}

impl Checkpoint {
    /// The beginning.
    pub fn new(state: State) -> Self {
        Checkpoint {
            step: 0,
            epoch: 0,
            batch: 0,
            loss: 0.0,
            losses: 0,
            last: Vec::new(),
            best: Vec::new(),
            best_loss: f64::INFINITY,
            since_best: 0,
            state,
        }
    }

    /// Writes all of it.
    pub fn write(&self, path: &Path, fingerprint: &str) -> Result<()> {
        let mut writer = Writer::create(path, KIND, VERSION)?;
        writer.bytes("run", fingerprint.as_bytes())?;
        let numbers = [
            self.step as u64,
            self.epoch,
            self.batch as u64,
            self.loss.to_bits(),
            self.losses as u64,
            self.best_loss.to_bits(),
            self.since_best as u64,
            self.last.len() as u64,
        ];
        writer.array("numbers", &numbers)?;
        writer.array("parameters", &self.state.parameters)?;
        writer.array("first", &self.state.first)?;
        writer.array("second", &self.state.second)?;
        writer.array("best", &self.best)?;
        for (number, weights) in self.last.iter().enumerate() {
            writer.array(&format!("last{number}"), weights)?;
        }
        writer.finish()
    }

    /// Reads what the same run wrote; nothing if there is nothing that can be used.
    pub fn read(path: &Path, fingerprint: &str, parameters: usize) -> Option<Self> {
        let sections = Container::open(path)
            .ok()?
            .expect_kind(KIND, VERSION)
            .ok()?;
        sections.verify().ok()?;
        if sections.text("run").ok()? != fingerprint {
            return None;
        }
        let numbers = sections.array::<u64>("numbers").ok()?;
        let &[
            step,
            epoch,
            batch,
            loss,
            losses,
            best_loss,
            since_best,
            last,
        ] = &numbers[..]
        else {
            return None;
        };
        let weights = |name: &str| weights(&sections, name, parameters);
        Some(Checkpoint {
            step: step as usize,
            epoch,
            batch: batch as usize,
            loss: f64::from_bits(loss),
            losses: losses as usize,
            state: State {
                parameters: weights("parameters")?,
                first: weights("first")?,
                second: weights("second")?,
            },
            last: (0..last)
                .map(|number| weights(&format!("last{number}")))
                .collect::<Option<_>>()?,
            best: weights("best")?,
            best_loss: f64::from_bits(best_loss),
            since_best: since_best as usize,
        })
    }
}

fn weights(sections: &Sections, name: &str, count: usize) -> Option<Vec<f32>> {
    let found = sections.array::<f32>(name).ok()?;
    (found.len() == count).then(|| found.to_vec())
}
