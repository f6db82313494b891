//! Processor time, which a noisy neighbour changes less than the clock on the wall.

use cpu_time::ProcessTime;

/// Seconds of processor time of this process so far, over all its threads; 0 where the system does
/// not say.
pub fn cpu_seconds() -> f64 {
    ProcessTime::try_now().map_or(0.0, |time| time.as_duration().as_secs_f64())
}

/// Processor time of the processes that have been waited for; 0 where the system does not say.
pub fn children_cpu_seconds() -> f64 {
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else {
        return 0.0;
    };
    // The fields after the name, which stands in parentheses: 16 and 17 of all are the children's
    // user and system time in hundredths of a second.
    let Some((_, fields)) = stat.rsplit_once(") ") else {
        return 0.0;
    };
    let fields: Vec<&str> = fields.split(' ').collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|f| f.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    (ticks(13) + ticks(14)) / 100.0
}
