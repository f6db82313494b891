//! What was learned of a source phrase, scored with the columns of the system's table,
//! p(e|f) = (c(f,e) + t p_table(e|f)) / (c(f) + t), and p(f|e) alike.

use super::Strengths;
use super::phrases::{Pair, Phrases};
use crate::Result;
use crate::system::System;
use crate::weights::ChannelSource;
use chiasm_phrases::PhraseLink;
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::sync::{Arc, Mutex, PoisonError};

/// A learned translation, with all that is the same in every sentence.
#[derive(Clone, Debug)]
pub(crate) struct Translation {
    pair: u32,
    pub target: Vec<u32>,
    pub links: Vec<PhraseLink>,
    /// Logarithms for each class of each table channel; 0 for channels of models.
    pub orientation: Vec<f32>,
    /// What the table says of the same pair.
    row: Option<Vec<f32>>,
}

/// The translations of source phrases that somebody has asked for, by the phrase and how many were wanted. A copy begins
/// without any, because more may be learned there.
#[derive(Debug, Default)]
pub(crate) struct Asked(Mutex<HashMap<(u32, usize), Translations>>);

type Translations = Arc<[Translation]>;

impl Clone for Asked {
    fn clone(&self) -> Self {
        Asked::default()
    }
}

/// A learned source phrase.
pub(crate) struct LearnedPhrase {
    pub translations: Translations,
    /// Of each translation one a phrase score of the system.
    pub columns: Vec<Vec<f32>>,
    /// What remains of the table's own p(e|f) for what was not learned.
    pub remaining: f32,
    /// What its translations gain, in units of the sum of the table's weights.
    pub bonus: f32,
}

impl LearnedPhrase {
    /// Leaves out translations that are not wanted.
    pub fn retain(&mut self, wanted: impl Fn(&[u32]) -> bool) {
        let all = self.translations.iter().cloned();
        let kept = all.zip(std::mem::take(&mut self.columns));
        let kept = kept.filter(|(one, _)| wanted(&one.target));
        let (translations, columns): (Vec<Translation>, Vec<Vec<f32>>) = kept.unzip();
        (self.translations, self.columns) = (translations.into(), columns);
    }
}

impl Phrases {
    /// What was learned of a source phrase: the most frequent translations, at most `limit` (0: all).
    pub fn find(
        &self,
        system: &System,
        strengths: &Strengths,
        source: &[u32],
        limit: usize,
    ) -> Result<Option<LearnedPhrase>> {
        let strength = strengths.table;
        let Some(number) = self.source(source) else {
            return Ok(None);
        };
        let known = &self.sources[number as usize];
        let translations = self.translations(system, number, source, limit)?;
        let columns = translations.iter().map(|one| {
            let pair = &self.pairs[one.pair as usize];
            self.columns(system, known.count, pair, one.row.as_deref(), strength)
        });
        Ok(Some(LearnedPhrase {
            columns: columns.collect(),
            translations: translations.clone(),
            remaining: strength / (known.count as f32 + strength),
            bonus: strengths.bonus,
        }))
    }

    fn translations(
        &self,
        system: &System,
        number: u32,
        source: &[u32],
        limit: usize,
    ) -> Result<Translations> {
        let asked = || self.asked.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = asked().get(&(number, limit)) {
            return Ok(known.clone());
        }
        let made: Translations = self.most_frequent(system, number, source, limit)?.into();
        asked().insert((number, limit), made.clone());
        Ok(made)
    }

    fn most_frequent(
        &self,
        system: &System,
        number: u32,
        source: &[u32],
        limit: usize,
    ) -> Result<Vec<Translation>> {
        let mut order: Vec<u32> = self.pairs_of(number).collect();
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
        let translations = order.into_iter().zip(rows).map(|(pair, row)| Translation {
            pair,
            target: self.target(pair).to_vec(),
            links: self.links(&self.pairs[pair as usize]),
            orientation: self.orientation(system, pair, row.as_deref()),
            row,
        });
        Ok(translations.collect())
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
