//! Stack decoding with full expansion (Koehn 2004): every hypothesis of a stack is extended with
//! every option of every span it may go on with. Slow and thorough; also used to force a given
//! translation.

use super::{Hypothesis, Search};
use chiasm_lm::State;
use chiasm_phrases::Span;
use chiasm_work::cancel;

/// A stack may hold this many times its limit before it is pruned.
const SLACK: usize = 3;

impl Search<'_> {
    pub(super) fn run_expansion(&mut self) {
        let has_forward = !self.model.layout().forward().is_empty();
        for stack in 0..=self.length() {
            cancel::check();
            if stack > 0 {
                let beam = self.beam();
                self.chart.prune(stack, self.settings.stack.max(1), beam);
            }
            self.chart.close(stack, has_forward);
            for index in 0..self.chart.stacks[stack].coverages.len() {
                self.expand_coverage(stack, index);
            }
        }
    }

    fn expand_coverage(&mut self, stack: usize, index: usize) {
        let coverage = self.chart.stacks[stack].coverages[index];
        for gap_index in coverage.first_gap..coverage.end_gap {
            let first_gap = self.chart.stacks[stack].gaps[coverage.first_gap as usize].start;
            let gap = self.chart.stacks[stack].gaps[gap_index as usize];
            for start in gap.start..gap.end {
                let longest = self.chart.options.longest().min((gap.end - start) as usize);
                for length in 1..=longest {
                    let Some(number) = self.chart.options.span_at(length, start as usize) else {
                        continue;
                    };
                    let span = self.chart.options.spans[number].span;
                    for group in coverage.first_group..coverage.end_group {
                        self.expand_group(stack, group as usize, first_gap, number, span);
                    }
                }
            }
        }
    }

    fn expand_group(
        &mut self,
        stack: usize,
        group_index: usize,
        first_gap: u32,
        number: usize,
        span: Span,
    ) {
        let group = self.chart.stacks[stack].groups[group_index];
        let key = self.chart.groups[group.group as usize];
        if !self.is_reachable(key.last.end, first_gap, span) || !self.is_joinable(&key, span) {
            return;
        }
        let step = self.step(&key, span);
        let target_stack = stack + span.len();
        let is_last = target_stack == self.length();
        let coverage = self.chart.coverages.extend(key.coverage, span);
        let outlook = self.chart.outlook(self.model, coverage, span.end);
        let models = self.state_count();
        let limit = self.settings.stack.max(1);
        let mut states: Vec<State> = Vec::with_capacity(models);
        let options = self.chart.options.spans[number];
        for option in options.first..options.end {
            let Some(position) = self.position_after(key.position, option, is_last) else {
                continue;
            };
            let cursor = self.cursor_after(option);
            let next_group = self.next_group(key, span, coverage, (position, cursor));
            let details = self.chart.options.options[option as usize];
            let backward = self.backward_score(option, step.backward);
            for row in group.first..group.end {
                let parent = self.chart.stacks[stack].ordered[row as usize];
                let before = self.chart.hypotheses[parent as usize];
                states.clear();
                states.extend_from_slice(self.chart.states_of(parent, models));
                let score = before.score
                    + self.forward_score(before.option, step.forward)
                    + step.score
                    + details.score
                    + backward
                    + self.language_score(option, is_last, &mut states)
                    + self.operation_score(&key, &step.entry, option, is_last, &mut states)
                    + self.joint_score(option, is_last, &mut states);
                let waiting = if is_last { 0.0 } else { details.best_forward };
                let hypothesis = Hypothesis {
                    parent,
                    option,
                    group: next_group,
                    alternative: super::NONE,
                    score,
                    priority: score + waiting + outlook,
                };
                let into = &self.chart.stacks[target_stack];
                let least = into.bar.max(into.best + self.beam());
                if hypothesis.priority < least {
                    continue;
                }
                self.chart
                    .insert(target_stack, hypothesis, &states, self.keep_alternatives);
                if self.chart.stacks[target_stack].members.len() > SLACK * limit {
                    let beam = self.beam();
                    self.chart.prune(target_stack, limit, beam);
                }
            }
        }
    }

    /// How many target words there are after the option; `None` if it does not continue the given
    /// translation.
    fn position_after(&self, position: u32, option: u32, is_last: bool) -> Option<u32> {
        let Some(target) = self.target else {
            return Some(0);
        };
        let words = &self.chart.options.words;
        let words = &words.words[words.range(option as usize)];
        let rest = target.get(position as usize..)?;
        let after = position + words.len() as u32;
        let complete = !is_last || after as usize == target.len();
        (rest.starts_with(words) && complete).then_some(after)
    }
}
