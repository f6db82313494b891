//! Work written down from time to time, to go on from after a kill.
//!
//! Between two passes a sampler is nothing but its links: counts, jumps and fertilities are those of the links, and random numbers
//! begin anew with every pass. So a checkpoint is the links of the running sampler, the sums of all passes so far and what samplers
//! before it have counted. It belongs to a text and to settings, and is not used for others.

use crate::bitext::Bitext;
use crate::expected::Tally;
use crate::fertility::FertilityCounts;
use crate::jumps::JumpCounts;
use crate::sums::Sums;
use crate::world::World;
use crate::{Error, Result};
use chiasm_store::{Container, Sections, Writer};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const KIND: &str = "aligner at work";
const VERSION: u32 = 1;

/// Where and how often work is written down.
#[derive(Clone)]
pub struct Checkpoint {
    path: PathBuf,
    /// What text and settings come down to.
    key: u64,
    every: Duration,
    last: Arc<Mutex<Instant>>,
}

/// Where a sampler goes on.
pub(crate) struct State {
    /// Which sampler.
    pub chain: u32,
    /// The passes it has done.
    pub pass: u32,
    /// Forward, reverse.
    pub links: [Vec<u16>; 2],
}

impl Checkpoint {
    /// At `path`, at most once in `every`; `key` is a hash of all that decides the result.
    pub fn new(path: PathBuf, key: u64, every: Duration) -> Self {
        Checkpoint {
            path,
            key,
            every,
            last: Arc::new(Mutex::new(Instant::now())),
        }
    }

    /// Beside an output: `OUTPUT.unfinished`, for this text and whatever else decides the result.
    pub fn beside(output: &Path, bitext: &Bitext, decisive: &str, every: Duration) -> Self {
        let mut name = output.as_os_str().to_owned();
        name.push(".unfinished");
        let mut hasher = DefaultHasher::new();
        (env!("CARGO_PKG_VERSION"), decisive).hash(&mut hasher);
        for side in [&bitext.source, &bitext.target] {
            side.text.offsets.hash(&mut hasher);
            side.text.tokens.hash(&mut hasher);
            side.vocabulary
                .words()
                .for_each(|word| word.hash(&mut hasher));
        }
        Self::new(name.into(), hasher.finish(), every)
    }

    /// The work is done, nothing is to go on from.
    pub fn remove(&self) {
        let _ = std::fs::remove_file(&self.path);
    }

    /// How many passes of which sampler (from 1) are done, if there is work of this text and these settings.
    pub fn progress(&self) -> Option<(u64, u64)> {
        let numbers = self.open()?.array::<u64>("numbers").ok()?;
        Some((numbers.get(2).copied()?, numbers.get(1)? + 1))
    }

    /// The file of this very work; whatever else lies there is not used.
    fn open(&self) -> Option<Sections> {
        let sections = Container::open(&self.path)
            .ok()?
            .expect_kind(KIND, VERSION)
            .ok()?;
        sections.verify().ok()?;
        let numbers = sections.array::<u64>("numbers").ok()?;
        (numbers.first() == Some(&self.key)).then_some(sections)
    }

    pub(crate) fn save_if_due(
        &self,
        chain: u32,
        pass: u32,
        links: [&[u16]; 2],
        sets: &[[Sums; 2]],
        tallies: &[Tally; 2],
    ) -> Result<()> {
        let Ok(mut last) = self.last.lock() else {
            return Ok(());
        };
        if last.elapsed() < self.every {
            return Ok(());
        }
        let mut writer = Writer::create(&self.path, KIND, VERSION)?;
        writer.array("numbers", &[self.key, u64::from(chain), u64::from(pass)])?;
        for side in 0..2 {
            writer.array(&format!("links.{side}"), links[side])?;
            writer.array(&format!("jumps.{side}"), tallies[side].0.counts())?;
            writer.array(
                &format!("fertilities.{side}"),
                tallies[side].1.counts().as_flattened(),
            )?;
            for (number, set) in sets.iter().enumerate() {
                let sums = &set[side];
                let lengths = sums.lengths();
                writer.array(&format!("lengths.{number}.{side}"), &lengths)?;
                let mut failure = None;
                writer.stream(&format!("sums.{number}.{side}"), |sink| {
                    for piece in 0..lengths.len() {
                        let piece = sums.piece(piece).unwrap_or_else(|error| {
                            failure.get_or_insert(error);
                            Vec::new()
                        });
                        let bytes: Vec<u8> =
                            piece.iter().flat_map(|sum| sum.to_le_bytes()).collect();
                        sink.write_all(&bytes)?;
                    }
                    Ok(())
                })?;
                if let Some(error) = failure {
                    return Err(error);
                }
            }
        }
        writer.finish()?;
        *last = Instant::now();
        Ok(())
    }

    pub(crate) fn load(
        &self,
        worlds: &[World; 2],
        sets: &mut [[Sums; 2]],
        tallies: &mut [Tally; 2],
    ) -> Result<Option<State>> {
        let Some(sections) = self.open() else {
            return Ok(None);
        };
        let numbers = sections.array::<u64>("numbers")?;
        let (Some(&chain), Some(&pass)) = (numbers.get(1), numbers.get(2)) else {
            return Ok(None);
        };
        let wrong = |name: &str| Error::Store(sections.corrupt(name, "has an impossible size"));
        let mut links = [Vec::new(), Vec::new()];
        for (side, world) in worlds.iter().enumerate() {
            let name = format!("links.{side}");
            links[side] = sections.array::<u16>(&name)?.to_vec();
            if !in_bounds(world, &links[side]) {
                return Err(wrong(&name));
            }
            let jumps = sections.array::<u64>(&format!("jumps.{side}"))?;
            let fertilities = sections.array::<u32>(&format!("fertilities.{side}"))?;
            let jumps = JumpCounts::of_counts(&jumps);
            let fertilities = FertilityCounts::of_counts(&fertilities, world.parent_words);
            let whole = jumps.zip(fertilities);
            tallies[side] = whole.ok_or_else(|| wrong("jumps and fertilities"))?;
            for (number, set) in sets.iter_mut().enumerate() {
                let lengths = sections.array::<u32>(&format!("lengths.{number}.{side}"))?;
                let name = format!("sums.{number}.{side}");
                let sums = sections.array::<u16>(&name)?;
                if lengths.len() != world.pieces() {
                    return Err(wrong(&name));
                }
                let mut rest = &sums[..];
                for (piece, &length) in lengths.iter().enumerate() {
                    let own = rest.split_off(..length as usize);
                    let own = own.ok_or_else(|| wrong(&name))?;
                    set[side].put(piece, own.to_vec())?;
                }
                set[side].end_of_pass();
            }
        }
        Ok(Some(State {
            chain: chain as u32,
            pass: pass as u32,
            links,
        }))
    }
}

fn in_bounds(world: &World, links: &[u16]) -> bool {
    let mut rest = links;
    links.len() == world.children.tokens.len()
        && (0..world.sentences()).all(|at| {
            let parents = world.parents.sentence(at).len();
            let own = rest.split_off(..world.children.sentence(at).len());
            own.is_some_and(|own| own.iter().all(|&link| usize::from(link) <= parents))
        })
}
