//! Arrays that lie in a mapped file until somebody adds to them.

use chiasm_store::Array;
use std::ops::Deref;

/// Plain data, mapped or in memory.
#[derive(Clone, Debug)]
pub(crate) struct Flat<T> {
    /// As long as nobody has changed it.
    mapped: Option<Array<T>>,
    own: Vec<T>,
}

impl<T: Copy> Flat<T> {
    /// To be changed: what is mapped is copied first, whole.
    pub fn own(&mut self) -> &mut Vec<T> {
        if let Some(mapped) = self.mapped.take() {
            self.own = mapped.to_vec();
        }
        &mut self.own
    }
}

impl<T> Deref for Flat<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.mapped {
            None => &self.own,
            Some(mapped) => mapped,
        }
    }
}

impl<T> Default for Flat<T> {
    fn default() -> Self {
        Flat::from(Vec::new())
    }
}

impl<T> From<Vec<T>> for Flat<T> {
    fn from(own: Vec<T>) -> Self {
        Flat { mapped: None, own }
    }
}

impl<T> From<Array<T>> for Flat<T> {
    fn from(mapped: Array<T>) -> Self {
        Flat {
            mapped: Some(mapped),
            own: Vec::new(),
        }
    }
}

impl<T: PartialEq> PartialEq for Flat<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
