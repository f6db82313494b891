//! Simulated post-editing: every segment is translated, then learned with its reference, in the order of the document.
//!
//! `cargo xtask adapt SYSTEM SOURCE TARGET [t=1 b=0.5 c=1 x=20000] [frozen] [then=SOURCE]` on tokenised text; writes the
//! translations to standard output. The strengths are those of `chiasm_decode::Strengths`; `frozen` learns nothing; `then`
//! translates another text at the end, after the others, with everything learned.

use anyhow::{Context, Result, bail};
use chiasm_adapt::Memory;
use chiasm_decode::{Decoder, Input, Preparation, Strengths, System};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub fn run(arguments: &[String]) -> Result<()> {
    let [system, source, target, rest @ ..] = arguments else {
        bail!("SYSTEM, SOURCE and TARGET expected");
    };
    let mut strengths = Strengths::default();
    let (mut frozen, mut then) = (false, None);
    for word in rest {
        if word == "frozen" {
            frozen = true;
            continue;
        }
        let (name, value) = word.split_once('=').context("NAME=VALUE expected")?;
        if name == "then" {
            then = Some(std::fs::read_to_string(value)?);
            continue;
        }
        let slot = match name {
            "t" => &mut strengths.table,
            "b" => &mut strengths.bonus,
            "c" => &mut strengths.context,
            "x" => &mut strengths.text,
            _ => bail!("t, b, c or x expected, {name} found"),
        };
        *slot = value.parse()?;
    }
    let system = Arc::new(System::open(system)?);
    let decoder = Decoder::new(system.clone())?;
    let folder = tempfile::tempdir()?;
    let mut memory =
        Memory::open(system, folder.path().join("memory"))?.with_strengths(strengths)?;
    let (source, target) = (
        std::fs::read_to_string(source)?,
        std::fs::read_to_string(target)?,
    );
    let preparation = Preparation::tokenized();
    let (mut learning, mut translating) = (Duration::ZERO, Duration::ZERO);
    for (source, target) in source.lines().zip(target.lines()) {
        let mut input = Input::from_line(source);
        input.learned = Some(memory.learned());
        let begin = Instant::now();
        println!("{}", decoder.translate(&input)?.text());
        translating += begin.elapsed();
        drop(input);
        if !frozen {
            let begin = Instant::now();
            memory.learn(&preparation, [(source, target)])?;
            learning += begin.elapsed();
        }
    }
    for line in then.iter().flat_map(|text| text.lines()) {
        let mut input = Input::from_line(line);
        input.learned = Some(memory.learned());
        println!("{}", decoder.translate(&input)?.text());
    }
    eprintln!(
        "translating {translating:?}, learning {learning:?}, {} pairs",
        memory.pairs().len()
    );
    Ok(())
}
