//! The files that `chiasm align` writes, and what is counted on the way.

use super::Arguments;
use chiasm_align::PairAlignment;
use chiasm_text::{Link, TextOutput, links};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Links, one-sided links, scores.
pub struct Outputs {
    links: TextOutput,
    forward: Option<TextOutput>,
    reverse: Option<TextOutput>,
    scores: Option<TextOutput>,
    line: String,
    seen: Vec<bool>,
    pairs: u64,
    link_count: u64,
    words: u64,
    unaligned: u64,
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

/// Every file of links and scores that was asked for.
pub fn paths(arguments: &Arguments) -> Vec<PathBuf> {
    let scores = arguments.scores.then(|| scores_path(&arguments.output));
    let sides = [&arguments.forward_output, &arguments.reverse_output].map(Clone::clone);
    std::iter::once(arguments.output.clone())
        .chain(sides.into_iter().flatten())
        .chain(scores)
        .collect()
}

impl Outputs {
    /// Opens what was asked for.
    pub fn create(arguments: &Arguments) -> anyhow::Result<Self> {
        let open = |path: &Option<PathBuf>| path.as_ref().map(TextOutput::create).transpose();
        let scores = arguments.scores.then(|| scores_path(&arguments.output));
        Ok(Outputs {
            links: TextOutput::create(&arguments.output)?,
            forward: open(&arguments.forward_output)?,
            reverse: open(&arguments.reverse_output)?,
            scores: open(&scores)?,
            line: String::new(),
            seen: Vec::new(),
            pairs: 0,
            link_count: 0,
            words: 0,
            unaligned: 0,
        })
    }

    /// Writes the links of a sentence pair of so many source and target words.
    pub fn write(
        &mut self,
        pair: &PairAlignment,
        sources: usize,
        targets: usize,
    ) -> chiasm_align::Result<()> {
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
        self.pairs += 1;
        self.link_count += pair.links.len() as u64;
        self.words += (sources + targets) as u64;
        self.unaligned += self.free(sources, &pair.links, |link| link.source);
        self.unaligned += self.free(targets, &pair.links, |link| link.target);
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
    pub fn finish(self) -> anyhow::Result<serde_json::Value> {
        let outputs = [Some(self.links), self.forward, self.reverse, self.scores];
        for output in outputs.into_iter().flatten() {
            output.finish()?;
        }
        Ok(serde_json::json!({
            "pairs": self.pairs,
            "links": self.link_count,
            "words": self.words,
            "unaligned_share": self.unaligned as f64 / (self.words as f64).max(1.0),
        }))
    }
}
