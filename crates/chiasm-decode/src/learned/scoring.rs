//! What was learned of a source phrase, scored with the columns of the system's table,
//! p(e|f) = (c(f,e) + t p_table(e|f)) / (c(f) + t), and p(f|e) alike.

use super::Strengths;
use super::phrases::{Pair, Phrases};
use crate::Result;
use crate::system::System;
use crate::weights::ChannelSource;
use chiasm_phrases::PhraseLink;
use std::cmp::Reverse;

/// A learned translation of a source span.
pub(crate) struct LearnedOption<'a> {
    pub target: &'a [u32],
    pub links: Vec<PhraseLink>,
    /// One a phrase score of the system.
    pub columns: Vec<f32>,
    /// Logarithms for each class of each table channel; 0 for channels of models.
    pub orientation: Vec<f32>,
}

/// A learned source phrase.
pub(crate) struct LearnedPhrase<'a> {
    pub options: Vec<LearnedOption<'a>>,
    /// What remains of the table's own p(e|f) for what was not learned.
    pub remaining: f32,
    /// What its translations gain, in units of the sum of the table's weights.
    pub bonus: f32,
}

impl Phrases {
    /// What was learned of a source phrase: the most frequent translations, at most `limit` (0: all).
    pub fn find(
        &self,
        system: &System,
        strengths: &Strengths,
        source: &[u32],
        limit: usize,
    ) -> Result<Option<LearnedPhrase<'_>>> {
        let strength = strengths.table;
        let Some(known) = self.source(source) else {
            return Ok(None);
        };
        let mut order: Vec<u32> = self.pairs_of(known).collect();
        // What was learned first comes first among equals.
        let rank = |&number: &u32| (Reverse(self.pairs[number as usize].count), number);
        if limit > 0 && order.len() > limit {
            order.select_nth_unstable_by_key(limit - 1, rank);
            order.truncate(limit);
        }
        order.sort_unstable_by_key(rank);
        let table = system.phrase_table();
        let mut rows: Vec<Option<Vec<f32>>> = vec![None; order.len()];
        for entry in table.find(source)? {
            let said = table.option(entry)?.target;
            let is_it = |&number: &u32| *self.target(number) == *said;
            if let Some(place) = order.iter().position(is_it)
                && rows[place].is_none()
            {
                let mut scores = vec![0.0; system.layout().table_columns];
                table.scores(entry, &mut scores)?;
                rows[place] = Some(scores);
            }
        }
        let options = order.iter().zip(&rows).map(|(&number, row)| {
            let (pair, row) = (&self.pairs[number as usize], row.as_deref());
            LearnedOption {
                target: self.target(number),
                links: self.links(pair),
                columns: self.columns(system, known.count, pair, row, strength),
                orientation: self.orientation(system, number, row),
            }
        });
        Ok(Some(LearnedPhrase {
            options: options.collect(),
            remaining: strength / (known.count as f32 + strength),
            bonus: strengths.bonus,
        }))
    }

    /// p(f|e), lex(f|e), p(e|f), lex(e|f), as tables of Moses have them; other tables get p(e|f) throughout.
    fn columns(
        &self,
        system: &System,
        of_source: u32,
        pair: &Pair,
        row: Option<&[f32]>,
        strength: f32,
    ) -> Vec<f32> {
        let columns = system.layout().phrase_scores.len();
        let base = |column: usize| row.map_or(0.0, |row| row[column].exp());
        let blend = |count: u32, total: u32, base: f32| {
            ((count as f32 + strength * base) / (total as f32 + strength)).ln()
        };
        let of_target = self.targets[pair.target as usize].count;
        if columns != 4 {
            return vec![blend(pair.count, of_source, 0.0); columns];
        }
        let lexical = |side: usize, column: usize| match row {
            Some(row) => row[column],
            None => pair.lexical[side].max(1e-7).ln(),
        };
        vec![
            blend(pair.count, of_target, base(0)),
            lexical(0, 1),
            blend(pair.count, of_source, base(2)),
            lexical(1, 3),
        ]
    }

    /// p(o) = (c(o) + s p_table(o)) / (n + s) for the channels of tables, s half a sighting a class as in the tables
    /// themselves; without a row of the table all classes are alike.
    fn orientation(&self, system: &System, pair: u32, row: Option<&[f32]>) -> Vec<f32> {
        let layout = system.layout();
        let mut answer = vec![0.0; layout.orientation_scores];
        let mut first = pair as usize * self.classes();
        for channel in &self.channels {
            let classes = channel.classes.len();
            let counts = &self.orientations[first..first + classes];
            first += classes;
            let ChannelSource::Table(column) = channel.source else {
                continue;
            };
            let strength = 0.5 * classes as f32;
            let total: f32 = counts.iter().map(|&count| f32::from(count)).sum();
            for (class, &count) in counts.iter().enumerate() {
                let base = row.map_or(1.0 / classes as f32, |row| row[column + class].exp());
                let probability = (f32::from(count) + strength * base) / (total + strength);
                answer[channel.offset + class] = probability.max(1e-7).ln();
            }
        }
        answer
    }
}
