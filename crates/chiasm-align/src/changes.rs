//! What sampling a piece of the corpus changes, to be counted behind its block.

use crate::jumps::{BEGINNING, JumpCounts};

/// In the place of a parent's word: none.
pub const NONE: u32 = u32::MAX;

/// What changed in a piece of the corpus.
#[derive(Default)]
pub struct Changes {
    /// Child word, parent word before, parent word now.
    pub moves: Vec<(u32, u32, u32)>,
    /// Parent word, links before, links now.
    pub fertilities: Vec<(u32, u32, u32)>,
    /// Numbers of all jumps, as [`JumpCounts`] has them.
    pub jumps: Vec<u16>,
    /// The posteriors' sums.
    pub sums: Vec<u16>,
}

/// In the place of what was before: nothing, for these are the first links.
pub const BEGINNING_OF_ALL: u32 = u32::MAX - 1;

impl Changes {
    /// Links where there were none.
    pub fn first_links(
        &mut self,
        parents: &[u32],
        children: &[u32],
        links: &[u16],
        classes: &[u8],
    ) {
        let mut fertility = vec![0u32; parents.len()];
        for (&link, &child) in links.iter().zip(children) {
            let now = match link {
                0 => NONE,
                link => {
                    fertility[usize::from(link) - 1] += 1;
                    parents[usize::from(link) - 1]
                }
            };
            self.moves.push((child, BEGINNING_OF_ALL, now));
        }
        let words = parents.iter().zip(fertility);
        self.fertilities
            .extend(words.map(|(&word, links)| (word, BEGINNING_OF_ALL, links)));
        self.jumps_of(parents.len(), children, links, classes);
    }

    /// Links in the place of others.
    pub fn new_links(
        &mut self,
        parents: &[u32],
        children: &[u32],
        before: &[u16],
        now: &[u16],
        classes: &[u8],
    ) {
        let word = |link: u16| match link {
            0 => NONE,
            link => parents[usize::from(link) - 1],
        };
        let mut fertility = vec![(0u32, 0u32); parents.len()];
        for ((&before, &now), &child) in before.iter().zip(now).zip(children) {
            if before > 0 {
                fertility[usize::from(before) - 1].0 += 1;
            }
            if now > 0 {
                fertility[usize::from(now) - 1].1 += 1;
            }
            let (before, now) = (word(before), word(now));
            if before != now {
                self.moves.push((child, before, now));
            }
        }
        for ((before, now), &word) in fertility.into_iter().zip(parents) {
            if before != now {
                self.fertilities.push((word, before, now));
            }
        }
        self.jumps_of(parents.len(), children, now, classes);
    }

    fn jumps_of(&mut self, parents: usize, children: &[u32], links: &[u16], classes: &[u8]) {
        let (mut previous, mut class) = (0, BEGINNING);
        let linked = links.iter().zip(children).filter(|(link, _)| **link > 0);
        for (&link, &word) in linked {
            let link = usize::from(link);
            self.jumps.push(JumpCounts::number(class, previous, link));
            (previous, class) = (link, classes[word as usize]);
        }
        self.jumps
            .push(JumpCounts::number(class, previous, parents + 1));
    }
}
