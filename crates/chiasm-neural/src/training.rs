//! Training: steps of Adam on batches in random order, looks at held-out text, the mean of the last weights.
//!
//! A step's gradient is the sum of those of the two halves of its batch, always in the same order: halves are worked on
//! side by side where there are threads, and products are divided among more of them; no bit depends on it.

use crate::adam::{State, rate};
use crate::checkpoint::Checkpoint;
use crate::dropout::Dropout;
use crate::examples::Examples;
use crate::model::Model;
use crate::network::Network;
use crate::random::random;
use crate::recipe::Recipe;
use crate::shape::{Layout, Shape};
use crate::sublayers::Pass;
use crate::subwords::Subwords;
use crate::{Error, Result};
use chiasm_text::MappedText;
use chiasm_work::Observer;
use rayon::prelude::*;
use std::path::Path;

/// Steps between two looks at the held-out text, at most.
const INTERVAL: usize = 1_000;
/// The weights of so many looks are averaged.
pub(crate) const AVERAGED: usize = 4;
/// Arrays as large as the parameters while training: two gradients, two means, the averaged weights and the best.
const ARRAYS: usize = 7 + AVERAGED;

/// What to learn from.
pub struct Training<'a> {
    /// The source side.
    pub source: &'a MappedText,
    /// The target side.
    pub target: &'a MappedText,
    /// Tokenised pairs that are not learned from: when their likelihood grows no more, training ends.
    pub held_out: &'a [(String, String)],
    /// How to learn.
    pub recipe: &'a Recipe,
    /// Where a killed run is taken up again.
    pub checkpoint: Option<&'a Path>,
}

/// Trains a model.
pub fn train(training: &Training<'_>, observer: &dyn Observer) -> Result<Model> {
    let recipe = training.recipe;
    recipe.check()?;
    let pairs = training.source.len().min(training.target.len());
    let sizes = recipe.pieces(pairs);
    let learn = |text: &MappedText, size| {
        let counts = text.counts();
        Subwords::learn(text.vocabulary().words().zip(counts), size)
    };
    let subwords = [
        learn(training.source, sizes[0]),
        learn(training.target, sizes[1]),
    ];
    let shape = recipe.shape(pairs, [subwords[0].len(), subwords[1].len()]);
    let room = room_for_text(&shape, recipe)?;
    let words = training
        .source
        .counts()
        .iter()
        .chain(&training.target.counts())
        .sum::<u64>();
    // About three bytes a word: two a subword, and most words are one.
    let each = (3 * words / pairs.max(1) as u64).max(1) + 16;
    let most = usize::try_from(room / each).unwrap_or(usize::MAX).max(1);
    if most < pairs {
        observer.say(&format!(
            "ranker: {most} of {pairs} pairs fit into the memory"
        ));
    }
    let both = [&subwords[0], &subwords[1]];
    let examples = Examples::of_corpus([training.source, training.target], both, most);
    if examples.len() == 0 {
        let reason = "all are empty or too long";
        return Err(Error::Nothing(reason.into()));
    }
    let lines = training
        .held_out
        .iter()
        .map(|(s, t)| (s.as_str(), t.as_str()));
    let run = Run {
        held_out: Examples::of_lines(lines, both),
        steps: recipe.steps(examples.target_subwords()),
        dropout: recipe.dropout(examples.target_subwords()),
        examples,
        network: Network::new(Layout::new(shape)),
        recipe,
        observer,
    };
    let parameters = run.train(training.checkpoint)?;
    Ok(Model::new(shape, subwords, &parameters))
}

/// What is left for the text when the weights have what they need.
pub(crate) fn room_for_text(shape: &Shape, recipe: &Recipe) -> Result<u64> {
    let rows = 4 * recipe.batch;
    let layers = shape.encoder_layers + shape.decoder_layers;
    let a_row = layers * (20 * shape.width + 3 * shape.inner);
    let numbers = ARRAYS * shape.parameters() + rows * a_row + 256 * shape.target_pieces;
    let (needed, allowed) = (4 * numbers as u64, recipe.memory);
    match allowed.checked_sub(needed) {
        Some(room) if room > 0 => Ok(room),
        _ => Err(Error::Memory { needed, allowed }),
    }
}

/// A training run.
struct Run<'a> {
    network: Network,
    examples: Examples,
    held_out: Examples,
    recipe: &'a Recipe,
    steps: usize,
    dropout: f32,
    observer: &'a dyn Observer,
}

impl Run<'_> {
    /// The best weights by the likelihood of held-out text.
    fn train(&self, path: Option<&Path>) -> Result<Vec<f32>> {
        let total = self.network.layout.total;
        let fingerprint = self.fingerprint();
        let kept = path.and_then(|path| Checkpoint::read(path, &fingerprint, total));
        let mut now = kept
            .unwrap_or_else(|| Checkpoint::new(State::new(&self.network.layout, self.recipe.seed)));
        if now.step > 0 {
            self.observer
                .say(&format!("ranker: goes on at step {}", now.step));
        }
        let progress = self
            .observer
            .begin("ranker", "steps", Some(self.steps as u64));
        progress.advance(now.step as u64);
        let mut gradients = [vec![0.0; total], vec![0.0; total]];
        let batch = self.recipe.batch;
        let epoch_of = |epoch| self.examples.epoch(batch, self.recipe.seed, epoch);
        let (mut order, mut ends) = epoch_of(now.epoch);
        let interval = ends.len().clamp(1, INTERVAL).max(self.steps.div_ceil(100));
        while now.step < self.steps && now.since_best < self.recipe.patience {
            if now.batch == ends.len() {
                now.epoch += 1;
                now.batch = 0;
                (order, ends) = epoch_of(now.epoch);
            }
            chiasm_work::cancel::check();
            let first = if now.batch == 0 {
                0
            } else {
                ends[now.batch - 1]
            };
            let numbers = &order[first..ends[now.batch]];
            now.step += 1;
            now.batch += 1;
            now.loss += self.step(&mut now.state, &mut gradients, numbers, now.step)?;
            now.losses += 1;
            progress.advance(1);
            if now.step.is_multiple_of(interval) || now.step == self.steps {
                self.look(&mut now);
                if let Some(path) = path {
                    now.write(path, &fingerprint)?;
                }
            }
        }
        Ok(now.best)
    }

    /// What the result depends on besides the texts, whose folder is the caller's to choose.
    fn fingerprint(&self) -> String {
        let counts = (self.examples.len(), self.held_out.len());
        let all = (self.recipe, self.network.layout.shape, counts);
        serde_json::to_string(&all).unwrap_or_default()
    }

    /// One step of Adam; the loss a subword.
    fn step(
        &self,
        state: &mut State,
        gradients: &mut [Vec<f32>; 2],
        numbers: &[u32],
        step: usize,
    ) -> Result<f64> {
        let recipe = self.recipe;
        let (left, right) = numbers.split_at(numbers.len() / 2);
        let batches = [self.examples.batch(left), self.examples.batch(right)];
        let subwords: usize = batches.iter().map(|batch| batch.after.len()).sum();
        let scale = 1.0 / subwords as f32;
        let pass = Pass {
            parameters: &state.parameters,
            threads: rayon::current_num_threads() / 2,
        };
        let half = |number: usize, gradient: &mut [f32]| {
            let batch = &batches[number];
            if batch.after.is_empty() {
                return 0.0;
            }
            let item = 2 * step as u64 + number as u64;
            let mut dropout = Dropout::new(self.dropout, random(recipe.seed, "dropout", item));
            let smoothing = recipe.label_smoothing;
            self.network
                .learn(pass, gradient, batch, smoothing, scale, &mut dropout)
        };
        let [one, other] = gradients;
        let losses = rayon::join(|| half(0, one), || half(1, other));
        let loss = (losses.0 + losses.1) / subwords as f64;
        if !loss.is_finite() {
            return Err(Error::Diverged { step });
        }
        let rate = rate(step, self.steps, recipe.warm_up, recipe.learning_rate);
        state.step(gradients, step, rate);
        Ok(loss)
    }

    /// Judges the mean of the last weights by held-out text, and keeps it if there was no better one.
    fn look(&self, now: &mut Checkpoint) {
        if now.last.len() == AVERAGED {
            now.last.remove(0);
        }
        now.last.push(now.state.parameters.clone());
        let share = 1.0 / now.last.len() as f32;
        let mut mean = vec![0.0f32; now.state.parameters.len()];
        for weights in &now.last {
            for (mean, weight) in mean.iter_mut().zip(weights) {
                *mean += weight * share;
            }
        }
        let loss = self.held_out_loss(&mean);
        let shown = (now.loss / now.losses.max(1) as f64).exp();
        (now.loss, now.losses) = (0.0, 0);
        self.observer.say(&format!(
            "ranker: step {} of {}: perplexity {:.2} a subword on held-out text, {shown:.2} in training",
            now.step,
            self.steps,
            loss.exp()
        ));
        // Without held-out text the last weights are as good as one knows.
        if now.best.is_empty() || loss < now.best_loss || self.held_out.len() == 0 {
            (now.best, now.best_loss, now.since_best) = (mean, loss, 0);
        } else {
            now.since_best += 1;
        }
    }

    /// Minus the log probability of a held-out subword.
    fn held_out_loss(&self, parameters: &[f32]) -> f64 {
        let order: Vec<u32> = (0..self.held_out.len() as u32).collect();
        let mut start = 0;
        let ends = self.held_out.batch_ends(&order, self.recipe.batch);
        let batches: Vec<&[u32]> = ends
            .into_iter()
            .map(|end| &order[std::mem::replace(&mut start, end)..end])
            .collect();
        let pass = Pass {
            parameters,
            threads: 1,
        };
        let losses: Vec<(f64, usize)> = batches
            .par_iter()
            .map(|numbers| {
                let batch = self.held_out.batch(numbers);
                (self.network.loss(pass, &batch), batch.after.len())
            })
            .collect();
        let subwords: usize = losses.iter().map(|&(_, count)| count).sum();
        losses.iter().map(|&(loss, _)| loss).sum::<f64>() / subwords.max(1) as f64
    }
}
