//! The files that links go to, and what is counted on the way.

use crate::{PairAlignment, Result};
use chiasm_text::{Link, TextOutput, links};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Where links go; `-` is standard output.
#[derive(Clone, Debug)]
pub struct LinkFiles {
    /// The links of both directions made one.
    pub links: PathBuf,
    /// Each target word's link.
    pub forward: Option<PathBuf>,
    /// Each source word's link.
    pub reverse: Option<PathBuf>,
    /// Whether the posterior probability of every link goes beside the links, as `LINKS.scores`.
    pub scores: bool,
    /// How probable the target is given the source and the source given the target, a line a pair: mean natural logarithm a
    /// word, a tab between; `-inf` where there is nothing to align.
    pub sentence_scores: Option<PathBuf>,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// Sentence pairs.
    pub pairs: u64,
    /// Links.
    pub links: u64,
    /// Words of both sides.
    pub words: u64,
    /// Words without a link.
    pub unaligned: u64,
}

impl LinkCounts {
    /// The share of words without a link.
    pub fn unaligned_share(&self) -> f64 {
        self.unaligned as f64 / (self.words as f64).max(1.0)
    }
}

/// Writes links, one-sided links and scores.
pub(crate) struct LinkWriter {
    links: TextOutput,
    forward: Option<TextOutput>,
    reverse: Option<TextOutput>,
    scores: Option<TextOutput>,
    sentence_scores: Option<TextOutput>,
    line: String,
    seen: Vec<bool>,
    counts: LinkCounts,
}

/// `LINKS.scores`; a compressed `LINKS.gz` has `LINKS.scores.gz`.
fn scores_path(links: &Path) -> PathBuf {
    let compressed = |ending: &std::ffi::OsStr| {
        ["gz", "zst", "xz", "bz2"]
            .iter()
            .any(|known| ending == *known)
    };
    match links.extension().filter(|ending| compressed(ending)) {
        Some(ending) => {
            let mut name = links.with_extension("").into_os_string();
            name.push(".scores.");
            name.push(ending);
            name.into()
        }
        None => {
            let mut name = links.as_os_str().to_owned();
            name.push(".scores");
            name.into()
        }
    }
}

impl LinkFiles {
    /// Every file of links and scores.
    pub fn paths(&self) -> Vec<PathBuf> {
        let sides = [&self.forward, &self.reverse, &self.sentence_scores].map(Clone::clone);
        std::iter::once(self.links.clone())
            .chain(sides.into_iter().flatten())
            .chain(self.scores_path())
            .collect()
    }

    fn scores_path(&self) -> Option<PathBuf> {
        self.scores.then(|| scores_path(&self.links))
    }
}

impl LinkWriter {
    /// Opens what was asked for.
    pub fn create(files: &LinkFiles) -> Result<Self> {
        let open = |path: &Option<PathBuf>| path.as_ref().map(TextOutput::create).transpose();
        Ok(LinkWriter {
            links: TextOutput::create(&files.links)?,
            forward: open(&files.forward)?,
            reverse: open(&files.reverse)?,
            scores: open(&files.scores_path())?,
            sentence_scores: open(&files.sentence_scores)?,
            line: String::new(),
            seen: Vec::new(),
            counts: LinkCounts::default(),
        })
    }

    /// Writes the links of a sentence pair of so many source and target words.
    pub fn write(&mut self, pair: &PairAlignment, sources: usize, targets: usize) -> Result<()> {
        let sides = [
            (Some(&mut self.links), &pair.links),
            (self.forward.as_mut(), &pair.forward),
            (self.reverse.as_mut(), &pair.reverse),
        ];
        for (output, side) in sides {
            if let Some(output) = output {
                self.line.clear();
                links::format(side, &mut self.line);
                self.line.push('\n');
                output.write_text(self.line.as_bytes())?;
            }
        }
        if let Some(output) = &mut self.scores {
            self.line.clear();
            for (at, score) in pair.scores.iter().enumerate() {
                let space = if at == 0 { "" } else { " " };
                let _ = write!(self.line, "{space}{score:.4}");
            }
            self.line.push('\n');
            output.write_text(self.line.as_bytes())?;
        }
        if let Some(output) = &mut self.sentence_scores {
            let [forward, reverse] = pair.sentence.unwrap_or([f32::NEG_INFINITY; 2]);
            let line = format!("{forward:.4}\t{reverse:.4}\n");
            output.write_text(line.as_bytes())?;
        }
        self.counts.pairs += 1;
        self.counts.links += pair.links.len() as u64;
        self.counts.words += (sources + targets) as u64;
        self.counts.unaligned += self.free(sources, &pair.links, |link| link.source);
        self.counts.unaligned += self.free(targets, &pair.links, |link| link.target);
        Ok(())
    }

    /// Lets readers see the lines so far, where they go to a pipe.
    pub fn flush(&mut self) -> Result<()> {
        let sides = [
            &mut self.forward,
            &mut self.reverse,
            &mut self.scores,
            &mut self.sentence_scores,
        ];
        let outputs = sides.into_iter().flatten().chain([&mut self.links]);
        for output in outputs.filter(|output| output.path().as_os_str() == "-") {
            let failed = |error| chiasm_text::Error::io(Path::new("standard output"), error);
            output.flush().map_err(failed)?;
        }
        Ok(())
    }

    fn free(&mut self, words: usize, links: &[Link], position: fn(&Link) -> u32) -> u64 {
        self.seen.clear();
        self.seen.resize(words, false);
        for link in links {
            if let Some(slot) = self.seen.get_mut(position(link) as usize) {
                *slot = true;
            }
        }
        self.seen.iter().filter(|&&seen| !seen).count() as u64
    }

    /// From here on the files exist.
    pub fn finish(self) -> Result<LinkCounts> {
        let outputs = [
            Some(self.links),
            self.forward,
            self.reverse,
            self.scores,
            self.sentence_scores,
        ];
        for output in outputs.into_iter().flatten() {
            output.finish()?;
        }
        Ok(self.counts)
    }
}
