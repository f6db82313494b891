//! Discounted relative frequencies and the mass they leave, one order at a time.
//!
//! With a the adjusted counts and D the discounts (Heafield et al. 2013, eq. 2 and 3):
//! u(w | c) = (a(c w) - D(a(c w))) / Σ_x a(c x), and what is left for the lower order,
//! γ(c) = Σ_x D(a(c x)) / Σ_x a(c x), where a pruned n-gram gives up its whole count.

use super::count::PRUNED;
use super::discount::Discounts;
use super::gram::{Gram, Packing};
use crate::Result;
use chiasm_store::{Sorted, Sorter};
use std::path::Path;

/// One order, normalised.
pub(super) struct Normalised {
    /// The n-grams that stay, in suffix order: u and the γ of their context.
    pub(super) ngrams: Sorter<Gram>,
    /// The contexts, shorter by one word, in suffix order: γ.
    pub(super) contexts: Sorter<Gram>,
}

/// Goes through the n-grams of `order` in context order.
pub(super) fn normalise(
    sorted: Sorted<Gram>,
    order: usize,
    packing: Packing,
    discounts: &Discounts,
    budget: usize,
    folder: &Path,
) -> Result<Normalised> {
    let mut found = Normalised {
        ngrams: Sorter::new(budget * 3 / 4, folder),
        contexts: Sorter::new(budget / 4, folder),
    };
    let mut group: Vec<Gram> = Vec::new();
    for gram in sorted {
        let gram = gram?;
        if group
            .first()
            .is_some_and(|first| first.key() >> packing.bits != gram.key() >> packing.bits)
        {
            normalise_context(&group, order, packing, discounts, &mut found)?;
            group.clear();
        }
        group.push(gram);
    }
    normalise_context(&group, order, packing, discounts, &mut found)?;
    Ok(found)
}

fn normalise_context(
    group: &[Gram],
    order: usize,
    packing: Packing,
    discounts: &Discounts,
    found: &mut Normalised,
) -> Result<()> {
    let Some(first) = group.first() else {
        return Ok(());
    };
    let (mut total, mut given_up) = (0u64, 0u64);
    // How many n-grams have count 1, 2, 3 and more: sums of integers do not depend on order.
    let mut kept = [0u64; 3];
    for gram in group {
        let adjusted = gram.value >> 1;
        total += adjusted;
        if gram.value & PRUNED != 0 {
            given_up += adjusted;
        } else {
            kept[(adjusted.clamp(1, 3) - 1) as usize] += 1;
        }
    }
    let total = total as f64;
    let discounted: f64 = (0..3).map(|i| discounts.0[i] * kept[i] as f64).sum();
    let gamma = ((discounted + given_up as f64) / total) as f32;
    for gram in group.iter().filter(|gram| gram.value & PRUNED == 0) {
        let adjusted = gram.value >> 1;
        let frequency = (adjusted as f64 - discounts.of(adjusted)) / total;
        let key = packing.suffix_order(gram.key(), order);
        let gram = Gram::with_pair(key, frequency as f32, gamma);
        found.ngrams.push(gram)?;
    }
    // A context all of whose n-grams are pruned is no context any more.
    if kept != [0; 3] {
        let context = first.key() >> packing.bits;
        found.contexts.push(Gram::with_pair(context, gamma, 0.0))?;
    }
    Ok(())
}
