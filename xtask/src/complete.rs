//! Completion as one types a reference: how often the next word is right, and how long a keystroke takes, with the sentence's graph at
//! hand and with making it at the first one.
//!
//! `cargo xtask complete SYSTEM SOURCE TARGET` on tokenised text.

use anyhow::{Result, bail};
use chiasm_decode::{Decoder, GraphLimits, Input, System};
use std::sync::Arc;
use std::time::Instant;

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
        let begin = Instant::now();
        let graph = decoder.word_graph(&Input::from_line(source), GraphLimits::default(), 1.0)?;
        graphs.push(begin.elapsed());
        let words: Vec<String> = target.split(' ').map(String::from).collect();
        for typed in 0..words.len() {
            let begin = Instant::now();
            let completion = graph.complete(&words[..typed], false);
            keystrokes.push(begin.elapsed());
            let first = graphs.last().copied().filter(|_| typed == 0);
            all.push(begin.elapsed() + first.unwrap_or_default());
            asked += 1;
            right += u32::from(completion.words.first() == Some(&words[typed]));
        }
    }
    let share = |times: &mut Vec<std::time::Duration>, part: f64| {
        times.sort_unstable();
        let at = (times.len() as f64 * part) as usize;
        times
            .get(at.min(times.len().saturating_sub(1)))
            .copied()
            .unwrap_or_default()
    };
    println!(
        "next word right: {:.2} % of {asked}; a keystroke: median {:?}, p95 {:?}; a graph: median {:?}, p95 {:?}; \
         keystrokes, the graph made at the first: median {:?}, p95 {:?}",
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
