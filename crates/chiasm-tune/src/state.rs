//! Rounds on disk, one file each, so that a killed run goes on where it was. A file appears whole
//! or not at all and holds everything the round brought: its score, the entries new to the pool,
//! and the weights for the next round. What follows depends on nothing else.

use crate::tune::{Next, Round, Settings, Stop};
use crate::{Error, Pool, Result, Weights};
use chiasm_metrics::bleu::{Counts, ORDER, WIDTH};
use chiasm_store::{Container, Sections, Writer};
use std::path::{Path, PathBuf};

const KIND: &str = "tuning round";
const VERSION: u32 = 1;

/// The folder of a run.
pub struct Folder {
    path: PathBuf,
    identity: String,
}

/// What a file held.
pub struct Kept {
    pub round: Round,
    pub next: (Weights, f64),
    pub stop: Option<Stop>,
    pub sparse_names: Vec<String>,
}

impl Folder {
    /// Makes the folder if need be. Rounds of a run with other settings are removed.
    pub fn open(path: &Path, settings: &Settings, start: &Weights) -> Result<Self> {
        std::fs::create_dir_all(path).map_err(|e| chiasm_store::Error::io(path, e))?;
        // The number of rounds and the patience may be raised on going on: they are left out.
        let identity = format!(
            "{:?} nbest {} seed {} start {start:?} {}",
            settings.method, settings.nbest, settings.seed, settings.fingerprint
        );
        let folder = Folder {
            path: path.to_path_buf(),
            identity,
        };
        let first = folder.file(0);
        if first.exists() && folder.sections(&first).is_err() {
            remove_rounds(path)?;
        }
        Ok(folder)
    }

    fn file(&self, round: usize) -> PathBuf {
        file(&self.path, round)
    }

    fn sections(&self, file: &Path) -> Result<Sections> {
        let sections = Container::open(file)?.expect_kind(KIND, VERSION)?;
        sections.verify()?;
        if sections.text("identity")? != self.identity {
            let reason = "made with other settings, another system or another development set";
            return Err(chiasm_store::Error::corrupt(file, reason).into());
        }
        Ok(sections)
    }

    /// Reads a round and adds its entries to the pool; nothing if the run did not get that far.
    pub fn read(&self, round: usize, pool: &mut Pool) -> Result<Option<Kept>> {
        let file = self.file(round);
        if !file.exists() {
            return Ok(None);
        }
        let sections = self.sections(&file).map_err(|error| Error::State {
            path: file.clone(),
            reason: error.to_string(),
        })?;
        match self.parse(&sections, pool) {
            Ok(kept) => Ok(Some(kept)),
            Err(Error::Input(reason)) => Err(Error::State { path: file, reason }),
            Err(error) => Err(error),
        }
    }

    fn parse(&self, sections: &Sections, pool: &mut Pool) -> Result<Kept> {
        let numbers = sections.array::<f64>("numbers")?;
        let [bleu, predicted, ratio, next_predicted, stop] = numbers[..] else {
            return Err(Error::Input("five numbers expected".into()));
        };
        let before = pool.entries();
        read_entries(sections, pool)?;
        let names = sections.text("sparse-names")?.lines();
        Ok(Kept {
            round: Round {
                weights: read_weights(sections, "weights")?,
                bleu,
                predicted: (!predicted.is_nan()).then_some(predicted),
                length_ratio: ratio,
                new_entries: pool.entries() - before,
                entries: pool.entries(),
            },
            next: (read_weights(sections, "next")?, next_predicted),
            stop: STOPS.get(stop as usize).copied().flatten(),
            sparse_names: names.map(str::to_string).collect(),
        })
    }

    /// Writes the last round; `before` is the length of each list without it.
    pub fn write(
        &self,
        rounds: &[Round],
        pool: &Pool,
        before: &[usize],
        next: &Next,
        sparse_names: &[String],
    ) -> Result<()> {
        let Some(round) = rounds.last() else {
            return Ok(());
        };
        let mut writer = Writer::create(self.file(rounds.len() - 1), KIND, VERSION)?;
        writer.bytes("identity", self.identity.as_bytes())?;
        let stop = STOPS
            .iter()
            .position(|stop| *stop == next.stop)
            .unwrap_or(0);
        let numbers = [
            round.bleu,
            round.predicted.unwrap_or(f64::NAN),
            round.length_ratio,
            next.predicted,
            stop as f64,
        ];
        writer.array("numbers", &numbers)?;
        write_weights(&mut writer, "weights", &round.weights)?;
        write_weights(&mut writer, "next", &next.weights)?;
        writer.bytes("sparse-names", sparse_names.join("\n").as_bytes())?;
        write_entries(&mut writer, pool, before)?;
        Ok(writer.finish()?)
    }
}

fn file(folder: &Path, round: usize) -> PathBuf {
    folder.join(format!("round-{round:03}"))
}

/// Removes what only going on would need, the first round last: without it nothing is gone on with.
pub fn remove_rounds(folder: &Path) -> Result<()> {
    let rounds = (0..)
        .take_while(|&round| file(folder, round).exists())
        .count();
    for round in (0..rounds).rev() {
        let file = file(folder, round);
        std::fs::remove_file(&file).map_err(|e| chiasm_store::Error::io(&file, e))?;
    }
    Ok(())
}

/// How reasons to stop are numbered in files.
const STOPS: [Option<Stop>; 5] = [
    None,
    Some(Stop::Rounds),
    Some(Stop::NothingNew),
    Some(Stop::Settled),
    Some(Stop::NoGain),
];

fn write_weights(writer: &mut Writer, name: &str, weights: &Weights) -> Result<()> {
    let ids: Vec<u32> = weights.sparse.keys().copied().collect();
    let values: Vec<f32> = weights.sparse.values().copied().collect();
    writer.array(&format!("{name}/dense"), &weights.dense)?;
    writer.array(&format!("{name}/sparse-ids"), &ids)?;
    writer.array(&format!("{name}/sparse-values"), &values)?;
    Ok(())
}

fn read_weights(sections: &Sections, name: &str) -> Result<Weights> {
    let ids = sections.array::<u32>(&format!("{name}/sparse-ids"))?;
    let values = sections.array::<f32>(&format!("{name}/sparse-values"))?;
    let dense = sections.array::<f32>(&format!("{name}/dense"))?;
    Ok(Weights {
        dense: dense.to_vec(),
        sparse: ids.iter().copied().zip(values.iter().copied()).collect(),
    })
}

fn write_entries(writer: &mut Writer, pool: &Pool, before: &[usize]) -> Result<()> {
    let (mut lengths, mut dense, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    let (mut sparse_lengths, mut ids, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (sentence, &first) in pool.sentences().iter().zip(before) {
        lengths.push((sentence.len() - first) as u32);
        for entry in first..sentence.len() {
            dense.extend_from_slice(sentence.dense(entry));
            counts.extend(sentence.counts(entry).row().map(|count| count as u32));
            sparse_lengths.push(sentence.sparse(entry).len() as u32);
            ids.extend(sentence.sparse(entry).iter().map(|feature| feature.0));
            values.extend(sentence.sparse(entry).iter().map(|feature| feature.1));
        }
    }
    writer.array("entries/lengths", &lengths)?;
    writer.array("entries/dense", &dense)?;
    writer.array("entries/counts", &counts)?;
    writer.array("entries/sparse-lengths", &sparse_lengths)?;
    writer.array("entries/sparse-ids", &ids)?;
    writer.array("entries/sparse-values", &values)?;
    Ok(())
}

fn read_entries(sections: &Sections, pool: &mut Pool) -> Result<()> {
    let wrong = || Error::Input("the entries do not fit the development set".into());
    let lengths = sections.array::<u32>("entries/lengths")?;
    let dense = sections.array::<f32>("entries/dense")?;
    let counts = sections.array::<u32>("entries/counts")?;
    let sparse_lengths = sections.array::<u32>("entries/sparse-lengths")?;
    let ids = sections.array::<u32>("entries/sparse-ids")?;
    let values = sections.array::<f32>("entries/sparse-values")?;
    let features = pool.dense_features();
    let entries: usize = lengths.iter().map(|&length| length as usize).sum();
    let sparse: usize = sparse_lengths.iter().map(|&length| length as usize).sum();
    let fits = lengths.len() == pool.sentences().len()
        && dense.len() == entries * features
        && counts.len() == entries * WIDTH
        && sparse_lengths.len() == entries
        && ids.len() == sparse
        && values.len() == sparse;
    if !fits {
        return Err(wrong());
    }
    let (mut entry, mut first_sparse) = (0, 0);
    for (sentence, &length) in lengths.iter().enumerate() {
        for _ in 0..length {
            let last_sparse = first_sparse + sparse_lengths[entry] as usize;
            let range = first_sparse..last_sparse;
            let pairs = ids[range.clone()]
                .iter()
                .copied()
                .zip(values[range].iter().copied());
            let sparse: Vec<(u32, f32)> = pairs.collect();
            let dense = &dense[entry * features..(entry + 1) * features];
            let counts = parse_counts(&counts[entry * WIDTH..(entry + 1) * WIDTH]);
            pool.sentence_mut(sentence).add(dense, &sparse, counts);
            first_sparse = last_sparse;
            entry += 1;
        }
    }
    Ok(())
}

fn parse_counts(row: &[u32]) -> Counts {
    Counts {
        hypothesis_length: row[0],
        reference_length: row[1],
        correct: std::array::from_fn(|n| row[2 + n]),
        total: std::array::from_fn(|n| row[2 + ORDER + n]),
    }
}
