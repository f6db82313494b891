//! Learning a joint model from word-aligned text.

use super::examples::{Examples, known_history};
use super::model::JointModel;
use super::network::{Batch, JointShape, Network, Noise};
use super::words::Words;
use super::{HISTORY, INPUTS};
use crate::adam::rate;
use crate::random::random;
use crate::{Error, Result};
use chiasm_text::{Links, MappedText};
use chiasm_work::{Observer, cancel};
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// How a joint model is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointRecipe {
    /// Words of each language that are told apart, at most.
    pub words: usize,
    /// Numbers that stand for a word.
    pub embedding: usize,
    /// Numbers of the hidden layer.
    pub hidden: usize,
    /// Examples of all passes together; 0 is by the amount of text.
    pub examples: usize,
    /// The share of the hidden layer that is dropped while learning.
    pub dropout: f32,
    /// The learning rate after the warm-up; from there it falls.
    pub learning_rate: f32,
    /// Seed of everything random.
    pub seed: u64,
}

/// Examples of a step.
const BATCH: usize = 512;
/// Noise words of a step.
const NOISE: usize = 512;
/// Noise is drawn from the frequencies of words to this power.
const FLATTER: f64 = 0.75;
/// One sentence pair of so many is held out to look at.
const HELD_OUT: usize = 50;
/// Held-out examples at most.
const LOOKED_AT: usize = 4_000;
/// Looks at them.
const LOOKS: usize = 8;
/// Steps in which the learning rate grows.
const WARM_UP: usize = 200;
/// Examples a square root of target words.
const EXAMPLES: f64 = 8_000.0;
/// Passes over a text at most.
const PASSES: usize = 40;

impl JointRecipe {
    /// Can one train so?
    pub fn check(&self) -> Result<()> {
        let complain = |name: &'static str, reason: String| Err(Error::Setting { name, reason });
        // Numbers of words take 16 bits in a file's checks; three are no words.
        let sizes = [
            ("words", self.words, 65_000),
            ("embedding", self.embedding, 1024),
            ("hidden", self.hidden, 1024),
        ];
        for (name, size, most) in sizes {
            if !(1..=most).contains(&size) {
                return complain(name, format!("{size} is not between 1 and {most}"));
            }
        }
        let (rate, dropout) = (self.learning_rate, self.dropout);
        if !(rate > 0.0 && rate <= 1.0) {
            return complain("learning_rate", format!("{rate} is not between 0 and 1"));
        }
        if !(0.0..=0.9).contains(&dropout) {
            return complain("dropout", format!("{dropout} is not between 0 and 0.9"));
        }
        Ok(())
    }
}

/// What to learn from.
pub struct JointTraining<'a> {
    /// The source side.
    pub source: &'a MappedText,
    /// The target side.
    pub target: &'a MappedText,
    /// Which words go with which.
    pub links: &'a Links,
    /// How to learn.
    pub recipe: &'a JointRecipe,
}

/// Trains a joint model.
pub fn train_joint(training: &JointTraining<'_>, observer: &dyn Observer) -> Result<JointModel> {
    let recipe = training.recipe;
    recipe.check()?;
    let (source, source_numbers) = Words::of_text(training.source, recipe.words);
    let (target, target_numbers) = Words::of_text(training.target, recipe.words);
    let texts = [training.source, training.target];
    let numbers = [source_numbers.as_slice(), target_numbers.as_slice()];
    // A text that is too small to spare anything is looked at itself.
    let spares = training.links.len() > 2 * HELD_OUT;
    let is_held_out = |pair: usize| spares && pair % HELD_OUT == HELD_OUT - 1;
    let examples = Examples::of_corpus(texts, training.links, numbers, |pair| !is_held_out(pair));
    if examples.len() == 0 {
        return Err(Error::Nothing("none has links".into()));
    }
    let held_out = match spares {
        true => Examples::of_corpus(texts, training.links, numbers, is_held_out),
        false => Examples::of_corpus(texts, training.links, numbers, |_| true),
    };
    let shape = JointShape {
        embedding: recipe.embedding,
        hidden: recipe.hidden,
        words: [source.len(), target.len()],
        rare: training.target.vocabulary().len() + 3 - target.len(),
    };
    let run = Run {
        noise: NoiseSource::new(&examples, shape.words[1]),
        examples,
        held_out,
        recipe,
        observer,
    };
    let network = run.train(shape)?;
    Ok(JointModel::new(
        shape,
        [source, target],
        network.parameters(),
    ))
}

/// Where noise comes from.
struct NoiseSource {
    /// For each word, how probable it and those before it are.
    up_to: Vec<f64>,
    /// For each word, the logarithm of how often it is expected among the noise of a step.
    expected: Vec<f32>,
    /// For each word, the logarithm of its share of the text.
    unigrams: Vec<f32>,
}

impl NoiseSource {
    fn new(examples: &Examples, words: usize) -> Self {
        // A word that never comes still may be asked for.
        let mut counts = vec![0.5f64; words];
        for &word in examples.words() {
            counts[word as usize] += 1.0;
        }
        let total: f64 = counts.iter().sum();
        let flat: Vec<f64> = counts.iter().map(|count| count.powf(FLATTER)).collect();
        let whole: f64 = flat.iter().sum();
        let mut up_to = 0.0;
        let logarithm = |share: f64| share.ln() as f32;
        NoiseSource {
            expected: flat
                .iter()
                .map(|share| logarithm(NOISE as f64 * share / whole))
                .collect(),
            unigrams: counts
                .iter()
                .map(|count| logarithm(count / total))
                .collect(),
            up_to: (flat.iter())
                .map(|share| {
                    up_to += share / whole;
                    up_to
                })
                .collect(),
        }
    }

    fn draw(&self, random: &mut impl rand::Rng) -> u32 {
        let place = random.random::<f64>();
        let word = self.up_to.partition_point(|&up_to| up_to < place);
        word.min(self.up_to.len() - 1) as u32
    }
}

struct Run<'a> {
    examples: Examples,
    held_out: Examples,
    noise: NoiseSource,
    recipe: &'a JointRecipe,
    observer: &'a dyn Observer,
}

impl Run<'_> {
    /// The parameters that find held-out text most probable.
    fn train(&self, shape: JointShape) -> Result<Network> {
        let recipe = self.recipe;
        let threads = rayon::current_num_threads();
        let count = self.examples.len();
        let total = match recipe.examples {
            0 => ((EXAMPLES * (count as f64).sqrt()) as usize).min(PASSES * count),
            examples => examples,
        };
        let steps = total.div_ceil(BATCH).max(1);
        let interval = steps.div_ceil(LOOKS);
        let mut network = Network::new(shape, &self.noise.unigrams, recipe.seed);
        let mut best: Option<(f64, Network)> = None;
        let mut order: Vec<u32> = Vec::new();
        let mut epoch = 0;
        let mut loss = 0.0;
        let progress = self
            .observer
            .begin("joint model", "steps", Some(steps as u64));
        for step in 1..=steps {
            cancel::check();
            while order.len() < BATCH {
                let mut next: Vec<u32> = (0..count as u32).collect();
                next.shuffle(&mut random(recipe.seed, "order of joint examples", epoch));
                // What is left of the pass before is taken first: numbers are taken from the end.
                next.append(&mut order);
                order = next;
                epoch += 1;
            }
            let taken = order.split_off(order.len() - BATCH);
            let mut random = random(recipe.seed, "a step of a joint model", step as u64);
            let batch = self.batch(&taken, &mut random);
            let words: Vec<u32> = (0..NOISE).map(|_| self.noise.draw(&mut random)).collect();
            let noise = Noise {
                words: &words,
                expected: &self.noise.expected,
            };
            let now = network.learn(&batch, &noise, threads);
            if !now.is_finite() {
                return Err(Error::Diverged { step });
            }
            loss += now;
            network.step(step, rate(step, steps, WARM_UP, recipe.learning_rate));
            progress.advance(1);
            if step.is_multiple_of(interval) || step == steps {
                let likelihood = self.look(&network, step, steps, loss / interval as f64, threads);
                loss = 0.0;
                if best
                    .as_ref()
                    .is_none_or(|(highest, _)| likelihood > *highest)
                {
                    best = Some((likelihood, network.clone()));
                }
            }
        }
        Ok(best.map_or(network, |(_, network)| network))
    }

    fn batch(&self, taken: &[u32], random: &mut impl rand::Rng) -> Batch {
        let mut batch = Batch::default();
        for &example in taken {
            let known = known_history(random);
            let inputs = self.examples.inputs(example as usize, known);
            batch.inputs.extend_from_slice(&inputs);
            batch.words.push(self.examples.word(example as usize));
        }
        let dropout = self.recipe.dropout;
        let scale = 1.0 / (1.0 - dropout);
        let kept = (0..taken.len() * self.recipe.hidden).map(|_| {
            if random.random::<f32>() < dropout {
                0.0
            } else {
                scale
            }
        });
        batch.kept.extend(kept);
        batch
    }

    /// The mean logarithm of the probability of held-out words.
    fn look(&self, network: &Network, step: usize, steps: usize, loss: f64, threads: usize) -> f64 {
        let count = self.held_out.len().min(LOOKED_AT);
        let (mut total, mut far) = (0.0, 0.0);
        let numbers: Vec<usize> = (0..count).collect();
        for chunk in numbers.chunks(BATCH) {
            let mut batch = Batch::default();
            for &example in chunk {
                let inputs: [u32; INPUTS] = self.held_out.inputs(example, HISTORY);
                batch.inputs.extend_from_slice(&inputs);
                batch.words.push(self.held_out.word(example));
            }
            let (sum, away) = network.judge(&batch, threads);
            total += sum;
            far += away;
        }
        let (likelihood, far) = (total / count.max(1) as f64, far / count.max(1) as f64);
        self.observer.say(&format!(
            "joint model: step {step} of {steps}: perplexity {:.2} a word on held-out text, sums off by {far:.2}, loss {loss:.3}",
            (-likelihood).exp()
        ));
        likelihood
    }
}
