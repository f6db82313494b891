//! What a system's ranker translates by itself: `cargo xtask alone SYSTEM SOURCE [BEAM]` on tokenised text.

use anyhow::{Context, Result, bail};
use chiasm_decode::System;

pub fn run(arguments: &[String]) -> Result<()> {
    let (system, source, beam) = match arguments {
        [system, source] => (system, source, 4),
        [system, source, beam] => (system, source, beam.parse()?),
        _ => bail!("SYSTEM, SOURCE and perhaps BEAM expected"),
    };
    let system = System::open(system)?;
    let model = system.ranker().context("the system has no ranker")?;
    for line in std::fs::read_to_string(source)?.lines() {
        let words: Vec<&str> = chiasm_text::tokens(line).collect();
        println!("{}", model.translate(&words, beam).join(" "));
    }
    Ok(())
}
