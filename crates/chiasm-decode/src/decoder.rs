//! The decoder: a system, weights and search settings, shared by any number of threads.

use crate::configuration::SearchSettings;
use crate::describer::Describer;
use crate::input::{Constraint, Input};
use crate::learned::Learned;
use crate::model::LogLinear;
use crate::options::{PhraseCache, Request, stand_in};
use crate::ranking::rank;
use crate::search::lattice::Derivations;
use crate::search::{Chart, CubeMemory, Search};
use crate::system::System;
use crate::translation::Translation;
use crate::unknown::Unknown;
use crate::weights::Weights;
use crate::word_graph::{GraphLimits, WordGraph};
use crate::{Error, Result};
use chiasm_lm::State;
use chiasm_phrases::Span;
use chiasm_work::InOrder;
use hashbrown::HashSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

/// Source phrases whose translations are remembered from sentence to sentence.
const CACHED_PHRASES: usize = 16_000;

/// Sentences differ much in length: a thread may be this many ahead of the output.
pub const SENTENCES_AHEAD: usize = 64;

/// For each distinct translation asked for, this many derivations are looked at, at most.
const DERIVATIONS_A_TRANSLATION: usize = 100;

/// What to find.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// How many translations, at most.
    pub count: usize,
    /// Only translations that differ in their words.
    pub distinct: bool,
}

impl Wanted {
    /// The best translation.
    pub const BEST: Wanted = Wanted {
        count: 1,
        distinct: false,
    };
}

/// Memory for one sentence at a time, reused.
#[derive(Default)]
struct Workspace {
    chart: Chart,
    cube: CubeMemory,
}

/// Translates sentences.
pub struct Decoder {
    model: LogLinear,
    settings: SearchSettings,
    cache: PhraseCache,
    workspaces: Mutex<Vec<Workspace>>,
}

impl Decoder {
    /// A decoder with the weights and settings that the system came with.
    pub fn new(system: Arc<System>) -> Result<Self> {
        let (weights, settings) = (system.weights(), system.configuration().search.clone());
        Self::with_weights(system, &weights, settings)
    }

    /// A decoder with other weights and settings.
    pub fn with_weights(
        system: Arc<System>,
        weights: &Weights,
        settings: SearchSettings,
    ) -> Result<Self> {
        Ok(Decoder {
            model: LogLinear::new(system, weights)?,
            settings,
            cache: PhraseCache::new(CACHED_PHRASES),
            workspaces: Mutex::default(),
        })
    }

    /// The system.
    pub fn system(&self) -> &System {
        self.model.system()
    }

    /// The system, to be held by others, too.
    pub fn shared_system(&self) -> &Arc<System> {
        self.model.shared_system()
    }

    /// The settings.
    pub fn settings(&self) -> &SearchSettings {
        &self.settings
    }

    /// The source words as the search reads them: known forms may stand in for unknown words.
    pub fn words_read(&self, input: &Input) -> Vec<String> {
        let (system, learned) = (self.system(), self.learned(input));
        let read = |token: &String| match self.settings.unknown {
            Unknown::Copy => None,
            Unknown::Nearest => stand_in(system, learned, token),
        };
        let words = input.tokens.iter();
        words
            .map(|token| read(token).unwrap_or_else(|| token.clone()))
            .collect()
    }

    /// The best translation.
    pub fn translate(&self, input: &Input) -> Result<Translation> {
        let mut found = self.nbest(input, Wanted::BEST)?;
        Ok(found.pop().unwrap_or_default())
    }

    /// The best translations, best first. An empty input has one, the empty one.
    ///
    /// Where a neural model chooses, it puts the list into its order; translations then differ in their words.
    ///
    /// An input longer than the window is cut into windows, after punctuation if there is some, and
    /// the windows are translated one after another; the language models see across the cuts, phrases
    /// and jumps do not.
    pub fn nbest(&self, input: &Input, wanted: Wanted) -> Result<Vec<Translation>> {
        if self.settings.ranked < 2 || self.system().ranker().is_none() {
            return self.found(input, wanted);
        }
        let candidates = Wanted {
            count: wanted.count.max(self.settings.ranked),
            distinct: true,
        };
        let mut list = self.found(input, candidates)?;
        rank(self.system(), &input.tokens, &mut list);
        list.truncate(wanted.count);
        Ok(list)
    }

    /// The best translations by their model score.
    fn found(&self, input: &Input, wanted: Wanted) -> Result<Vec<Translation>> {
        self.with_workspace(|workspace| {
            let windows = windows(input, self.settings.window);
            let mut states = self.sentence_start(input);
            let mut all = Vec::new();
            let mut start = 0;
            let count = windows.len();
            for (number, window) in windows.into_iter().enumerate() {
                let is_last = number + 1 == count;
                let asked = (None, wanted);
                let found = self.search(workspace, &window, &mut states, is_last, asked)?;
                all = if number == 0 {
                    found
                } else {
                    combine(&all, &found, start, wanted.count)
                };
                start += window.tokens.len();
            }
            Ok(all)
        })
    }

    /// N-best lists of many sentences, in their order; the result does not depend on `threads`.
    pub fn translate_batch(
        &self,
        inputs: &[Input],
        wanted: Wanted,
        threads: usize,
    ) -> Result<Vec<Vec<Translation>>> {
        let mut lists = Vec::with_capacity(inputs.len());
        self.translate_each(inputs, wanted, threads, |list| lists.push(list))?;
        Ok(lists)
    }

    /// The same, each list given away as soon as its turn comes: long lists of many sentences take much memory.
    pub fn translate_each(
        &self,
        inputs: &[Input],
        wanted: Wanted,
        threads: usize,
        mut take: impl FnMut(Vec<Translation>),
    ) -> Result<()> {
        let mut inputs = inputs.iter();
        InOrder::new(threads).ahead(SENTENCES_AHEAD).run(
            |input: &mut Option<&Input>| {
                *input = inputs.next();
                Ok(input.is_some())
            },
            |input, list| {
                *list = match input {
                    Some(input) => self.nbest(input, wanted)?,
                    None => Vec::new(),
                };
                Ok::<(), Error>(())
            },
            |list| {
                take(std::mem::take(list));
                Ok(())
            },
        )
    }

    /// The best derivations of a given translation; none if the system cannot produce it.
    pub fn force(
        &self,
        input: &Input,
        target: &[String],
        wanted: Wanted,
    ) -> Result<Vec<Translation>> {
        if input.tokens.len() > self.settings.window {
            let limit = self.settings.window;
            return Err(Error::Input(format!(
                "a translation cannot be forced on more than {limit} words"
            )));
        }
        self.with_workspace(|workspace| {
            let mut states = self.sentence_start(input);
            let asked = (Some(target), wanted);
            self.search(workspace, input, &mut states, true, asked)
        })
    }

    fn with_workspace<T>(&self, work: impl FnOnce(&mut Workspace) -> Result<T>) -> Result<T> {
        let mut workspace = self.free_workspaces().pop().unwrap_or_default();
        let outcome = work(&mut workspace);
        self.free_workspaces().push(workspace);
        // No answer of a damaged system leaves; and where it led to an error, the damage is the reason.
        self.system().confirm()?;
        outcome
    }

    fn free_workspaces(&self) -> MutexGuard<'_, Vec<Workspace>> {
        // A poisoned lock only means that another sentence failed; its workspace is gone.
        self.workspaces
            .lock()
            .unwrap_or_else(|error| error.into_inner())
    }

    /// What users have taught: what comes with the input, or else what the system was written with.
    fn learned<'a>(&'a self, input: &'a Input) -> Option<&'a Learned> {
        let written = || self.system().learned().map(Arc::as_ref);
        input.learned.as_deref().or_else(written)
    }

    /// Before the first word.
    fn sentence_start(&self, input: &Input) -> Vec<State> {
        self.model.start(self.learned(input))
    }

    /// The translations that the search looks at, as a graph of phrases with their posteriors, the model scores
    /// counting `scale` times. Where an input is cut into windows, the graph goes on from the best translation
    /// of each.
    pub fn word_graph(&self, input: &Input, limits: GraphLimits, scale: f64) -> Result<WordGraph> {
        self.with_workspace(|workspace| {
            let windows = windows(input, self.settings.window);
            let mut states = self.sentence_start(input);
            let mut whole = WordGraph::default();
            let (mut start, count) = (0, windows.len());
            for (number, window) in windows.into_iter().enumerate() {
                // Lists of more than one keep what was recombined, and so does the graph.
                let asked = (
                    None,
                    Wanted {
                        count: 2,
                        distinct: false,
                    },
                );
                let ends = number + 1 == count;
                self.search(workspace, &window, &mut states, ends, asked)?;
                let graph = WordGraph::of_chart(&workspace.chart, &self.model, limits)?;
                whole.append(graph, start);
                start += window.tokens.len() as u32;
            }
            whole.weigh(scale);
            Ok(whole)
        })
    }

    /// Searches one window; `states` become those after its best translation.
    fn search(
        &self,
        workspace: &mut Workspace,
        input: &Input,
        states: &mut Vec<State>,
        ends_sentence: bool,
        (target, wanted): (Option<&[String]>, Wanted),
    ) -> Result<Vec<Translation>> {
        let request = Request {
            tokens: &input.tokens,
            constraints: &input.constraints,
            target,
            table_limit: self.settings.table_limit,
            learned: self.learned(input),
            unknown: self.settings.unknown,
        };
        let Workspace { chart, cube } = workspace;
        chart.options.collect(&self.model, &self.cache, &request)?;
        let target_ids = match target {
            None => None,
            Some(words) => match self.target_ids(chart, words) {
                Some(ids) => Some(ids),
                None => return Ok(Vec::new()),
            },
        };
        let start = states.clone();
        let mut search = Search {
            model: &self.model,
            settings: &self.settings,
            keep_alternatives: wanted.count > 1,
            start: &start,
            ends_sentence,
            target: target_ids.as_deref(),
            learned: request.learned,
            chart,
        };
        search.run(cube);
        let describer = Describer {
            model: &self.model,
            options: &chart.options,
            start: &start,
            ends_sentence,
            learned: request.learned,
        };
        let found = self.best_derivations(chart, &describer, wanted)?;
        if !ends_sentence {
            self.best_states(chart, states);
        }
        Ok(found)
    }

    /// The given words as the options number them.
    fn target_ids(&self, chart: &Chart, words: &[String]) -> Option<Vec<u32>> {
        let vocabulary = self.system().target_words();
        let find = |word: &String| {
            vocabulary.get(word).or_else(|| {
                let extra = chart.options.extra_words.find(word)?;
                Some((vocabulary.len() + extra) as u32)
            })
        };
        words.iter().map(find).collect()
    }

    fn best_derivations(
        &self,
        chart: &Chart,
        describer: &Describer<'_>,
        wanted: Wanted,
    ) -> Result<Vec<Translation>> {
        let mut derivations = Derivations::new(chart);
        let mut found: Vec<Translation> = Vec::new();
        let mut seen = HashSet::new();
        let tries = match wanted.distinct {
            true => wanted.count.saturating_mul(DERIVATIONS_A_TRANSLATION),
            false => wanted.count,
        };
        for rank in 0..tries {
            if found.len() == wanted.count {
                break;
            }
            let Some((derivation, _)) = derivations.derivation(rank) else {
                break;
            };
            if wanted.distinct {
                let words: Vec<u32> = derivation
                    .iter()
                    .flat_map(|&option| {
                        let words = &chart.options.words;
                        words.words[words.range(option as usize)].iter().copied()
                    })
                    .collect();
                if !seen.insert(words) {
                    continue;
                }
            }
            found.push(describer.describe(&derivation)?);
        }
        Ok(found)
    }

    fn best_states(&self, chart: &Chart, states: &mut Vec<State>) {
        let members = chart.stacks.last().map_or(&[][..], |stack| &stack.members);
        let best = members.iter().copied().max_by(|&a, &b| {
            let (x, y) = (&chart.hypotheses[a as usize], &chart.hypotheses[b as usize]);
            x.score.total_cmp(&y.score).then(b.cmp(&a))
        });
        if let Some(best) = best {
            let models = states.len();
            states.clear();
            states.extend_from_slice(chart.states_of(best, models));
        }
    }
}

/// Cuts an input that is too long, in the second half of each window after punctuation if there is
/// some, never inside a constraint that fits into a window.
fn windows(input: &Input, limit: usize) -> Vec<Input> {
    let limit = limit.clamp(1, usize::from(u16::MAX) / 2);
    if input.tokens.len() <= limit {
        return vec![input.clone()];
    }
    let is_mark = |token: &str| {
        matches!(
            token,
            "." | "!" | "?" | ";" | ":" | "," | "。" | "、" | "؟" | "،" | "！" | "？"
        )
    };
    let inside = |cut: usize| {
        let mut spans = input.constraints.iter().map(|constraint| constraint.span);
        spans.any(|span| (span.start as usize) < cut && cut < span.end as usize)
    };
    let (mut parts, mut start) = (Vec::new(), 0);
    while start < input.tokens.len() {
        let most = (start + limit).min(input.tokens.len());
        let mut cut = most;
        if most < input.tokens.len() {
            let possible = (start + limit / 2 + 1..=most).rev();
            let after_mark = possible
                .clone()
                .find(|&cut| is_mark(&input.tokens[cut - 1]) && !inside(cut));
            cut = after_mark
                .or_else(|| possible.clone().find(|&cut| !inside(cut)))
                .unwrap_or(most);
        }
        let within = input.constraints.iter().filter_map(|constraint| {
            let Range { start: first, end } = constraint.span.range();
            (start <= first && end <= cut).then(|| Constraint {
                span: Span::new((first - start) as u32, (end - start) as u32),
                ..constraint.clone()
            })
        });
        parts.push(Input {
            tokens: input.tokens[start..cut].to_vec(),
            constraints: within.collect(),
            learned: input.learned.clone(),
        });
        start = cut;
    }
    parts
}

/// The best combinations of translations of two neighbouring windows.
fn combine(
    first: &[Translation],
    second: &[Translation],
    source_offset: usize,
    count: usize,
) -> Vec<Translation> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for a in 0..first.len() {
        // A pair is beaten by the (a + 1) * (b + 1) - 1 pairs before it in both lists.
        let useful = count.div_ceil(a + 1).min(second.len());
        pairs.extend((0..useful).map(|b| (a, b)));
    }
    pairs.sort_by(|x, y| {
        let score = |pair: &(usize, usize)| first[pair.0].score + second[pair.1].score;
        score(y).total_cmp(&score(x)).then(x.cmp(y))
    });
    pairs.truncate(count);
    pairs
        .into_iter()
        .map(|(a, b)| {
            let mut whole = first[a].clone();
            whole.append(second[b].clone(), source_offset);
            whole
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_cut_after_punctuation_and_not_inside_constraints() {
        let mut input = Input::from_line("a b c . e f g h i j");
        let sizes = |input: &Input| -> Vec<usize> {
            windows(input, 5).iter().map(|w| w.tokens.len()).collect()
        };
        assert_eq!(sizes(&input), [4, 5, 1]);
        input.constraints.push(Constraint {
            span: Span::new(8, 10),
            exclusive: true,
            translations: vec![("x".into(), 1.0)],
        });
        assert_eq!(sizes(&input), [4, 4, 2]);
        let parts = windows(&input, 5);
        assert_eq!(parts[2].constraints[0].span, Span::new(0, 2));
    }
}
