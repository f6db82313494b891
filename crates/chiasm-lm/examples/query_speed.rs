//! Queries a second: `query_speed MODEL TEXT [ROUNDS]`. The text is in memory before the clock runs.

use chiasm_lm::Model;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, text, ..] = &arguments[..] else {
        return Err("usage: query_speed MODEL TEXT [ROUNDS]".into());
    };
    let rounds: usize = arguments.get(2).map_or(Ok(1), |n| n.parse())?;
    let model = Model::open(model)?;
    let text = std::fs::read_to_string(text)?;
    let started = Instant::now();
    let (mut queries, mut total) = (0, 0.0);
    for _ in 0..rounds {
        for line in text.lines() {
            let score = model.score_line(line);
            queries += score.words + 1;
            total += score.log10;
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{total:.3} {queries} queries, {:.0} a second",
        queries as f64 / seconds
    );
    Ok(())
}
