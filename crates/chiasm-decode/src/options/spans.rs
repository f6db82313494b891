//! The options of a sentence by the source words they cover.

use super::{NO_SPAN, SentenceOptions, SpanOptions};
use chiasm_phrases::Span;

impl SentenceOptions {
    /// Ends the options of a span that began at `first`.
    pub(super) fn close_span(&mut self, span: Span, first: usize) {
        if first == self.options.len() {
            return;
        }
        let best = self.options[first..]
            .iter()
            .map(|option| {
                option.score + option.language + option.best_backward + option.best_forward
            })
            .fold(f32::NEG_INFINITY, f32::max);
        self.spans.push(SpanOptions {
            span,
            first: first as u32,
            end: self.options.len() as u32,
            best,
        });
    }

    pub(super) fn index(&mut self, length: usize) {
        // Spans of the table and of constraints that cover the same words stay apart in `spans`,
        // but the search wants one entry a span.
        self.spans
            .sort_by_key(|span| (span.span.start, span.span.end, span.first));
        self.merge_equal_spans();
        for (number, span) in self.spans.iter().enumerate() {
            let size = span.span.len();
            if self.by_length.len() <= size {
                self.by_length.resize_with(size + 1, Vec::new);
            }
            if self.by_length[size].is_empty() {
                self.by_length[size].resize(length, NO_SPAN);
            }
            self.by_length[size][span.span.start as usize] = number as u32;
        }
    }

    /// Copies options so that those of one span are neighbours; rare (inclusive markup only).
    fn merge_equal_spans(&mut self) {
        let mut merged: Vec<SpanOptions> = Vec::with_capacity(self.spans.len());
        for index in 0..self.spans.len() {
            let span = self.spans[index];
            match merged.last_mut() {
                Some(last) if last.span == span.span => {
                    let ranges = [(last.first, last.end), (span.first, span.end)];
                    let best = last.best.max(span.best);
                    let first = self.options.len() as u32;
                    for option in ranges.iter().flat_map(|&(first, end)| first..end) {
                        self.duplicate(option as usize);
                    }
                    *last = SpanOptions {
                        span: span.span,
                        first,
                        end: self.options.len() as u32,
                        best,
                    };
                }
                _ => merged.push(span),
            }
        }
        self.spans = merged;
    }

    fn duplicate(&mut self, option: usize) {
        let options = self.options.len();
        let models = self.words.final_states.len() / options;
        let width = self.orientation.len() / options;
        self.options.push(self.options[option]);
        let range = self.words.range(option);
        let ids = range.start * models..range.end * models;
        self.words.words.extend_from_within(range.clone());
        self.words.ends.push(self.words.words.len() as u32);
        self.words.language_ids.extend_from_within(ids.clone());
        self.words.inside.extend_from_within(ids);
        self.words
            .final_states
            .extend_from_within(option * models..(option + 1) * models);
        self.operations.duplicate(option);
        self.joint.duplicate(range.clone());
        let scores = option * width..(option + 1) * width;
        self.orientation.extend_from_within(scores.clone());
        self.weighted.extend_from_within(scores);
    }

    /// The longest span with options.
    pub fn longest(&self) -> usize {
        self.by_length.len().saturating_sub(1)
    }

    /// The number of the span of `length` words from `start` on, if it has options.
    pub fn span_at(&self, length: usize, start: usize) -> Option<usize> {
        let number = *self.by_length.get(length)?.get(start)?;
        (number != NO_SPAN).then_some(number as usize)
    }
}
