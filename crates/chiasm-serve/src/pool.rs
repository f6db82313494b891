//! The decoding threads. A request is a batch of sentences; the batches take turns, a sentence
//! each, so that a long text does not hold up a short one.

use crate::problem::Problem;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;

/// Threads that translate, with a bounded line of requests before them.
pub struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    ready: Condvar,
    admitted: AtomicUsize,
    most: usize,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Arc<Batch>>,
    closed: bool,
}

/// The sentences of one request.
struct Batch {
    next: AtomicUsize,
    count: usize,
    run: Box<dyn Fn(usize) + Send + Sync>,
}

/// What the sentences of a batch became.
struct Collected<T> {
    outcomes: Vec<Option<T>>,
    missing: usize,
    done: Option<oneshot::Sender<Vec<Option<T>>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that can panic runs while a lock is held.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// Starts the threads; at most `requests` are taken at a time.
    pub fn new(threads: usize, requests: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            ready: Condvar::new(),
            admitted: AtomicUsize::new(0),
            most: requests.max(1),
        });
        let mut pool = Pool {
            shared: shared.clone(),
            threads: Vec::new(),
        };
        for number in 0..threads.max(1) {
            let shared = shared.clone();
            let builder = std::thread::Builder::new().name(format!("decode-{number}"));
            pool.threads.push(builder.spawn(move || shared.work())?);
        }
        Ok(pool)
    }

    /// Requests that are translated or wait for it.
    pub fn admitted(&self) -> usize {
        self.shared.admitted.load(Ordering::Relaxed)
    }

    /// Does `work` for 0, 1, ... `count - 1` and returns the outcomes in that order. If the future is
    /// dropped, as when the client hangs up, what has not been begun never is.
    pub async fn run<T: Send + 'static>(
        &self,
        count: usize,
        time: Duration,
        work: impl Fn(usize) -> T + Send + Sync + 'static,
    ) -> Result<Vec<T>, Problem> {
        let _admission = Admission::new(&self.shared)?;
        if count == 0 {
            return Ok(Vec::new());
        }
        let (done, outcome) = oneshot::channel();
        let collected = Mutex::new(Collected {
            outcomes: (0..count).map(|_| None).collect(),
            missing: count,
            done: Some(done),
        });
        let run = move |number: usize| {
            let outcome = catch_unwind(AssertUnwindSafe(|| work(number))).ok();
            lock(&collected).put(number, outcome);
        };
        let waiting = Waiting {
            shared: &self.shared,
            batch: Arc::new(Batch {
                next: AtomicUsize::new(0),
                count,
                run: Box::new(run),
            }),
        };
        lock(&self.shared.state)
            .waiting
            .push_back(waiting.batch.clone());
        match count {
            1 => self.shared.ready.notify_one(),
            _ => self.shared.ready.notify_all(),
        }
        let outcomes = tokio::time::timeout(time, outcome)
            .await
            .map_err(|_| Problem::timed_out(time.as_secs_f32()))?
            .map_err(|_| Problem::failed("the server is stopping"))?;
        let whole: Option<Vec<T>> = outcomes.into_iter().collect();
        whole.ok_or_else(|| Problem::failed("the translation failed"))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        lock(&self.shared.state).closed = true;
        self.shared.ready.notify_all();
        for thread in self.threads.drain(..) {
            // A thread only ends early if the process is out of memory.
            let _ = thread.join();
        }
    }
}

impl<T> Collected<T> {
    fn put(&mut self, number: usize, outcome: Option<T>) {
        self.outcomes[number] = outcome;
        self.missing -= 1;
        if self.missing == 0
            && let Some(done) = self.done.take()
        {
            // Nobody listens if the client has gone.
            let _ = done.send(std::mem::take(&mut self.outcomes));
        }
    }
}

impl Shared {
    fn work(&self) {
        while let Some((batch, number)) = self.next() {
            (batch.run)(number);
        }
    }

    /// The next sentence of the batch whose turn it is; none when the pool closes.
    fn next(&self) -> Option<(Arc<Batch>, usize)> {
        let mut state = lock(&self.state);
        loop {
            if state.closed {
                state.waiting.clear();
                return None;
            }
            if let Some(batch) = state.waiting.pop_front() {
                let number = batch.next.fetch_add(1, Ordering::Relaxed);
                if number + 1 < batch.count {
                    state.waiting.push_back(batch.clone());
                }
                return Some((batch, number));
            }
            state = self
                .ready
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A place among the requests, given back when dropped.
struct Admission<'a>(&'a Shared);

impl<'a> Admission<'a> {
    fn new(shared: &'a Shared) -> Result<Self, Problem> {
        let more = |admitted: usize| (admitted < shared.most).then_some(admitted + 1);
        let taken = shared
            .admitted
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        taken.map_err(|_| Problem::busy())?;
        Ok(Admission(shared))
    }
}

impl Drop for Admission<'_> {
    fn drop(&mut self) {
        self.0.admitted.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A batch that leaves the line when nobody waits for it any more.
struct Waiting<'a> {
    shared: &'a Shared,
    batch: Arc<Batch>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.shared.state);
        state
            .waiting
            .retain(|batch| !Arc::ptr_eq(batch, &self.batch));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn block_on<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
            .block_on(future)
    }

    #[test]
    fn outcomes_come_in_order_and_a_panic_is_a_problem() {
        let pool = Pool::new(3, 4).unwrap();
        let squares = block_on(pool.run(50, LONG, |number| number * number)).unwrap();
        assert!(
            squares
                .iter()
                .enumerate()
                .all(|(n, &square)| square == n * n)
        );
        let failed = block_on(pool.run(3, LONG, |number| assert!(number != 1)));
        assert_eq!(failed, Err(Problem::failed("the translation failed")));
        // The thread that panicked works on.
        assert_eq!(block_on(pool.run(1, LONG, |_| 7)).unwrap(), [7]);
        assert_eq!(pool.admitted(), 0);
    }

    #[test]
    fn a_short_request_does_not_wait_for_a_long_one() {
        let pool = Pool::new(1, 4).unwrap();
        let order: Arc<Mutex<Vec<char>>> = Arc::default();
        let note = |name: char| {
            let order = order.clone();
            move |_| {
                std::thread::sleep(Duration::from_millis(5));
                lock(&order).push(name);
            }
        };
        block_on(async {
            let (long, short) =
                tokio::join!(pool.run(20, LONG, note('l')), pool.run(1, LONG, note('s')));
            long.unwrap();
            short.unwrap();
        });
        let place = lock(&order).iter().position(|&name| name == 's').unwrap();
        assert!(place <= 2, "{place}");
    }

    #[test]
    fn too_many_are_sent_away_and_what_nobody_waits_for_is_not_begun() {
        let pool = Pool::new(1, 1).unwrap();
        let begun = Arc::new(AtomicUsize::new(0));
        let counter = begun.clone();
        let slow = move |_| {
            counter.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(50));
        };
        block_on(async {
            let (first, second) = tokio::join!(
                pool.run(100, Duration::from_millis(20), slow),
                pool.run(1, LONG, |_| ())
            );
            assert_eq!(first, Err(Problem::timed_out(0.02)));
            assert_eq!(second, Err(Problem::busy()));
        });
        assert_eq!(pool.admitted(), 0);
        drop(pool);
        assert!(begun.load(Ordering::SeqCst) <= 2);
    }
}
