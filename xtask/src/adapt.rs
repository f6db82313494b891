//! Simulated post-editing: every segment is translated, then learned with its reference, in the order of the document.
//!
//! `cargo xtask adapt SYSTEM SOURCE TARGET [t=1 b=0.5 c=1 x=20000] [frozen] [strokes] [then=SOURCE]` on tokenised text; writes the
//! translations to standard output. The strengths are those of `chiasm_decode::Strengths`; `frozen` learns nothing; `strokes` types
//! each reference, taking what is offered, and says what share of its words had to be typed; `then` translates another text at the end, after the others, with everything learned.

use anyhow::{Context, Result, bail};
use chiasm_adapt::Memory;
use chiasm_decode::{Decoder, GraphLimits, Input, Preparation, Strengths, System};
use chiasm_work::cpu_seconds;
use std::sync::Arc;

pub fn run(arguments: &[String]) -> Result<()> {
    let [system, source, target, rest @ ..] = arguments else {
        bail!("SYSTEM, SOURCE and TARGET expected");
    };
    let mut strengths = Strengths::default();
    let (mut frozen, mut strokes, mut then) = (false, false, None);
    for word in rest {
        if word == "frozen" {
            frozen = true;
            continue;
        }
        if word == "strokes" {
            strokes = true;
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
    let (mut learning, mut translating) = (0.0, 0.0);
    let (mut typed, mut words) = (0, 0);
    for (source, target) in source.lines().zip(target.lines()) {
        let mut input = Input::from_line(source);
        input.learned = Some(memory.learned());
        let begin = cpu_seconds();
        println!("{}", decoder.translate(&input)?.text());
        translating += cpu_seconds() - begin;
        if strokes {
            typed += words_typed(&decoder, &input, target)?;
            words += target.split(' ').count();
        }
        drop(input);
        if !frozen {
            let begin = cpu_seconds();
            memory.learn(&preparation, [(source, target)])?;
            learning += cpu_seconds() - begin;
        }
    }
    for line in then.iter().flat_map(|text| text.lines()) {
        let mut input = Input::from_line(line);
        input.learned = Some(memory.learned());
        println!("{}", decoder.translate(&input)?.text());
    }
    let pairs = source.lines().count() as f64;
    eprintln!(
        "translating {:.2}, learning {:.2} CPU ms a pair",
        1000.0 * translating / pairs,
        1000.0 * learning / pairs
    );
    if words > 0 {
        let share = 100.0 * typed as f64 / words as f64;
        eprintln!("{share:.2} % of {words} words typed");
    }
    Ok(())
}

/// How many words of a reference must be typed if what is offered after each word is taken wherever it is right.
fn words_typed(decoder: &Decoder, input: &Input, target: &str) -> Result<usize> {
    let graph = decoder.word_graph(input, GraphLimits::default(), 1.0)?;
    let words: Vec<String> = target.split(' ').map(String::from).collect();
    let wrong = (0..words.len()).filter(|&so_far| {
        let offered = graph.complete(&words[..so_far], false);
        offered.words.first() != Some(&words[so_far])
    });
    Ok(wrong.count())
}
