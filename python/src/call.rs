//! How a long call is made: the interpreter's lock is given back, the work runs on a pool of its own (so that `fork` finds
//! no threads of an earlier call), and the calling thread looks for Ctrl-C and tells how far the work is.

use crate::error::{raised, refused};
use chiasm::work::{Cancel, Observer, Progress};
use pyo3::prelude::*;
use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often Ctrl-C is looked for.
const LOOK: Duration = Duration::from_millis(25);
/// How often progress is told.
const TELL: Duration = Duration::from_millis(100);

/// What Python is told: `callable(work, unit, done, total)` for progress, `callable(remark, None, None, None)` for remarks.
pub type Listener<'py> = Option<Bound<'py, PyAny>>;

/// Runs `work`; what it returns must not hold anything of Python's.
pub fn call<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    listener: Listener<'_>,
    work: impl FnOnce(&Meter) -> chiasm::Result<T> + Send,
) -> PyResult<T> {
    let listener = listener.map(Bound::unbind);
    py.detach(|| run(threads, listener, work))
}

fn run<T: Send>(
    threads: Option<usize>,
    listener: Option<Py<PyAny>>,
    work: impl FnOnce(&Meter) -> chiasm::Result<T> + Send,
) -> PyResult<T> {
    let (cancel, meter) = (Cancel::default(), Meter::default());
    let joined = cancel.clone();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .start_handler(move |_| joined.join())
        .build()
        .map_err(|error| refused(format!("no threads: {error}")))?;
    let mut interrupted = None;
    let outcome = std::thread::scope(|scope| {
        let caller = std::thread::current();
        let (cancel, pool, meter) = (&cancel, &pool, &meter);
        let worker = scope.spawn(move || {
            let _wake = Wake(caller);
            cancel.run(|| pool.install(|| work(meter)))
        });
        let mut told = Instant::now();
        while !worker.is_finished() {
            std::thread::park_timeout(LOOK);
            if worker.is_finished() {
                break;
            }
            let tell = listener.is_some() && told.elapsed() >= TELL;
            let outcome = Python::attach(|py| {
                py.check_signals()?;
                match &listener {
                    Some(listener) if tell => meter.tell(listener.bind(py)),
                    _ => Ok(()),
                }
            });
            if tell {
                told = Instant::now();
            }
            if let Err(error) = outcome {
                cancel.cancel();
                interrupted.get_or_insert(error);
            }
        }
        worker.join()
    });
    if let Some(error) = interrupted {
        return Err(error);
    }
    if let Some(listener) = &listener {
        Python::attach(|py| meter.tell(listener.bind(py)))?;
    }
    match outcome {
        Ok(Ok(done)) => done.map_err(raised),
        Ok(Err(cancelled)) => Err(refused(cancelled.to_string())),
        Err(panic) => Err(refused(format!("internal error: {}", message(&*panic)))),
    }
}

/// Wakes the thread that waits, however the work ends.
struct Wake(std::thread::Thread);

impl Drop for Wake {
    fn drop(&mut self) {
        self.0.unpark();
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no reason given")
}

/// One piece of work: what it is called, what it counts, and how far it is.
#[derive(Clone, Default)]
struct Stretch {
    work: String,
    unit: String,
    total: Option<u64>,
    done: Arc<AtomicU64>,
}

/// Hears of the work on its threads, and is asked about it on Python's.
#[derive(Default)]
pub struct Meter {
    news: Mutex<(Vec<String>, Option<Stretch>)>,
}

impl Meter {
    fn tell(&self, listener: &Bound<'_, PyAny>) -> PyResult<()> {
        let (remarks, stretch) = {
            let mut news = self.news.lock().unwrap_or_else(PoisonError::into_inner);
            (std::mem::take(&mut news.0), news.1.clone())
        };
        for remark in remarks {
            listener.call1((remark, None::<&str>, None::<u64>, None::<u64>))?;
        }
        if let Some(now) = stretch {
            let done = now.done.load(Ordering::Relaxed);
            listener.call1((now.work, now.unit, done, now.total))?;
        }
        Ok(())
    }
}

impl Observer for Meter {
    fn say(&self, remark: &str) {
        let mut news = self.news.lock().unwrap_or_else(PoisonError::into_inner);
        news.0.push(remark.to_string());
    }

    fn begin(&self, work: &str, unit: &str, total: Option<u64>) -> Box<dyn Progress + '_> {
        let stretch = Stretch {
            work: work.into(),
            unit: unit.into(),
            total,
            done: Arc::default(),
        };
        let counter = Counter(stretch.done.clone());
        let mut news = self.news.lock().unwrap_or_else(PoisonError::into_inner);
        news.1 = Some(stretch);
        Box::new(counter)
    }
}

struct Counter(Arc<AtomicU64>);

impl Progress for Counter {
    fn advance(&self, amount: u64) {
        self.0.fetch_add(amount, Ordering::Relaxed);
    }
}
