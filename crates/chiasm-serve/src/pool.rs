//! The decoding threads. A request is a batch of sentences; clients take turns by the time they have had, and the batches
//! of each a sentence at a time, so that neither a long text nor many of them hold up somebody's short one.

use crate::clients::Client;
use crate::problem::Problem;
use chiasm_work::Cancel;
use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
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
    threads: usize,
}

#[derive(Default)]
struct State {
    lines: HashMap<Client, Line>,
    /// The least time that a client whose turn it was had had by then.
    clock: f64,
    closed: bool,
}

/// What one client waits for.
#[derive(Default)]
struct Line {
    batches: VecDeque<Arc<Batch>>,
    /// Seconds of decoding that the client has had. One that comes, or comes back, begins with the time that those who
    /// are here have had: it is owed nothing for its absence.
    spent: f64,
    /// Sentences that are translated now.
    running: usize,
}

/// The sentences of one request.
struct Batch {
    client: Client,
    next: AtomicUsize,
    count: usize,
    /// Nobody waits for it any more.
    gone: Cancel,
    #[allow(clippy::type_complexity)]
    run: Box<dyn Fn(usize, &Cancel) + Send + Sync>,
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
            threads: threads.max(1),
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
    /// dropped, as when the client hangs up, what has not been begun never is, and what has been ends at its next
    /// [`check`](chiasm_work::cancel::check).
    pub async fn run<T: Send + 'static>(
        &self,
        client: Client,
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
        let run = move |number: usize, gone: &Cancel| {
            // Work that was cancelled has no outcome, and nobody waits for one.
            let outcome = catch_unwind(AssertUnwindSafe(|| gone.run(|| work(number)).ok()));
            let outcome = outcome.ok().flatten();
            lock(&collected).put(number, outcome);
        };
        let waiting = Waiting {
            shared: &self.shared,
            batch: Arc::new(Batch {
                client,
                next: AtomicUsize::new(0),
                count,
                gone: Cancel::default(),
                run: Box::new(run),
            }),
        };
        lock(&self.shared.state).push(waiting.batch.clone());
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

impl State {
    fn push(&mut self, batch: Arc<Batch>) {
        let clock = self.clock;
        let line = self.lines.entry(batch.client).or_default();
        if line.batches.is_empty() && line.running == 0 {
            line.spent = line.spent.max(clock);
        }
        line.batches.push_back(batch);
    }

    /// The next sentence of the client that has had the least: not each request but each client has its turn, and a long
    /// sentence counts as what it takes. As long as others wait, nobody has all threads.
    fn next(&mut self, threads: usize) -> Option<(Arc<Batch>, usize)> {
        let waiting = || {
            self.lines
                .iter()
                .filter(|(_, line)| !line.batches.is_empty())
        };
        let alone = waiting().count() == 1;
        let most = if alone { threads } else { (threads - 1).max(1) };
        let free = waiting().filter(|(_, line)| line.running < most);
        let (&client, _) = free.min_by(|(_, a), (_, b)| a.spent.total_cmp(&b.spent))?;
        let line = self.lines.get_mut(&client)?;
        self.clock = self.clock.max(line.spent);
        let batch = line.batches.pop_front()?;
        let number = batch.next.fetch_add(1, Ordering::Relaxed);
        if number + 1 < batch.count {
            line.batches.push_back(batch.clone());
        }
        line.running += 1;
        Some((batch, number))
    }

    /// A sentence of the client is done; a client that owes nothing and wants nothing is forgotten.
    fn finish(&mut self, client: Client, seconds: f64) {
        if let Some(line) = self.lines.get_mut(&client) {
            line.running -= 1;
            line.spent += seconds;
        }
        let clock = self.clock;
        let waits = |line: &Line| !line.batches.is_empty() || line.running > 0;
        let busy = self.lines.values().any(waits);
        self.lines
            .retain(|_, line| waits(line) || (busy && line.spent > clock));
    }
}

impl Shared {
    fn work(&self) {
        while let Some((batch, number)) = self.next() {
            let started = Instant::now();
            (batch.run)(number, &batch.gone);
            let seconds = started.elapsed().as_secs_f64();
            lock(&self.state).finish(batch.client, seconds);
            // A client that had as many threads as it may have may have another now.
            self.ready.notify_one();
        }
    }

    /// The next sentence of the batch whose turn it is; none when the pool closes.
    fn next(&self) -> Option<(Arc<Batch>, usize)> {
        let mut state = lock(&self.state);
        loop {
            if state.closed {
                state.lines.clear();
                return None;
            }
            if let Some(found) = state.next(self.threads) {
                return Some(found);
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
        self.batch.gone.cancel();
        let mut state = lock(&self.shared.state);
        if let Some(line) = state.lines.get_mut(&self.batch.client) {
            line.batches
                .retain(|batch| !Arc::ptr_eq(batch, &self.batch));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn client(number: u8) -> Client {
        Client::of([10, 0, 0, number].into())
    }

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
        let squares = block_on(pool.run(client(1), 50, LONG, |number| number * number)).unwrap();
        assert!(
            squares
                .iter()
                .enumerate()
                .all(|(n, &square)| square == n * n)
        );
        let failed = block_on(pool.run(client(1), 3, LONG, |number| assert!(number != 1)));
        assert_eq!(failed, Err(Problem::failed("the translation failed")));
        // The thread that panicked works on.
        assert_eq!(block_on(pool.run(client(1), 1, LONG, |_| 7)).unwrap(), [7]);
        assert_eq!(pool.admitted(), 0);
    }

    #[test]
    fn a_short_request_does_not_wait_for_a_long_one() {
        let pool = Pool::new(1, 4).unwrap();
        let order: Arc<Mutex<Vec<char>>> = Arc::default();
        let note = |name: char| {
            let order = order.clone();
            move |_: usize| {
                std::thread::sleep(Duration::from_millis(5));
                lock(&order).push(name);
            }
        };
        block_on(async {
            let (long, short) = tokio::join!(
                pool.run(client(1), 20, LONG, note('l')),
                pool.run(client(1), 1, LONG, note('s'))
            );
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
        let slow = move |_: usize| {
            counter.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(50));
        };
        block_on(async {
            let (first, second) = tokio::join!(
                pool.run(client(1), 100, Duration::from_millis(20), slow),
                pool.run(client(1), 1, LONG, |_| ())
            );
            assert_eq!(first, Err(Problem::timed_out(0.02)));
            assert_eq!(second, Err(Problem::busy()));
        });
        assert_eq!(pool.admitted(), 0);
        drop(pool);
        assert!(begun.load(Ordering::SeqCst) <= 2);
    }

    #[test]
    fn clients_share_the_time_and_not_the_turns() {
        let pool = Pool::new(1, 100).unwrap();
        let order: Arc<Mutex<Vec<char>>> = Arc::default();
        let note = |name: char, milliseconds: u64| {
            let order = order.clone();
            move |_: usize| {
                std::thread::sleep(Duration::from_millis(milliseconds));
                lock(&order).push(name);
            }
        };
        block_on(async {
            // Five requests of one client that take long, and one client with many that do not.
            let greedy = || pool.run(client(1), 5, LONG, note('g', 50));
            let modest = pool.run(client(2), 30, LONG, note('m', 1));
            let all = tokio::join!(greedy(), greedy(), greedy(), greedy(), greedy(), modest);
            all.5.unwrap();
        });
        let order = lock(&order);
        let last = order.iter().rposition(|&name| name == 'm').unwrap();
        let before = order[..last].iter().filter(|&&name| name == 'g').count();
        assert!(before <= 4, "{before}");
    }

    #[test]
    fn what_nobody_waits_for_ends() {
        let pool = Pool::new(1, 4).unwrap();
        let endless = |_: usize| {
            loop {
                chiasm_work::cancel::check();
                std::thread::yield_now();
            }
        };
        let short = Duration::from_millis(20);
        let outcome: Result<Vec<()>, _> = block_on(pool.run(client(1), 1, short, endless));
        assert_eq!(outcome, Err(Problem::timed_out(0.02)));
        // Waits for its threads, which would work for ever.
        drop(pool);
    }
}
