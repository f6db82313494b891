//! Aligning sentences with a trained model whose parameters stay as they are.
//!
//! The log-linear model has exact posteriors. The sampled model is sampled again, in this one
//! sentence pair: a few dozen passes over a few hundred cells. The random numbers begin from the
//! words themselves, so a sentence pair has the same links wherever it stands.

use crate::agreement::ESTIMATION_COUPLING;
use crate::bitext::fold;
use crate::cells::MOST_CELLS;
use crate::direction::strides;
use crate::fertility::ratio;
use crate::jumps::{BEGINNING, JumpTable};
use crate::links::Posteriors;
use crate::loglinear::diagonal;
use crate::model::{Model, Word};
use crate::sampler::{LONGEST, draw};
use chiasm_text::tokens;
use rand_xoshiro::Xoshiro128PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

const BURN_IN: u32 = 8;
const COLLECTED: u32 = 16;

/// Aligns sentence after sentence; one a thread.
pub struct Decoder<'m> {
    model: &'m Model,
    translations: [Vec<f32>; 2],
    tables: [JumpTable; 2],
    states: [State; 2],
    folded: [String; 2],
    /// Of the posteriors of a log-linear model.
    coupling: f32,
}

/// One direction of one sentence pair while it is sampled.
#[derive(Default)]
struct State {
    links: Vec<usize>,
    fertility: Vec<u32>,
    weights: Vec<f32>,
    null: Vec<f32>,
    /// The jump classes of the children's words.
    classes: Vec<u8>,
    /// The parents' words, as rows of the fertility ratios.
    rows: Vec<usize>,
}

const USUAL_LENGTH: usize = 100;

impl<'m> Decoder<'m> {
    /// A decoder with its own work space.
    pub fn new(model: &'m Model) -> Self {
        let table = |side: usize| JumpTable::new(&model.directions[side].jumps, USUAL_LENGTH);
        Decoder {
            model,
            translations: Default::default(),
            tables: [table(0), table(1)],
            states: Default::default(),
            folded: Default::default(),
            coupling: if model.settings.sampled {
                1.0
            } else {
                model.settings.coupling
            },
        }
    }

    /// Posteriors of a log-linear model as its directions count them in estimation: coupled, or each by itself.
    pub(crate) fn for_counting(mut self, coupled: bool) -> Self {
        self.coupling = match coupled && !self.model.settings.sampled {
            true => ESTIMATION_COUPLING,
            false => 1.0,
        };
        self
    }

    /// Posteriors of the words of two lines. Pairs too large to be sentences have none.
    pub fn align(&mut self, source: &str, target: &str, posteriors: &mut Posteriors) {
        self.align_knowing(source, target, |_, _, _| {}, posteriors);
    }

    /// The same by somebody who knows more: `tell` may change p(target|source) and p(source|target) of the words, which are
    /// source-major.
    pub fn align_knowing(
        &mut self,
        source: &str,
        target: &str,
        tell: impl FnOnce(&[Word], &[Word], &mut [Vec<f32>; 2]),
        posteriors: &mut Posteriors,
    ) {
        let mut folded = std::mem::take(&mut self.folded);
        let [source_buffer, target_buffer] = &mut folded;
        // No letter folds to a space, so folding the line folds its words.
        let source_words = fold(source, source_buffer);
        let target_words = fold(target, target_buffer);
        let word = |vocabulary: &'m chiasm_text::StoredVocabulary| {
            move |folded| Word {
                id: vocabulary.get(folded),
                folded,
            }
        };
        let source: Vec<Word> = tokens(source_words).map(word(&self.model.source)).collect();
        let target: Vec<Word> = tokens(target_words).map(word(&self.model.target)).collect();
        self.align_words(&source, &target, tell, posteriors);
        self.folded = folded;
    }

    /// Posteriors of two sentences of known words, given by their numbers.
    pub fn align_ids(&mut self, source: &[u32], target: &[u32], posteriors: &mut Posteriors) {
        let model = self.model;
        let source = known_words(&model.source, source);
        let target = known_words(&model.target, target);
        self.align_words(&source, &target, |_, _, _| {}, posteriors);
    }

    /// How probable a sentence pair of known words is, as [`Posteriors::sentence`] has it, without aligning it.
    pub fn score_ids(&mut self, source: &[u32], target: &[u32]) -> Option<[f32; 2]> {
        let model = self.model;
        let source = known_words(&model.source, source);
        let target = known_words(&model.target, target);
        self.prepare(&source, &target, |_, _, _| {})
            .then(|| [0, 1].map(|side| self.each_child(side, |_, _, _, _| ())))
    }

    fn align_words(
        &mut self,
        source: &[Word],
        target: &[Word],
        tell: impl FnOnce(&[Word], &[Word], &mut [Vec<f32>; 2]),
        posteriors: &mut Posteriors,
    ) {
        posteriors.reset(source.len(), target.len());
        if !self.prepare(source, target, tell) {
            return;
        }
        posteriors.sentence = Some(if self.model.settings.sampled {
            self.sample(source, target, posteriors)
        } else {
            let scores = [
                self.exact(0, &mut posteriors.forward),
                self.exact(1, &mut posteriors.reverse),
            ];
            posteriors.couple(self.coupling);
            scores
        });
    }

    /// Gets ready for a sentence pair; `false` if it has nothing to align or is too large.
    fn prepare(
        &mut self,
        source: &[Word],
        target: &[Word],
        tell: impl FnOnce(&[Word], &[Word], &mut [Vec<f32>; 2]),
    ) -> bool {
        let cells = source.len() * target.len();
        if cells == 0 || cells > MOST_CELLS || source.len().max(target.len()) > LONGEST {
            return false;
        }
        self.model
            .translations(source, target, &mut self.translations);
        tell(source, target, &mut self.translations);
        for (side, (parents, children)) in [(source, target), (target, source)].iter().enumerate() {
            self.begin(side, parents, children);
        }
        true
    }

    fn begin(&mut self, side: usize, parents: &[Word], children: &[Word]) {
        let parameters = &self.model.directions[side];
        let state = &mut self.states[side];
        let unknown = parameters.scale.len();
        let rows = parents
            .iter()
            .map(|word| word.id.map_or(unknown, |id| (id as usize).min(unknown)));
        state.rows.clear();
        state.rows.extend(rows);
        let null = |word: &Word| {
            let known = word.id.and_then(|id| parameters.null.get(id as usize));
            known.copied().unwrap_or(1.0 / (unknown as f32 + 1.0))
        };
        state.null.clear();
        state.null.extend(children.iter().map(null));
        let class = |word: &Word| {
            let known = word.id.and_then(|id| parameters.classes.get(id as usize));
            known.copied().unwrap_or(0).min(BEGINNING)
        };
        state.classes.clear();
        state.classes.extend(children.iter().map(class));
        state.weights.resize(parents.len(), 0.0);
        state.links.clear();
        state.links.resize(children.len(), 0);
        state.fertility.clear();
        state.fertility.resize(parents.len(), 0);
        if self.tables[side].longest() < parents.len() {
            self.tables[side] = JumpTable::new(&parameters.jumps, parents.len());
        }
    }

    /// The log-linear posterior of every link of one direction; `visit` sees a child's. Returns the mean of the children's
    /// log-probabilities.
    fn each_child(&mut self, side: usize, mut visit: impl FnMut(usize, &[f32], f32, f32)) -> f32 {
        let settings = &self.model.settings;
        let state = &mut self.states[side];
        let (parents, children) = (state.rows.len(), state.null.len());
        let (parent_step, child_step) = strides(side == 0, parents, children);
        let mut logarithms = 0.0;
        for child in 0..children {
            diagonal(settings.tension[side], child, children, &mut state.weights);
            let row = self.translations[side][child * child_step..]
                .iter()
                .step_by(parent_step);
            let mut total = 0.0;
            for (weight, translation) in state.weights.iter_mut().zip(row) {
                *weight *= translation * (1.0 - settings.null_probability);
                total += *weight;
            }
            let null = settings.null_probability * state.null[child];
            visit(child, &state.weights, null, total + null);
            logarithms += (total + null).max(f32::MIN_POSITIVE).ln();
        }
        logarithms / children as f32
    }

    fn exact(&mut self, side: usize, matrix: &mut [f32]) -> f32 {
        let (parents, children) = (self.states[side].rows.len(), self.states[side].null.len());
        let (parent_step, child_step) = strides(side == 0, parents, children);
        self.each_child(side, |child, weights, _, total| {
            for (parent, weight) in weights.iter().enumerate() {
                matrix[parent * parent_step + child * child_step] = weight / total;
            }
        })
    }

    fn sample(
        &mut self,
        source: &[Word],
        target: &[Word],
        posteriors: &mut Posteriors,
    ) -> [f32; 2] {
        let seed =
            self.model.settings.seed ^ hash_words(source) ^ hash_words(target).rotate_left(17);
        let mut random = Xoshiro128PlusPlus::seed_from_u64(seed);
        let mut scores = [0.0; 2];
        for (side, score) in scores.iter_mut().enumerate() {
            let mut first = std::mem::take(&mut self.states[side].links);
            *score = self.each_child(side, |child, weights, null, total| {
                first[child] = draw(weights, null, total, &mut random);
            });
            let state = &mut self.states[side];
            for &link in first.iter().filter(|&&link| link > 0) {
                state.fertility[link - 1] += 1;
            }
            state.links = first;
        }
        for pass in 0..BURN_IN + COLLECTED {
            for (side, matrix) in [&mut posteriors.forward, &mut posteriors.reverse]
                .into_iter()
                .enumerate()
            {
                let collect = (pass >= BURN_IN).then_some(matrix);
                self.pass(side, collect, &mut random);
            }
        }
        scores
    }

    /// Samples every link of one direction once, as training does, with fixed parameters.
    fn pass(
        &mut self,
        side: usize,
        mut collect: Option<&mut Vec<f32>>,
        random: &mut Xoshiro128PlusPlus,
    ) {
        let settings = &self.model.settings;
        let ratios = &self.model.directions[side].ratios;
        let odds = settings.null_probability / (1.0 - settings.null_probability);
        let [first, second] = &mut self.states;
        let (state, other) = if side == 0 {
            (first, second)
        } else {
            (second, first)
        };
        let (parents, children) = (state.rows.len(), state.null.len());
        let (parent_step, child_step) = strides(side == 0, parents, children);
        let table = &self.tables[side];
        let (mut previous, mut class) = (0, BEGINNING);
        for child in 0..children {
            let own_class = state.classes[child];
            let old = state.links[child];
            if old > 0 {
                state.fertility[old - 1] -= 1;
            }
            let later = state.links[child + 1..].iter().find(|&&link| link > 0);
            let next = later.copied().unwrap_or(parents + 1);
            let row = self.translations[side][child * child_step..]
                .iter()
                .step_by(parent_step);
            let before = table.from(class, previous, parents);
            let after = table.to(own_class, next, parents);
            let mut total = 0.0;
            for (parent, &translation) in row.take(parents).enumerate() {
                let agreed = if other.links[parent] == child + 1 {
                    settings.coupling
                } else {
                    1.0
                };
                let price = ratio(ratios, state.rows[parent], state.fertility[parent]);
                let weight = translation * before[parent] * after[parent] * price * agreed;
                state.weights[parent] = weight;
                total += weight;
            }
            let null = odds * state.null[child] * table.one(class, previous, next);
            let total = total + null;
            if let Some(matrix) = collect.as_deref_mut() {
                let scale = 1.0 / (total * COLLECTED as f32);
                for (parent, weight) in state.weights.iter().enumerate() {
                    matrix[parent * parent_step + child * child_step] += weight * scale;
                }
            }
            let new = draw(&state.weights, null, total, random);
            state.links[child] = new;
            if new > 0 {
                state.fertility[new - 1] += 1;
                (previous, class) = (new, own_class);
            }
        }
    }
}

fn known_words<'m>(vocabulary: &'m chiasm_text::StoredVocabulary, ids: &[u32]) -> Vec<Word<'m>> {
    let word = |&id: &u32| Word {
        id: Some(id),
        folded: vocabulary.word(id),
    };
    ids.iter().map(word).collect()
}

fn hash_words(words: &[Word]) -> u64 {
    words.iter().fold(0x9e37_79b9_7f4a_7c15, |hash, word| {
        word.folded.bytes().chain([b' ']).fold(hash, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    })
}
