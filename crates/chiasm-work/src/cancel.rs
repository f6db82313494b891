//! Ending work early, from outside, wherever it is.
//!
//! Work that was cancelled unwinds: its temporary files vanish, its threads end, and [`Cancel::run`] says so. Unwinding,
//! because then no function between the switch and the loop has to know; it is not a panic, and no hook hears of it.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A switch that ends the work it was given to.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

/// The work was ended by its [`Cancel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

impl std::fmt::Display for Cancelled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("cancelled")
    }
}

impl std::error::Error for Cancelled {}

thread_local! {
    static CURRENT: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

impl Cancel {
    /// Ends the work at its next [`check`].
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Runs work that this switch can end.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Cancelled> {
        let before = CURRENT.replace(Some(self.clone()));
        let outcome = catch_unwind(AssertUnwindSafe(work));
        CURRENT.set(before);
        match outcome {
            Ok(value) => Ok(value),
            Err(payload) if payload.is::<Cancelled>() => Err(Cancelled),
            Err(payload) => resume_unwind(payload),
        }
    }

    /// Makes the current thread, which works for the same caller, end with it. For threads of a pool.
    pub fn join(&self) {
        CURRENT.set(Some(self.clone()));
    }

    /// The switch of the current thread's work, if it has one.
    pub fn current() -> Option<Cancel> {
        CURRENT.with_borrow(Option::clone)
    }
}

/// Goes on, unless the work was cancelled. Long loops call it often: it costs about a nanosecond.
#[inline]
pub fn check() {
    let cancelled =
        CURRENT.with_borrow(|current| current.as_ref().is_some_and(Cancel::is_cancelled));
    if cancelled {
        resume_unwind(Box::new(Cancelled));
    }
}

/// Calls of [`tick`] between two looks.
const TICKS: u32 = 4096;

/// As [`check`], for rounds of a few nanoseconds, such as comparisons of a sort: looks once in some thousand calls.
#[inline]
pub fn tick() {
    thread_local! {
        static COUNT: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
    }
    let count = COUNT.get().wrapping_add(1);
    COUNT.set(count);
    if count.is_multiple_of(TICKS) {
        check();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InOrder, Panicked};

    #[test]
    fn work_ends_at_the_next_check() {
        let cancel = Cancel::default();
        assert_eq!(cancel.run(|| 7), Ok(7));
        let mut rounds = 0;
        let outcome = cancel.run(|| {
            loop {
                check();
                rounds += 1;
                if rounds == 3 {
                    cancel.cancel();
                }
            }
        });
        assert_eq!((outcome, rounds), (Err::<(), _>(Cancelled), 3));
        check();
    }

    #[test]
    fn workers_end_with_their_caller() {
        for threads in [1, 3] {
            let cancel = Cancel::default();
            let outcome = cancel.run(|| {
                InOrder::new(threads).run(
                    |_: &mut ()| Ok(true),
                    |_, _: &mut ()| {
                        check();
                        cancel.cancel();
                        Ok::<(), Panicked>(())
                    },
                    |_| Ok(()),
                )
            });
            assert_eq!(outcome, Err(Cancelled));
        }
    }

    #[test]
    fn a_panic_stays_a_panic() {
        let caught = catch_unwind(|| Cancel::default().run(|| panic!("other")));
        assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"other"));
    }
}
