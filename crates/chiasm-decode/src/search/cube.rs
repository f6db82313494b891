//! Cube pruning (Huang and Chiang 2007) in three steps of laziness.
//!
//! Stack by stack, the most promising of the following is taken from one queue:
//! 1. a *region*: all hypotheses of one coverage with all options of one source span. Its bound
//!    needs no look at hypotheses or options, so long jumps cost little until they are promising;
//! 2. a *cell*: one hypothesis of one reordering group with one option, with the language model
//!    score of the option in isolation. The cells of a group and a span form a grid whose rows
//!    and columns are sorted, so only neighbours of cells already seen need to be in the queue;
//! 3. a *candidate*: a cell with its true score. It becomes a hypothesis when it is taken.

use super::operations::Entry;
use super::{Hypothesis, Search};
use chiasm_lm::State;
use chiasm_phrases::Span;
use chiasm_work::cancel;
use std::collections::BinaryHeap;

const UNKNOWN: u32 = u32::MAX;

struct Region {
    stack: u32,
    coverage: u32,
    span: u32,
}

struct Cube {
    /// The group's hypotheses in `ordered` of the stack.
    stack: u32,
    first_row: u32,
    end_row: u32,
    /// The options in `columns`.
    first_column: u32,
    end_column: u32,
    group: u32,
    span: u32,
    coverage: u32,
    next_group: u32,
    forward: u8,
    backward: u8,
    /// Weighted distance and the like.
    step: f32,
    /// The moves of models of operations.
    entry: Entry,
    outlook: f32,
}

#[derive(Clone, Copy)]
struct Cell {
    cube: u32,
    row: u32,
    column: u32,
    /// Where the candidate's states and score are, once it is one.
    candidate: u32,
}

#[derive(Clone, Copy)]
struct Column {
    option: u32,
    score: f32,
}

/// Memory of the cube pruning search, reused.
#[derive(Default)]
pub(crate) struct CubeMemory {
    queue: BinaryHeap<u64>,
    regions: Vec<Region>,
    cubes: Vec<Cube>,
    cells: Vec<Cell>,
    candidates: Vec<(f32, f32)>,
    candidate_states: Vec<State>,
    /// For each span and pair of relations, its options in order.
    column_lists: Vec<(u32, u32)>,
    columns: Vec<Column>,
    states: Vec<State>,
}

const REGION: u32 = 1 << 31;

/// A queue entry: the score, then the smaller number first.
fn entry(score: f32, number: u32) -> u64 {
    let bits = score.to_bits();
    let ordered = if bits >> 31 == 1 {
        !bits
    } else {
        bits | 1 << 31
    };
    u64::from(ordered) << 32 | u64::from(!number)
}

fn entry_number(entry: u64) -> u32 {
    !(entry as u32)
}

impl Search<'_> {
    pub(super) fn run_cube(&mut self, memory: &mut CubeMemory) {
        memory.columns.clear();
        memory.column_lists.clear();
        let spans = self.chart.options.spans.len();
        memory.column_lists.resize(
            spans * self.model.uses.relations.codes(),
            (UNKNOWN, UNKNOWN),
        );
        let has_forward = !self.model.layout().forward().is_empty();
        self.chart.close(0, has_forward);
        for stack in 1..=self.length() {
            cancel::check();
            self.fill_stack(stack, memory);
            let beam = self.beam();
            self.chart.prune(stack, self.settings.stack.max(1), beam);
            self.chart.close(stack, has_forward);
        }
    }

    fn fill_stack(&mut self, stack: usize, memory: &mut CubeMemory) {
        memory.regions.clear();
        memory.cubes.clear();
        memory.cells.clear();
        memory.candidates.clear();
        memory.candidate_states.clear();
        self.queue_regions(stack, memory);
        let beam = self.beam();
        // What takes time is the scoring of cells, so that is what is counted.
        let mut scored = 0;
        while scored < self.settings.pop_limit.max(1) {
            let Some(top) = memory.queue.pop() else {
                break;
            };
            let number = entry_number(top);
            if number & REGION != 0 {
                self.open_region(number & !REGION, memory);
                continue;
            }
            let cell = memory.cells[number as usize];
            if cell.candidate != UNKNOWN {
                self.take(stack, cell, memory, beam);
                continue;
            }
            scored += 1;
            self.queue_neighbours(cell, memory);
            let priority = self.evaluate(stack, number as usize, memory);
            let next = entry(priority, number);
            // A candidate that would come out again at once need not go in.
            if memory.queue.peek().is_none_or(|&best| next >= best) {
                self.take(stack, memory.cells[number as usize], memory, beam);
            } else {
                memory.queue.push(next);
            }
        }
        self.take_waiting(stack, memory, beam);
    }

    /// Candidates that are still in the queue when the limit is reached have been paid for.
    fn take_waiting(&mut self, stack: usize, memory: &mut CubeMemory, beam: f32) {
        let mut waiting = std::mem::take(&mut memory.queue).into_vec();
        waiting.retain(|&entry| {
            let number = entry_number(entry);
            number & REGION == 0 && memory.cells[number as usize].candidate != UNKNOWN
        });
        waiting.sort_unstable_by(|a, b| b.cmp(a));
        for &entry in &waiting {
            let cell = memory.cells[entry_number(entry) as usize];
            self.take(stack, cell, memory, beam);
        }
        waiting.clear();
        memory.queue = BinaryHeap::from(waiting);
    }

    /// Finds every coverage and span that lead to `stack`.
    fn queue_regions(&self, stack: usize, memory: &mut CubeMemory) {
        let chart = &self.chart;
        let mut entries = std::mem::take(&mut memory.queue).into_vec();
        entries.clear();
        let limit = self.settings.distortion_limit.map(u32::from);
        for length in 1..=chart.options.longest().min(stack) {
            let from = &chart.stacks[stack - length];
            for (index, coverage) in from.coverages.iter().enumerate() {
                let gaps = &from.gaps[coverage.first_gap as usize..coverage.end_gap as usize];
                let Some(first_gap) = gaps.first().map(|gap| gap.start) else {
                    continue;
                };
                let (mut least, mut most) = (0, u32::MAX);
                if let Some(limit) = limit {
                    least = coverage.ends.0.saturating_sub(limit);
                    most = coverage.ends.1.saturating_add(limit);
                }
                for gap in gaps {
                    let around = coverage.future - chart.future.span(*gap);
                    for start in gap.start.max(least)..=gap.end.min(most) {
                        let end = start + length as u32;
                        if end > gap.end {
                            break;
                        }
                        if limit.is_some_and(|d| start != first_gap && end - first_gap > d) {
                            break;
                        }
                        let Some(span) = chart.options.span_at(length, start as usize) else {
                            continue;
                        };
                        let future = around
                            + chart.future.span(Span::new(gap.start, start))
                            + chart.future.span(Span::new(end, gap.end));
                        let bound = coverage.best + chart.options.spans[span].best + future;
                        entries.push(entry(bound, memory.regions.len() as u32 | REGION));
                        memory.regions.push(Region {
                            stack: (stack - length) as u32,
                            coverage: index as u32,
                            span: span as u32,
                        });
                    }
                }
            }
        }
        memory.queue = BinaryHeap::from(entries);
    }

    /// Makes a grid of each group and queues its best cell.
    fn open_region(&mut self, number: u32, memory: &mut CubeMemory) {
        let region = &memory.regions[number as usize];
        let (from, span_number) = (region.stack as usize, region.span);
        let span = self.chart.options.spans[span_number as usize].span;
        let coverage = self.chart.stacks[from].coverages[region.coverage as usize];
        let first_gap = self.chart.stacks[from].gaps[coverage.first_gap as usize].start;
        let next_coverage = self.chart.coverages.extend(coverage.coverage, span);
        let outlook = self.chart.outlook(self.model, next_coverage, span.end);
        for index in coverage.first_group..coverage.end_group {
            let group = self.chart.stacks[from].groups[index as usize];
            let key = self.chart.groups[group.group as usize];
            if !self.is_reachable(key.last.end, first_gap, span) || !self.is_joinable(&key, span) {
                continue;
            }
            let step = self.step(&key, span);
            let (first_column, end_column) =
                self.column_list(span_number as usize, step.backward, memory);
            memory.cubes.push(Cube {
                stack: from as u32,
                first_row: group.first,
                end_row: group.end,
                first_column,
                end_column,
                group: group.group,
                span: span_number,
                coverage: next_coverage,
                next_group: UNKNOWN,
                forward: step.forward,
                backward: step.backward,
                step: step.score,
                entry: step.entry,
                outlook,
            });
            self.queue_cell(memory.cubes.len() as u32 - 1, 0, 0, memory);
        }
    }

    /// The options of a span, best first, under a pair of relations.
    fn column_list(&self, span: usize, code: u8, memory: &mut CubeMemory) -> (u32, u32) {
        let slot = span * self.model.uses.relations.codes() + usize::from(code);
        let known = memory.column_lists[slot];
        if known.0 != UNKNOWN {
            return known;
        }
        let options = self.chart.options.spans[span];
        let first = memory.columns.len();
        for option in options.first..options.end {
            let details = &self.chart.options.options[option as usize];
            let score = details.score
                + details.language
                + details.best_forward
                + self.backward_score(option, code);
            memory.columns.push(Column { option, score });
        }
        memory.columns[first..].sort_by(|a, b| b.score.total_cmp(&a.score));
        let list = (first as u32, memory.columns.len() as u32);
        memory.column_lists[slot] = list;
        list
    }

    fn queue_cell(&self, cube_number: u32, row: u32, column: u32, memory: &mut CubeMemory) {
        let cube = &memory.cubes[cube_number as usize];
        if cube.first_row + row >= cube.end_row || cube.first_column + column >= cube.end_column {
            return;
        }
        let ordered = &self.chart.stacks[cube.stack as usize].ordered;
        let parent = &self.chart.hypotheses[ordered[(cube.first_row + row) as usize] as usize];
        let estimate = parent.score
            + self.forward_score(parent.option, cube.forward)
            + cube.step
            + cube.entry.support
            + memory.columns[(cube.first_column + column) as usize].score
            + cube.outlook;
        let number = memory.cells.len() as u32;
        memory.cells.push(Cell {
            cube: cube_number,
            row,
            column,
            candidate: UNKNOWN,
        });
        memory.queue.push(entry(estimate, number));
    }

    /// Each cell but the first has one neighbour that queues it.
    fn queue_neighbours(&self, cell: Cell, memory: &mut CubeMemory) {
        self.queue_cell(cell.cube, cell.row, cell.column + 1, memory);
        if cell.column == 0 {
            self.queue_cell(cell.cube, cell.row + 1, 0, memory);
        }
    }

    /// Gives a cell its true score; the result is its priority.
    fn evaluate(&self, stack: usize, number: usize, memory: &mut CubeMemory) -> f32 {
        let cell = memory.cells[number];
        let cube = &memory.cubes[cell.cube as usize];
        let ordered = &self.chart.stacks[cube.stack as usize].ordered;
        let parent = ordered[(cube.first_row + cell.row) as usize];
        let before = &self.chart.hypotheses[parent as usize];
        let column = memory.columns[(cube.first_column + cell.column) as usize];
        let details = &self.chart.options.options[column.option as usize];
        let models = self.state_count();
        memory.states.clear();
        memory
            .states
            .extend_from_slice(self.chart.states_of(parent, models));
        let is_last = stack == self.length();
        let states = &mut memory.states;
        let key = &self.chart.groups[cube.group as usize];
        let language = self.language_score(column.option, is_last, states)
            + self.operation_score(key, &cube.entry, column.option, is_last, states)
            + self.joint_score(column.option, is_last, states);
        let score = before.score
            + self.forward_score(before.option, cube.forward)
            + cube.step
            + details.score
            + self.backward_score(column.option, cube.backward)
            + language;
        let waiting = if is_last { 0.0 } else { details.best_forward };
        let priority = score + waiting + cube.outlook;
        memory.cells[number].candidate = memory.candidates.len() as u32;
        memory.candidates.push((score, priority));
        memory.candidate_states.extend_from_slice(&memory.states);
        priority
    }

    /// Makes a candidate a hypothesis.
    fn take(&mut self, stack: usize, cell: Cell, memory: &mut CubeMemory, beam: f32) {
        let (score, priority) = memory.candidates[cell.candidate as usize];
        if priority < self.chart.stacks[stack].best + beam {
            return;
        }
        let cube = &mut memory.cubes[cell.cube as usize];
        let option = memory.columns[(cube.first_column + cell.column) as usize].option;
        let span = self.chart.options.spans[cube.span as usize].span;
        let cursor = self.cursor_after(option);
        let usual = cursor == 0 || cursor == span.end;
        let group = match usual && cube.next_group != UNKNOWN {
            true => cube.next_group,
            false => {
                let key = self.chart.groups[cube.group as usize];
                self.next_group(key, span, cube.coverage, (0, cursor))
            }
        };
        if usual {
            cube.next_group = group;
        }
        let ordered = &self.chart.stacks[cube.stack as usize].ordered;
        let hypothesis = Hypothesis {
            parent: ordered[(cube.first_row + cell.row) as usize],
            option,
            group,
            alternative: super::NONE,
            score,
            priority,
        };
        let models = self.state_count();
        let first = cell.candidate as usize * models;
        let states = &memory.candidate_states[first..first + models];
        self.chart
            .insert(stack, hypothesis, states, self.keep_alternatives);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn entries_sort_by_score_then_number(a in -1e6f32..1e6, b in -1e6f32..1e6, n in 0u32..99) {
            prop_assert_eq!(entry(a, n).cmp(&entry(b, n)), a.total_cmp(&b));
            prop_assert!(entry(a, n) > entry(a, n + 1));
            prop_assert_eq!(entry_number(entry(a, n)), n);
        }
    }
}
