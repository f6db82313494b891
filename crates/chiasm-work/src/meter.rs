//! Processor time, which a noisy neighbour changes less than the clock on the wall.

use cpu_time::ProcessTime;

/// Seconds of processor time of this process so far, over all its threads; 0 where the system does
/// not say.
pub fn cpu_seconds() -> f64 {
    ProcessTime::try_now().map_or(0.0, |time| time.as_duration().as_secs_f64())
}
