//! Sentences to threads, translations back in order. Sentences differ a lot in length, so every
//! worker takes the next one as soon as it is free; what is finished early waits for its turn.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How far workers may run ahead of the output, in sentences a thread.
const AHEAD: usize = 64;

struct Shared<R, O, E> {
    read: R,
    next: usize,
    exhausted: bool,
    finished: BTreeMap<usize, Result<O, E>>,
    written: usize,
    stopped: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A worker that panicked has already ended the program's normal course.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads items, processes them in `threads` threads and consumes the results in the order of
/// reading. Stops at the first error in that order; what came before it has been consumed.
pub fn process_in_order<I, O, E>(
    threads: usize,
    read: impl FnMut() -> Result<Option<I>, E> + Send,
    process: impl Fn(I) -> Result<O, E> + Sync,
    mut consume: impl FnMut(O) -> Result<(), E>,
) -> Result<(), E>
where
    I: Send,
    O: Send,
    E: Send,
{
    if threads <= 1 {
        let mut read = read;
        while let Some(item) = read()? {
            consume(process(item)?)?;
        }
        return Ok(());
    }
    let shared = Mutex::new(Shared {
        read,
        next: 0,
        exhausted: false,
        finished: BTreeMap::new(),
        written: 0,
        stopped: false,
    });
    let (progress, room) = (Condvar::new(), Condvar::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let mut state = lock(&shared);
                    while !state.stopped
                        && !state.exhausted
                        && state.next >= state.written + AHEAD * threads
                    {
                        state = room.wait(state).unwrap_or_else(PoisonError::into_inner);
                    }
                    if state.stopped || state.exhausted {
                        return;
                    }
                    let number = state.next;
                    let item = match (state.read)() {
                        Ok(Some(item)) => item,
                        Ok(None) => {
                            state.exhausted = true;
                            progress.notify_all();
                            room.notify_all();
                            return;
                        }
                        Err(error) => {
                            state.next += 1;
                            state.exhausted = true;
                            state.finished.insert(number, Err(error));
                            progress.notify_all();
                            room.notify_all();
                            return;
                        }
                    };
                    state.next += 1;
                    drop(state);
                    let result = process(item);
                    lock(&shared).finished.insert(number, result);
                    progress.notify_all();
                }
            });
        }
        let outcome = loop {
            let mut state = lock(&shared);
            let turn = state.written;
            match state.finished.remove(&turn) {
                Some(result) => {
                    state.written += 1;
                    drop(state);
                    room.notify_all();
                    if let Err(error) = result.and_then(&mut consume) {
                        break Err(error);
                    }
                }
                None if state.exhausted && state.written == state.next => break Ok(()),
                None => drop(progress.wait(state)),
            }
        };
        lock(&shared).stopped = true;
        room.notify_all();
        outcome
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(threads: usize, count: usize, bad: Option<usize>) -> (Vec<usize>, Result<(), usize>) {
        let mut out = Vec::new();
        let mut numbers = 0..count;
        let outcome = process_in_order(
            threads,
            || Ok(numbers.next()),
            |number| match bad {
                Some(bad) if bad == number => Err(number),
                _ => Ok(number * number),
            },
            |square| {
                out.push(square);
                Ok(())
            },
        );
        (out, outcome)
    }

    #[test]
    fn order_is_kept_and_the_first_error_wins() {
        for threads in [1, 2, 5] {
            for count in [0, 1, 7, 1000] {
                let (out, outcome) = run(threads, count, None);
                assert_eq!(outcome, Ok(()));
                assert!(
                    out.iter()
                        .copied()
                        .eq((0..count).map(|number| number * number))
                );
            }
            let (out, outcome) = run(threads, 1000, Some(37));
            assert_eq!((out.len(), outcome), (37, Err(37)));
        }
    }
}
