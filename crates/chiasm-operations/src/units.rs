//! The minimal units of a phrase pair, in the order in which they are generated.
//!
//! A unit is what links hold together: source words, and target words that are neighbours. Where the target words are
//! not, the run with the most links is the unit's (the first of them if several are), and the words of the other runs
//! stand for themselves: the published heuristic, with links in place of word frequencies. Unaligned source words are
//! generated right after the source word before them; those with which the phrase begins, right before the first word
//! that has a link. So a phrase pair is generated in one way whatever sentence it stands in, and a derivation of
//! phrases as the sentence would be.

/// What happens at a step, in positions inside the phrase pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// The first source word of a unit is covered and its target words are written.
    Generate {
        /// Its source words, rising.
        sources: Vec<u32>,
        /// Its target words, neighbours.
        targets: Vec<u32>,
    },
    /// One more source word of the unit before is covered.
    Continue,
    /// A source word that is translated by nothing.
    SourceOnly(u32),
    /// A target word that translates nothing.
    TargetOnly(u32),
}

/// One step of the generation of a phrase pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The source word that it covers; `None` for target words without a source.
    pub position: Option<u32>,
    /// What happens.
    pub act: Act,
}

/// The steps of a phrase pair of these lengths. Links outside are left out; a phrase pair without links is one unit.
pub fn steps(
    source_length: u32,
    target_length: u32,
    links: impl Iterator<Item = (u32, u32)>,
) -> Vec<Step> {
    let mut links: Vec<(u32, u32)> = links
        .filter(|&(source, target)| source < source_length && target < target_length)
        .collect();
    if links.is_empty() && target_length > 0 {
        let all = (0..source_length).flat_map(|s| (0..target_length).map(move |t| (s, t)));
        links = all.collect();
    }
    let units = Units::new(source_length, target_length, &links);
    let mut plan = Plan {
        units: &units,
        steps: Vec::new(),
        first_linked: units
            .of_source
            .iter()
            .position(Option::is_some)
            .unwrap_or(0) as u32,
    };
    let mut written = vec![false; units.count];
    for target in 0..target_length {
        match units.of_target[target as usize] {
            None => plan.steps.push(Step {
                position: None,
                act: Act::TargetOnly(target),
            }),
            Some(unit) if !written[unit as usize] => {
                written[unit as usize] = true;
                plan.generate(unit);
            }
            Some(_) => {}
        }
    }
    if target_length == 0 {
        for position in 0..source_length {
            plan.source_only(position);
        }
    }
    plan.steps
}

/// Are all source words covered from left to right?
pub fn is_straight(steps: &[Step]) -> bool {
    let positions = steps.iter().filter_map(|step| step.position);
    positions
        .enumerate()
        .all(|(place, position)| place as u32 == position)
}

/// How many source words nothing translates.
pub fn untranslated(steps: &[Step]) -> u32 {
    let alone = steps
        .iter()
        .filter(|step| matches!(step.act, Act::SourceOnly(_)));
    alone.count() as u32
}

struct Plan<'a> {
    units: &'a Units,
    steps: Vec<Step>,
    first_linked: u32,
}

impl Plan<'_> {
    fn generate(&mut self, unit: u32) {
        let members = |of: &[Option<u32>]| -> Vec<u32> {
            let all = of.iter().enumerate();
            all.filter(|(_, found)| **found == Some(unit))
                .map(|(position, _)| position as u32)
                .collect()
        };
        let sources = members(&self.units.of_source);
        let targets = members(&self.units.of_target);
        for (number, &position) in sources.iter().enumerate() {
            if position == self.first_linked {
                (0..position).for_each(|before| self.source_only(before));
            }
            let act = match number {
                0 => Act::Generate {
                    sources: sources.clone(),
                    targets: targets.clone(),
                },
                _ => Act::Continue,
            };
            self.steps.push(Step {
                position: Some(position),
                act,
            });
            let after = position + 1..self.units.of_source.len() as u32;
            let unlinked = |next: &u32| self.units.of_source[*next as usize].is_none();
            for next in after.take_while(unlinked).collect::<Vec<_>>() {
                self.source_only(next);
            }
        }
    }

    fn source_only(&mut self, position: u32) {
        self.steps.push(Step {
            position: Some(position),
            act: Act::SourceOnly(position),
        });
    }
}

/// The unit of each word.
struct Units {
    of_source: Vec<Option<u32>>,
    of_target: Vec<Option<u32>>,
    count: usize,
}

impl Units {
    fn new(source_length: u32, target_length: u32, links: &[(u32, u32)]) -> Self {
        let (sources, targets) = (source_length as usize, target_length as usize);
        // The source words first, then the target words; each points to another of its unit.
        let mut parents: Vec<u32> = (0..(sources + targets) as u32).collect();
        for &(source, target) in links {
            let a = root(&mut parents, source);
            let b = root(&mut parents, source_length + target);
            parents[a.max(b) as usize] = a.min(b);
        }
        let mut of_source = vec![None; sources];
        let mut of_target = vec![None; targets];
        for &(source, target) in links {
            // The smallest member is a source word.
            let unit = root(&mut parents, source);
            of_source[source as usize] = Some(unit);
            of_target[target as usize] = Some(unit);
        }
        keep_one_run(&mut of_target, links, sources);
        Units {
            of_source,
            of_target,
            count: sources,
        }
    }
}

fn root(parents: &mut [u32], mut member: u32) -> u32 {
    while parents[member as usize] != member {
        let grandparent = parents[parents[member as usize] as usize];
        parents[member as usize] = grandparent;
        member = grandparent;
    }
    member
}

/// Of the runs of target words of each unit, only the one with the most links stays its own.
fn keep_one_run(of_target: &mut [Option<u32>], links: &[(u32, u32)], units: usize) {
    let mut links_of = vec![0u32; of_target.len()];
    for &(_, target) in links {
        links_of[target as usize] += 1;
    }
    // For each unit its best run so far: links, start, end.
    let mut best = vec![(0u32, 0usize, 0usize); units];
    let mut start = 0;
    while start < of_target.len() {
        let unit = of_target[start];
        let mut end = start + 1;
        while end < of_target.len() && of_target[end] == unit {
            end += 1;
        }
        if let Some(unit) = unit {
            let links = links_of[start..end].iter().sum();
            if links > best[unit as usize].0 {
                best[unit as usize] = (links, start, end);
            }
        }
        start = end;
    }
    for (target, unit) in of_target.iter_mut().enumerate() {
        if let Some(found) = *unit {
            let (_, start, end) = best[found as usize];
            if !(start..end).contains(&target) {
                *unit = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(source: u32, target: u32, links: &[(u32, u32)]) -> Vec<String> {
        let steps = steps(source, target, links.iter().copied());
        steps
            .iter()
            .map(|step| {
                let at = step.position.map_or("-".into(), |p| p.to_string());
                match &step.act {
                    Act::Generate { sources, targets } => format!("{at}: {sources:?} {targets:?}"),
                    Act::Continue => format!("{at}: continue"),
                    Act::SourceOnly(word) => format!("{at}: source {word}"),
                    Act::TargetOnly(word) => format!("{at}: target {word}"),
                }
            })
            .collect()
    }

    #[test]
    fn units_in_target_order() {
        assert_eq!(told(2, 2, &[(0, 1), (1, 0)]), ["1: [1] [0]", "0: [0] [1]"]);
        assert!(is_straight(&steps(2, 1, [(0, 0), (1, 0)].into_iter())));
        assert!(!is_straight(&steps(2, 2, [(0, 1), (1, 0)].into_iter())));
    }

    #[test]
    fn unaligned_words_follow_their_neighbours() {
        // 0 and 2 have no links, nor has target 1.
        assert_eq!(
            told(4, 3, &[(1, 2), (3, 0)]),
            [
                "3: [3] [0]",
                "-: target 1",
                "0: source 0",
                "1: [1] [2]",
                "2: source 2"
            ]
        );
    }

    #[test]
    fn a_unit_keeps_its_best_linked_run() {
        // One unit of two source words and the targets 0, 2 and 3; target 0 has one link, the run 2..4 has three.
        assert_eq!(
            told(3, 4, &[(0, 0), (0, 2), (2, 2), (2, 3), (1, 1)]),
            [
                "-: target 0",
                "1: [1] [1]",
                "0: [0, 2] [2, 3]",
                "2: continue"
            ]
        );
    }

    #[test]
    fn without_links_all_is_one_unit() {
        assert_eq!(told(2, 1, &[]), ["0: [0, 1] [0]", "1: continue"]);
        assert_eq!(told(2, 0, &[]), ["0: source 0", "1: source 1"]);
        assert_eq!(told(1, 1, &[(4, 0)]), ["0: [0] [0]"]);
    }
}
