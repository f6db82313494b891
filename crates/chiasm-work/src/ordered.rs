//! Work in parallel, results in order.

use crate::cancel::{Cancel, check};
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A worker panicked; its message is what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panicked(pub String);

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a worker thread failed: {}", self.0)
    }
}

impl std::error::Error for Panicked {}

impl Panicked {
    fn of(payload: Box<dyn std::any::Any + Send>) -> Self {
        let text = payload
            .downcast_ref::<&str>()
            .map(|text| text.to_string())
            .or_else(|| payload.downcast_ref::<String>().cloned());
        Panicked(text.unwrap_or_else(|| "no reason given".into()))
    }
}

/// Threads that take the next input as soon as they are free; what is finished early waits for its
/// turn, so that the result does not depend on the number of threads.
#[derive(Clone, Copy, Debug)]
pub struct InOrder {
    threads: usize,
    ahead: usize,
}

/// Inputs a thread may be ahead of the output, if nothing else is asked for: enough for batches.
const AHEAD: usize = 4;

impl InOrder {
    /// So many threads; one of them is that of the caller if there is but one.
    pub fn new(threads: usize) -> Self {
        InOrder {
            threads: threads.max(1),
            ahead: AHEAD,
        }
    }

    /// Lets threads run ahead of the output by `inputs` each: many where inputs are small and differ
    /// much in cost, few where they take memory.
    pub fn ahead(self, inputs: usize) -> Self {
        InOrder {
            ahead: inputs.max(1),
            ..self
        }
    }

    /// `read` fills inputs one after another until it says `false`, `process` makes outputs of them
    /// on all threads, `consume` gets the outputs in the order of the inputs on the caller's
    /// thread. Inputs and outputs are reused, so neither comes empty. The error that is returned is
    /// that of the earliest input; the outputs before it have been consumed. A panic in `read` or
    /// `process` is such an error.
    pub fn run<I, O, E>(
        self,
        mut read: impl FnMut(&mut I) -> Result<bool, E> + Send,
        process: impl Fn(&I, &mut O) -> Result<(), E> + Sync,
        mut consume: impl FnMut(&mut O) -> Result<(), E>,
    ) -> Result<(), E>
    where
        I: Default + Send,
        O: Default + Send,
        E: From<Panicked> + Send,
    {
        if self.threads == 1 {
            let (mut input, mut output) = (I::default(), O::default());
            while read(&mut input)? {
                let outcome = guarded(|| process(&input, &mut output));
                check();
                outcome?;
                consume(&mut output)?;
            }
            return Ok(());
        }
        let queue = Queue {
            state: Mutex::new(State {
                next: 0,
                written: 0,
                exhausted: false,
                stopped: false,
                finished: BTreeMap::new(),
                free: Vec::new(),
            }),
            progress: Condvar::new(),
            room: Condvar::new(),
            most: self.ahead * self.threads,
        };
        let reader = Mutex::new(read);
        let cancel = Cancel::current();
        std::thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(|| {
                    cancel.iter().for_each(Cancel::join);
                    queue.work(&reader, &process)
                });
            }
            let outcome = queue.consume(&mut consume);
            queue.stop();
            outcome
        })
    }
}

/// Runs `work`; a panic becomes an error. Work that was cancelled does, too, and the caller's own check comes first.
fn guarded<T, E: From<Panicked>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(Panicked::of(payload).into()))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What runs under a lock is guarded, or cannot panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct State<I, O, E> {
    next: usize,
    written: usize,
    exhausted: bool,
    stopped: bool,
    finished: BTreeMap<usize, Result<(I, O), E>>,
    free: Vec<(I, O)>,
}

struct Queue<I, O, E> {
    state: Mutex<State<I, O, E>>,
    progress: Condvar,
    room: Condvar,
    most: usize,
}

impl<I: Default, O: Default, E: From<Panicked>> Queue<I, O, E> {
    fn work<R: FnMut(&mut I) -> Result<bool, E>>(
        &self,
        reader: &Mutex<R>,
        process: &impl Fn(&I, &mut O) -> Result<(), E>,
    ) {
        // The lock on the reader is taken first, so that numbers are in the order of reading and
        // finished work can be consumed while the next input is read.
        loop {
            let mut read = lock(reader);
            let Some((number, mut slot)) = self.take() else {
                return;
            };
            match guarded(|| read(&mut slot.0)) {
                Ok(true) => {}
                Ok(false) => return self.end(None),
                Err(error) => return self.end(Some((number, error))),
            }
            lock(&self.state).next = number + 1;
            drop(read);
            let outcome = guarded(|| process(&slot.0, &mut slot.1));
            lock(&self.state)
                .finished
                .insert(number, outcome.map(|()| slot));
            self.progress.notify_all();
        }
    }

    /// A number and a slot for the next input, when there is room; none when nothing is to be read.
    fn take(&self) -> Option<(usize, (I, O))> {
        let mut state = lock(&self.state);
        loop {
            if state.stopped || state.exhausted {
                return None;
            }
            if state.next < state.written + self.most {
                return Some((state.next, state.free.pop().unwrap_or_default()));
            }
            state = self
                .room
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nothing more is read; the last that came may have been an error.
    fn end(&self, failed: Option<(usize, E)>) {
        let mut state = lock(&self.state);
        state.exhausted = true;
        if let Some((number, error)) = failed {
            state.next = number + 1;
            state.finished.insert(number, Err(error));
        }
        drop(state);
        self.progress.notify_all();
        self.room.notify_all();
    }

    fn consume(&self, consume: &mut impl FnMut(&mut O) -> Result<(), E>) -> Result<(), E> {
        // The caller's own panic must wake the workers, too, before it goes on.
        let _stop = StopOnDrop(self);
        loop {
            check();
            let mut state = lock(&self.state);
            let turn = state.written;
            match state.finished.remove(&turn) {
                Some(outcome) => {
                    drop(state);
                    if outcome.is_err() {
                        check();
                    }
                    let mut slot = outcome?;
                    consume(&mut slot.1)?;
                    let mut state = lock(&self.state);
                    state.written += 1;
                    state.free.push(slot);
                    drop(state);
                    self.room.notify_all();
                }
                None if state.exhausted && state.written == state.next => return Ok(()),
                None => drop(self.progress.wait(state)),
            }
        }
    }
}

impl<I, O, E> Queue<I, O, E> {
    fn stop(&self) {
        lock(&self.state).stopped = true;
        self.room.notify_all();
    }
}

struct StopOnDrop<'a, I, O, E>(&'a Queue<I, O, E>);

impl<I, O, E> Drop for StopOnDrop<'_, I, O, E> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    enum Failure {
        At(usize),
        Panic(String),
    }

    impl From<Panicked> for Failure {
        fn from(panicked: Panicked) -> Self {
            Failure::Panic(panicked.0)
        }
    }

    fn squares(
        threads: usize,
        count: usize,
        process: impl Fn(usize) -> Result<usize, Failure> + Sync,
    ) -> (Vec<usize>, Result<(), Failure>) {
        let (mut next, mut out) = (0, Vec::new());
        let outcome = InOrder::new(threads).run(
            |input: &mut usize| {
                *input = next;
                next += 1;
                Ok(*input < count)
            },
            |&input, output: &mut usize| {
                *output = process(input)?;
                Ok(())
            },
            |output| {
                out.push(*output);
                Ok(())
            },
        );
        (out, outcome)
    }

    #[test]
    fn order_is_kept_and_the_first_error_wins() {
        for threads in [1, 2, 5] {
            for count in [0, 1, 2, 7, 1000] {
                let (out, outcome) = squares(threads, count, |n| Ok(n * n));
                assert_eq!(outcome, Ok(()));
                assert!(out.iter().copied().eq((0..count).map(|n| n * n)));
            }
            let bad = |n| if n >= 37 { Err(Failure::At(n)) } else { Ok(n) };
            let (out, outcome) = squares(threads, 1000, bad);
            assert_eq!((out.len(), outcome), (37, Err(Failure::At(37))));
        }
    }

    #[test]
    fn a_panic_in_a_worker_is_an_error_and_not_the_end_of_time() {
        for threads in [1, 2, 5] {
            let (out, outcome) = squares(threads, 1000, |n| {
                assert!(n != 37, "thirty-seven");
                Ok(n)
            });
            assert_eq!(out.len(), 37);
            assert_eq!(outcome, Err(Failure::Panic("thirty-seven".into())));
        }
    }

    #[test]
    fn a_panic_of_the_reader_is_an_error() {
        let read = |_: &mut usize| -> Result<bool, Failure> { panic!("no text") };
        let outcome = InOrder::new(3).run(read, |_, _: &mut ()| Ok(()), |_| Ok(()));
        assert_eq!(outcome, Err(Failure::Panic("no text".into())));
    }
}
