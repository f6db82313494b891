//! What the search has built for one sentence: hypotheses in stacks, grouped by what matters to
//! reordering. All memory is reused from sentence to sentence.

use super::future::{FutureCosts, least_distance};
use crate::blocks::{BlockStacks, NO_BLOCKS};
use crate::coverage::{Coverages, NOTHING_COVERED};
use crate::model::LogLinear;
use crate::options::SentenceOptions;
use chiasm_lm::State;
use chiasm_phrases::Span;
use hashbrown::{HashMap, HashTable};
use rustc_hash::{FxBuildHasher, FxHasher};
use std::hash::{Hash, Hasher};

/// No hypothesis, no option.
pub(crate) const NONE: u32 = u32::MAX;

/// A partial translation, or one more way to arrive at it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hypothesis {
    pub parent: u32,
    pub option: u32,
    pub group: u32,
    /// A worse way to the same state.
    pub alternative: u32,
    pub score: f32,
    /// Score plus estimates of what is to come.
    pub priority: f32,
}

/// Hypotheses to which every continuation is the same but for the language models and the last
/// option's forward scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct GroupKey {
    pub coverage: u32,
    /// The last phrase; its start only if a feature looks at it.
    pub last: Span,
    pub blocks: u32,
    /// Target words so far, if the translation is given.
    pub position: u32,
    /// Right after the source word covered last, if models of operations look at it.
    pub cursor: u32,
}

/// The hypotheses of a finished stack that belong to one group, best first.
#[derive(Clone, Copy)]
pub(crate) struct StackGroup {
    pub group: u32,
    pub first: u32,
    pub end: u32,
}

/// The groups of a finished stack that have translated the same words.
#[derive(Clone, Copy)]
pub(crate) struct StackCoverage {
    pub coverage: u32,
    pub first_group: u32,
    pub end_group: u32,
    pub first_gap: u32,
    pub end_gap: u32,
    /// The best hypothesis' score with its best forward orientations.
    pub best: f32,
    /// The estimate of all gaps.
    pub future: f32,
    /// Where the groups' last phrases end, the first and the last of them.
    pub ends: (u32, u32),
}

/// Hypotheses that have translated the same number of source words.
#[derive(Default)]
pub(crate) struct Stack {
    pub members: Vec<u32>,
    states: HashTable<u32>,
    pub best: f32,
    /// What is worse than this has no chance any more.
    pub bar: f32,
    pub ordered: Vec<u32>,
    pub groups: Vec<StackGroup>,
    pub coverages: Vec<StackCoverage>,
    pub gaps: Vec<Span>,
}

impl Stack {
    fn clear(&mut self) {
        self.members.clear();
        self.states.clear();
        self.best = f32::NEG_INFINITY;
        self.bar = f32::NEG_INFINITY;
        self.ordered.clear();
        self.groups.clear();
        self.coverages.clear();
        self.gaps.clear();
    }
}

/// Everything about one sentence.
#[derive(Default)]
pub(crate) struct Chart {
    pub options: SentenceOptions,
    pub coverages: Coverages,
    pub blocks: BlockStacks,
    pub future: FutureCosts,
    pub groups: Vec<GroupKey>,
    group_numbers: HashMap<GroupKey, u32, FxBuildHasher>,
    pub hypotheses: Vec<Hypothesis>,
    /// Language model states of hypothesis `h`, model `l` of `m`, at `h * m + l`.
    pub states: Vec<State>,
    pub stacks: Vec<Stack>,
    scratch: Scratch,
}

/// A member of a stack on its way to its place.
struct Placed {
    slot: u32,
    group: u32,
    number: u32,
    best: f32,
}

#[derive(Default)]
struct Scratch {
    slots: HashMap<u32, u32, FxBuildHasher>,
    order: Vec<Placed>,
    gaps: Vec<Span>,
}

impl Chart {
    /// Begins a search over the options, which must be collected.
    pub fn begin(&mut self, start: &[State]) {
        let length = self.options.source.len();
        self.coverages.begin(length);
        self.blocks.clear();
        self.groups.clear();
        self.group_numbers.clear();
        self.hypotheses.clear();
        self.states.clear();
        self.stacks.resize_with(length + 1, Stack::default);
        for stack in &mut self.stacks {
            stack.clear();
        }
        self.future.compute(&self.options);
        let group = self.group(GroupKey {
            coverage: NOTHING_COVERED,
            last: Span::default(),
            blocks: NO_BLOCKS,
            position: 0,
            cursor: 0,
        });
        self.hypotheses.push(Hypothesis {
            parent: NONE,
            option: NONE,
            group,
            alternative: NONE,
            score: 0.0,
            priority: 0.0,
        });
        self.states.extend_from_slice(start);
        self.stacks[0].members.push(0);
    }

    /// The number of a group.
    pub fn group(&mut self, key: GroupKey) -> u32 {
        let groups = &mut self.groups;
        *self.group_numbers.entry(key).or_insert_with(|| {
            groups.push(key);
            groups.len() as u32 - 1
        })
    }

    /// What is still to come after `coverage` with the last phrase ending before `position`.
    pub fn outlook(&mut self, model: &LogLinear, coverage: u32, position: u32) -> f32 {
        self.coverages.gaps(coverage, &mut self.scratch.gaps);
        let distance = least_distance(&self.scratch.gaps, position);
        self.future.gaps(&self.scratch.gaps) - model.weights.distortion.max(0.0) * distance
    }

    /// Adds a hypothesis to a stack or recombines it with one of the same state. With
    /// `keep_alternatives` the loser stays in the lattice.
    pub fn insert(
        &mut self,
        stack: usize,
        hypothesis: Hypothesis,
        states: &[State],
        keep_alternatives: bool,
    ) {
        let models = states.len();
        let forward = |option: u32| self.options.options[option as usize].forward;
        let hash = |group: u32, forward: u32, states: &[State]| {
            let mut hasher = FxHasher::default();
            hasher.write_u64(u64::from(group) << 32 | u64::from(forward));
            for state in states {
                state.hash(&mut hasher);
            }
            hasher.finish()
        };
        let states_of =
            |number: u32| &self.states[number as usize * models..(number as usize + 1) * models];
        let this = &mut self.stacks[stack];
        let hashed = hash(hypothesis.group, forward(hypothesis.option), states);
        let found = this.states.find(hashed, |&number| {
            let other = &self.hypotheses[number as usize];
            other.group == hypothesis.group
                && forward(other.option) == forward(hypothesis.option)
                && states_of(number) == states
        });
        this.best = this.best.max(hypothesis.priority);
        let number = self.hypotheses.len() as u32;
        if let Some(&winner) = found {
            let old = self.hypotheses[winner as usize];
            let (kept, lost) = if hypothesis.score > old.score {
                (hypothesis, old)
            } else {
                (old, hypothesis)
            };
            self.hypotheses[winner as usize] = Hypothesis {
                alternative: old.alternative,
                ..kept
            };
            if keep_alternatives {
                self.hypotheses[winner as usize].alternative = number;
                self.hypotheses.push(Hypothesis {
                    alternative: old.alternative,
                    ..lost
                });
                self.states.extend_from_slice(states);
            }
            return;
        }
        this.members.push(number);
        let hypotheses = &mut self.hypotheses;
        hypotheses.push(hypothesis);
        self.states.extend_from_slice(states);
        let all_states = &self.states;
        let options = &self.options.options;
        this.states.insert_unique(hashed, number, |&other| {
            let hypothesis = &hypotheses[other as usize];
            let states = &all_states[other as usize * models..(other as usize + 1) * models];
            hash(
                hypothesis.group,
                options[hypothesis.option as usize].forward,
                states,
            )
        });
    }

    /// Drops all but the best `limit` of a stack that is still being filled.
    pub fn prune(&mut self, stack: usize, limit: usize, beam: f32) {
        let hypotheses = &self.hypotheses;
        let this = &mut self.stacks[stack];
        let least = this.best + beam;
        let kept = this.members.len();
        this.members
            .retain(|&number| hypotheses[number as usize].priority >= least);
        if this.members.len() > limit {
            this.members.select_nth_unstable_by(limit, |&a, &b| {
                let (x, y) = (&hypotheses[a as usize], &hypotheses[b as usize]);
                y.priority.total_cmp(&x.priority).then(a.cmp(&b))
            });
            this.members.truncate(limit);
            let priorities = this.members.iter();
            this.bar = priorities
                .map(|&number| hypotheses[number as usize].priority)
                .fold(f32::INFINITY, f32::min);
            // The order in which members were found decides ties later on.
            this.members.sort_unstable();
        }
        if this.members.len() < kept {
            let members: &[u32] = &this.members;
            this.states
                .retain(|number| members.binary_search(number).is_ok());
        }
    }

    /// Sorts a stack's members by coverage and group; nothing is added to it from here on.
    pub fn close(&mut self, stack: usize, forward: bool) {
        let this = &mut self.stacks[stack];
        let (hypotheses, groups) = (&self.hypotheses, &self.groups);
        let options = &self.options.options;
        let best_of = |number: u32| {
            let hypothesis = &hypotheses[number as usize];
            let waiting = match options.get(hypothesis.option as usize) {
                Some(option) if forward => option.best_forward,
                _ => 0.0,
            };
            hypothesis.score + waiting
        };
        let coverage_of = |number: u32| groups[hypotheses[number as usize].group as usize].coverage;
        // Coverages in the order of their first member, so that nothing depends on hashing.
        let Scratch { slots, order, gaps } = &mut self.scratch;
        order.clear();
        slots.clear();
        for &number in &this.members {
            let next = slots.len() as u32;
            let slot = *slots.entry(coverage_of(number)).or_insert(next);
            order.push(Placed {
                slot,
                group: hypotheses[number as usize].group,
                number,
                best: best_of(number),
            });
        }
        order.sort_unstable_by(|a, b| {
            (a.slot, a.group)
                .cmp(&(b.slot, b.group))
                .then_with(|| b.best.total_cmp(&a.best))
                .then(a.number.cmp(&b.number))
        });
        for (position, placed) in order.iter().enumerate() {
            let (position, number) = (position as u32, placed.number);
            let (slot, group, best) = (placed.slot, placed.group, placed.best);
            let key = &groups[group as usize];
            if this.coverages.len() as u32 == slot {
                self.coverages.gaps(key.coverage, gaps);
                let first_gap = this.gaps.len() as u32;
                this.gaps.extend_from_slice(gaps);
                this.coverages.push(StackCoverage {
                    coverage: key.coverage,
                    first_group: this.groups.len() as u32,
                    end_group: 0,
                    first_gap,
                    end_gap: this.gaps.len() as u32,
                    best: f32::NEG_INFINITY,
                    future: self.future.gaps(gaps),
                    ends: (u32::MAX, 0),
                });
            }
            let is_new = position == 0 || order[position as usize - 1].group != group;
            if is_new {
                this.groups.push(StackGroup {
                    group,
                    first: position,
                    end: position,
                });
            }
            if let Some(last) = this.groups.last_mut() {
                last.end = position + 1;
            }
            if let Some(coverage) = this.coverages.last_mut() {
                coverage.end_group = this.groups.len() as u32;
                coverage.best = coverage.best.max(best);
                coverage.ends.0 = coverage.ends.0.min(key.last.end);
                coverage.ends.1 = coverage.ends.1.max(key.last.end);
            }
            this.ordered.push(number);
        }
    }

    pub fn states_of(&self, hypothesis: u32, models: usize) -> &[State] {
        let start = hypothesis as usize * models;
        &self.states[start..start + models]
    }
}
