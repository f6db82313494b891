//! Completion as one types a reference: how often the next word is right, and how long a keystroke takes, with the sentence's graph at
//! hand and with making it at the first one.
//!
//! `cargo xtask complete SYSTEM SOURCE TARGET` on tokenised text.

use anyhow::{Result, bail};
use chiasm_decode::{Decoder, GraphLimits, Input, System};
use chiasm_work::cpu_seconds;
use std::sync::Arc;

pub fn run(arguments: &[String]) -> Result<()> {
    let [system, source, target] = arguments else {
        bail!("SYSTEM, SOURCE and TARGET expected");
    };
    let decoder = Decoder::new(Arc::new(System::open(system)?))?;
    let (source, target) = (
        std::fs::read_to_string(source)?,
        std::fs::read_to_string(target)?,
    );
    let (mut right, mut asked) = (0_u32, 0_u32);
    let (mut keystrokes, mut graphs, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for (source, target) in source.lines().zip(target.lines()) {
        let begin = cpu_seconds();
        let graph = decoder.word_graph(&Input::from_line(source), GraphLimits::default(), 1.0)?;
        let made = cpu_seconds() - begin;
        graphs.push(made);
        let words: Vec<String> = target.split(' ').map(String::from).collect();
        for typed in 0..words.len() {
            let begin = cpu_seconds();
            let completion = graph.complete(&words[..typed], false);
            let taken = cpu_seconds() - begin;
            keystrokes.push(taken);
            all.push(if typed == 0 { made + taken } else { taken });
            asked += 1;
            right += u32::from(completion.words.first() == Some(&words[typed]));
        }
    }
    let share = |times: &mut Vec<f64>, part: f64| {
        times.sort_unstable_by(f64::total_cmp);
        let at = (times.len() as f64 * part) as usize;
        times
            .get(at.min(times.len().saturating_sub(1)))
            .map_or(0.0, |seconds| 1000.0 * seconds)
    };
    println!(
        "next word right: {:.2} % of {asked}; CPU ms of a keystroke: median {:.2}, p95 {:.2}; of a graph: median {:.2}, p95 {:.2}; \
         of keystrokes, the graph made at the first: median {:.2}, p95 {:.2}",
        100.0 * f64::from(right) / f64::from(asked.max(1)),
        share(&mut keystrokes, 0.5),
        share(&mut keystrokes, 0.95),
        share(&mut graphs, 0.5),
        share(&mut graphs, 0.95),
        share(&mut all, 0.5),
        share(&mut all, 0.95),
    );
    Ok(())
}
