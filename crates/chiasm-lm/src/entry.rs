//! A log probability with one bit beside it, a back-off with one bit beside it.
//!
//! Log probabilities are never positive, so their sign bit is free: it says that a longer n-gram
//! ends with this one (the search goes on to the left). A back-off of exactly zero whose n-gram
//! begins no longer one is written `-0.0`: such an n-gram need not be in a state.

/// The back-off of an n-gram that is no context of a longer one.
pub(crate) const NO_EXTENSION: f32 = -0.0;

/// The stored form of a log probability (at most 0) that no longer n-gram ends with.
#[inline(always)]
pub(crate) fn store_probability(probability: f32) -> f32 {
    probability.abs()
}

/// The log probability.
#[inline(always)]
pub(crate) fn probability(stored: f32) -> f32 {
    f32::from_bits(stored.to_bits() | 1 << 31)
}

/// The stored form that says: a longer n-gram ends with this one.
#[inline(always)]
pub(crate) fn mark_left(stored: f32) -> f32 {
    f32::from_bits(stored.to_bits() | 1 << 31)
}

/// Does a longer n-gram end with this one?
#[inline(always)]
pub(crate) fn extends_left(stored: f32) -> bool {
    stored.is_sign_negative()
}

/// The stored form of a back-off whose n-gram is, as far as is known, no context.
#[inline(always)]
pub(crate) fn store_backoff(backoff: f32) -> f32 {
    if backoff == 0.0 {
        NO_EXTENSION
    } else {
        backoff
    }
}

/// The stored form that says: a longer n-gram begins with this one.
#[inline(always)]
pub(crate) fn mark_right(stored: f32) -> f32 {
    if stored == 0.0 { 0.0 } else { stored }
}

/// Must an n-gram with this back-off be in the state?
#[inline(always)]
pub(crate) fn extends_right(stored: f32) -> bool {
    stored.to_bits() != NO_EXTENSION.to_bits()
}
