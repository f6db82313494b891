//! The decoder beside Moses: CPU seconds and average model score on the same models.
//!
//! `cargo xtask compare decoder MOSES.INI INPUT [POP_LIMIT]`. Moses and Moses2 run where the
//! environment variables `MOSES` and `MOSES2` name their programs; `CHIASM` names ours (default
//! `target/release/chiasm`). One thread each, loading included.

use anyhow::{Context, Result, bail};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the comparison.
pub fn run(arguments: &[String]) -> Result<()> {
    let [ini, input, rest @ ..] = arguments else {
        bail!("usage: cargo xtask compare decoder MOSES.INI INPUT [POP_LIMIT]");
    };
    let pop_limit = rest.first().map_or("1000", String::as_str);
    let folder = std::env::temp_dir().join(format!("chiasm-compare-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let outcome = compare(ini, input, pop_limit, &folder);
    std::fs::remove_dir_all(&folder)?;
    outcome
}

fn compare(ini: &str, input: &str, pop_limit: &str, folder: &Path) -> Result<()> {
    let chiasm = std::env::var("CHIASM").unwrap_or_else(|_| "target/release/chiasm".into());
    let system = folder.join("s.chiasm");
    let mut import = Command::new(&chiasm);
    import
        .args(["import", "moses", "--quiet", "--ini", ini, "-o"])
        .arg(&system);
    measure("chiasm import", &mut import, None, None)?;
    let list = folder.join("chiasm.nbest");
    let mut translate = Command::new(&chiasm);
    translate.args([
        "translate",
        "--threads",
        "1",
        "--nbest",
        "1",
        "--pop-limit",
        pop_limit,
    ]);
    translate.arg("-s").arg(&system);
    measure("chiasm translate", &mut translate, Some(input), Some(&list))?;
    average(&list)?;
    for (name, variable) in [("Moses", "MOSES"), ("Moses2", "MOSES2")] {
        let Ok(program) = std::env::var(variable) else {
            println!("{name}: skipped, {variable} is not set");
            continue;
        };
        let list = folder.join(format!("{name}.nbest"));
        let mut moses = Command::new(program);
        moses.args([
            "-f",
            ini,
            "-threads",
            "1",
            "-search-algorithm",
            "1",
            "-v",
            "0",
        ]);
        moses.args(["-cube-pruning-pop-limit", pop_limit, "-s", pop_limit]);
        moses.arg("-n-best-list").arg(&list).arg("1");
        let output = folder.join(format!("{name}.out"));
        measure(name, &mut moses, Some(input), Some(&output))?;
        average(&list)?;
    }
    Ok(())
}

/// CPU seconds of all children so far, from the process table.
fn children_seconds() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").context("CPU times need /proc")?;
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or("")
        .split_whitespace()
        .collect();
    let ticks = |index: usize| {
        fields
            .get(index)
            .and_then(|field| field.parse::<f64>().ok())
    };
    Ok((ticks(13).unwrap_or(0.0) + ticks(14).unwrap_or(0.0)) / 100.0)
}

fn measure(
    name: &str,
    command: &mut Command,
    input: Option<&str>,
    output: Option<&Path>,
) -> Result<()> {
    if let Some(input) = input {
        command.stdin(File::open(input).with_context(|| input.to_string())?);
    }
    match output {
        Some(path) => command.stdout(File::create(path)?),
        None => command.stdout(Stdio::null()),
    };
    let before = children_seconds()?;
    let status = command
        .status()
        .with_context(|| format!("{name} could not be started"))?;
    if !status.success() {
        bail!("{name} failed: {status}");
    }
    println!("{name}: {:.2} CPU seconds", children_seconds()? - before);
    Ok(())
}

/// Prints the average model score of an n-best list of one.
fn average(list: &Path) -> Result<()> {
    let text = std::fs::read_to_string(list)?;
    let scores: Vec<f64> = text
        .lines()
        .filter_map(|line| line.split(" ||| ").nth(3)?.trim().parse().ok())
        .collect();
    let mean = scores.iter().sum::<f64>() / scores.len().max(1) as f64;
    println!(
        "  average model score {mean:.4} over {} sentences",
        scores.len()
    );
    Ok(())
}
