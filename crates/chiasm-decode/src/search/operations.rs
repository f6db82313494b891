//! What models of operation sequences say of a step of the search.

use super::{GroupKey, Search};
use crate::options::DELETED;
use chiasm_lm::State;
use chiasm_operations::{Event, Moves, Place, Support, straight_support, walk};
use chiasm_phrases::Span;

/// What it means for a group's hypotheses to go on with a span from left to right.
#[derive(Clone, Copy, Default)]
pub(crate) struct Entry {
    moves: Moves,
    /// Weighted counts.
    pub support: f32,
}

impl Search<'_> {
    fn place(&self, group: &GroupKey) -> Place {
        let (frontier, open, first) = self.chart.coverages.shape(group.coverage);
        Place {
            cursor: group.cursor,
            frontier,
            open,
            first,
        }
    }

    fn is_covered(&self, group: &GroupKey, word: u32) -> bool {
        let inside = (word as usize) < self.length();
        inside && (self.chart.coverages).is_covered(group.coverage, word as usize)
    }

    /// The moves to the first word of a span, and what is counted there.
    pub(super) fn entry(&self, group: &GroupKey, span: Span) -> Entry {
        if !self.model.uses.operations {
            return Entry::default();
        }
        let covered = |word| self.is_covered(group, word);
        let length = span.len() as u32;
        let (moves, support) = straight_support(self.place(group), span.start, length, covered);
        Entry {
            moves,
            support: self.weighted(support),
        }
    }

    fn weighted(&self, support: Support) -> f32 {
        let weights = &self.model.weights.operation_support;
        let Support {
            gaps,
            open,
            distance,
        } = support;
        -(weights[0] * gaps as f32 + weights[1] * open as f32 + weights[2] * distance as f32)
    }

    /// The weighted score of an option's operations after `states`, those of all models; at the end of the sentence with the
    /// end mark.
    pub(super) fn operation_score(
        &self,
        group: &GroupKey,
        entry: &Entry,
        option: u32,
        is_last: bool,
        states: &mut [State],
    ) -> f32 {
        if !self.model.uses.operations {
            return 0.0;
        }
        let models = self.model.system().operation_models();
        let first = self.model.system().language_models().len();
        let states = &mut states[first..first + models.len()];
        let shape = self.chart.options.operations.shape(option as usize);
        let quick = shape.straight && (!shape.late || entry.moves == Moves::default());
        let mut total = match quick {
            true => self.straight_score(entry, option as usize, states),
            false => self.crooked_score(group, option as usize, states),
        };
        if is_last && self.ends_sentence {
            let weights = &self.model.weights.operation_models;
            for ((model, weight), state) in models.iter().zip(weights).zip(states) {
                let mut after = *state;
                total += weight * model.score(state, model.end(), &mut after);
                *state = model.nothing();
            }
        }
        total
    }

    fn straight_score(&self, entry: &Entry, option: usize, states: &mut [State]) -> f32 {
        let models = self.model.system().operation_models();
        let weights = &self.model.weights.operation_models;
        let operations = &self.chart.options.operations;
        let mut total = entry.support;
        for (number, (model, state)) in models.iter().zip(states).enumerate() {
            let weight = weights[number];
            let mut next = *state;
            for code in entry.moves.codes() {
                total += weight * model.score(state, model.move_id(code), &mut next);
                std::mem::swap(state, &mut next);
            }
            let asked = (model, number, models.len());
            total += operations.score_straight(asked, weight, option, state);
        }
        total
    }

    /// An option that jumps inside: step by step.
    fn crooked_score(&self, group: &GroupKey, option: usize, states: &mut [State]) -> f32 {
        let models = self.model.system().operation_models();
        let weights = &self.model.weights.operation_models;
        let operations = &self.chart.options.operations;
        let start = self.chart.options.options[option].span.start;
        let covered = |word| self.is_covered(group, word);
        let mut place = self.place(group);
        let mut total = 0.0;
        let support = walk(
            operations.positions(option),
            start,
            &mut place,
            covered,
            |event| {
                for (number, (model, state)) in models.iter().zip(states.iter_mut()).enumerate() {
                    let id = match event {
                        Event::Move(code) => model.move_id(code),
                        Event::Step(step) => operations.id(option, step, (number, models.len())),
                    };
                    let before = *state;
                    total += weights[number] * model.score(&before, id, state);
                }
            },
        );
        total + self.weighted(support)
    }

    /// Where the cursor stands after an option.
    pub(super) fn cursor_after(&self, option: u32) -> u32 {
        if !self.model.uses.operations {
            return 0;
        }
        let options = &self.chart.options;
        let inside = options.operations.shape(option as usize).cursor;
        options.options[option as usize].span.start + inside
    }
}

const _: () = assert!(DELETED == 3, "the three counts of a walk come first");
