//! Dropout (Srivastava et al. 2014): while training, some numbers at random become 0 and the others grow.

use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Draws which numbers are dropped; none outside training.
pub(crate) struct Dropout {
    random: Option<Xoshiro256PlusPlus>,
    /// Out of 65,536.
    threshold: u16,
}

/// What was dropped: a factor a number, or nothing at all.
#[derive(Default)]
pub(crate) struct Mask {
    kept: Vec<u8>,
    scale: f32,
}

impl Dropout {
    /// Drops nothing.
    pub fn none() -> Self {
        Dropout {
            random: None,
            threshold: 0,
        }
    }

    /// Drops this share.
    pub fn new(rate: f32, random: Xoshiro256PlusPlus) -> Self {
        let threshold = (rate.clamp(0.0, 0.9) * 65536.0) as u16;
        Dropout {
            random: (threshold > 0).then_some(random),
            threshold,
        }
    }

    /// Drops some of these numbers.
    pub fn apply(&mut self, values: &mut [f32]) -> Mask {
        let Some(random) = &mut self.random else {
            return Mask::default();
        };
        let mut kept = vec![0u8; values.len()];
        for four in kept.chunks_mut(4) {
            let bits = random.next_u64();
            for (place, kept) in four.iter_mut().enumerate() {
                *kept = u8::from((bits >> (16 * place)) as u16 >= self.threshold);
            }
        }
        let scale = 65536.0 / (65536.0 - f32::from(self.threshold));
        let mask = Mask { kept, scale };
        mask.apply(values);
        mask
    }
}

impl Mask {
    /// Drops the same numbers again.
    pub fn apply(&self, values: &mut [f32]) {
        for (value, &kept) in values.iter_mut().zip(&self.kept) {
            *value *= f32::from(kept) * self.scale;
        }
    }
}
