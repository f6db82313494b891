//! What can be chosen, and the presets.

use crate::loglinear::LogLinearSettings;
use chiasm_work::MemorySize;
use std::str::FromStr;

/// A choice of model and effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// The log-linear IBM Model 2.
    Fast,
    /// The sampled hidden Markov model with fertilities, two samplers.
    Standard,
    /// The same with more samplers and more passes.
    Best,
}

impl Preset {
    /// All presets with their names.
    pub const NAMES: [(&'static str, Preset); 3] = [
        ("fast", Preset::Fast),
        ("standard", Preset::Standard),
        ("best", Preset::Best),
    ];

    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        let entry = Self::NAMES.iter().find(|entry| entry.1 == self);
        entry.map_or("", |entry| entry.0)
    }
}

impl std::fmt::Display for Preset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named = Preset::NAMES.iter().find(|(_, preset)| preset == self);
        f.write_str(named.map_or("", |(name, _)| name))
    }
}

impl FromStr for Preset {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let entry = Self::NAMES.iter().find(|entry| entry.0 == text);
        let complaint = || format!("'{text}' is not one of fast, standard, best");
        entry.map(|entry| entry.1).ok_or_else(complaint)
    }
}

/// Beyond so many sentence pairs a corpus is large.
const LARGE: usize = 150_000;
/// Fertilities that join in before jumps are learned hold links where they are: on a million made-up pairs the error rate was .066
/// with two passes before them and .026 with three.
const LEAST_JUMP_PASSES: u32 = 3;

fn jump_passes(passes: u32) -> u32 {
    passes.div_ceil(4).max(LEAST_JUMP_PASSES)
}

/// The share of words without a counterpart, a priori.
const NULL_PROBABILITY: f32 = 0.1;
/// How strongly directions are coupled where links are made: a link that the other direction is sure of is so many times as
/// probable.
pub(crate) const COUPLING: f32 = 3.0;

/// How the hidden Markov model is sampled.
#[derive(Clone, Copy, Debug)]
pub struct SamplingSettings {
    /// Independent samplers whose posteriors are averaged.
    pub chains: u32,
    /// Keep each sampler's posteriors, so that each can make an alignment of its own.
    pub apart: bool,
    /// Passes with jumps alone.
    pub jump_passes: u32,
    /// How many of the first passes look every count up anew; the later ones do so for every second pass.
    pub single_passes: u32,
    /// Passes with jumps and fertilities.
    pub fertility_passes: u32,
    /// How many of the last of these are averaged.
    pub collected: u32,
    /// How strongly the directions are coupled; 1 is not at all.
    pub coupling: f32,
}

/// Everything that decides the result, and the memory to do it in.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The log-linear model: the result itself, or where samplers begin.
    pub log_linear: LogLinearSettings,
    /// The sampled model, if it is wanted.
    pub sampling: Option<SamplingSettings>,
    /// The share of words without a parent, a priori.
    pub null_probability: f32,
    /// Where random numbers begin.
    pub seed: u64,
    /// About how much memory estimation may take.
    pub memory: MemorySize,
}

impl Settings {
    /// A preset for a corpus of so many sentence pairs: small corpora need more passes, and can
    /// afford them. In a large one every pass sees every word more often, so passes go on becoming fewer; there one sampler that
    /// has come far is better than two that have not.
    pub fn preset(preset: Preset, sentences: usize) -> Self {
        let passes = |effort: f32, least: f32, most: f32| {
            (effort / (sentences.max(1) as f32).sqrt()).clamp(least, most) as u32
        };
        let sampling = |chains, passes: u32| SamplingSettings {
            chains,
            apart: false,
            jump_passes: jump_passes(passes),
            single_passes: 0,
            fertility_passes: passes,
            collected: passes.div_ceil(2),
            coupling: COUPLING,
        };
        let sampling = match preset {
            Preset::Fast => None,
            Preset::Standard if sentences > LARGE => Some(SamplingSettings {
                single_passes: LEAST_JUMP_PASSES,
                ..sampling(1, passes(12.0 * (LARGE as f32).sqrt(), 4.0, 12.0))
            }),
            Preset::Standard => Some(sampling(2, passes(2200.0, 12.0, 60.0))),
            Preset::Best => Some(sampling(4, passes(6000.0, 30.0, 160.0))),
        };
        let log_linear = LogLinearSettings {
            iterations: match preset {
                Preset::Fast => 7,
                Preset::Standard if sentences > LARGE => 3,
                _ => 5,
            },
            null_probability: NULL_PROBABILITY,
            // Samplers keep much of what they start from, so they start nearly without a diagonal: word order is
            // what they learn. Fitted, λ would grow with every pass.
            tension: if sampling.is_some() { 0.5 } else { 4.0 },
            fit_tension: sampling.is_none(),
            variational_prior: sampling.is_none().then_some(0.01),
        };
        Settings {
            log_linear,
            sampling,
            null_probability: NULL_PROBABILITY,
            seed: 1,
            memory: MemorySize(4 << 30),
        }
    }

    /// Sets the share of words without a counterpart, a priori.
    pub fn set_null_probability(&mut self, probability: f32) {
        self.null_probability = probability;
        self.log_linear.null_probability = probability;
    }

    /// Sets the number of passes: of the log-linear model alone, or of the samplers.
    pub fn set_passes(&mut self, passes: u32) {
        match &mut self.sampling {
            None => self.log_linear.iterations = passes,
            Some(sampling) => {
                sampling.jump_passes = jump_passes(passes);
                sampling.fertility_passes = passes;
                sampling.collected = passes.div_ceil(2);
            }
        }
    }
}
