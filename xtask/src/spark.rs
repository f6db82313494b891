//! Real Spark clusters on this machine, by `python/benchmarks/spark_cluster.py`.

use anyhow::{Context, Result, ensure};
use std::process::Command;

/// `spark [PYTHON] [PAIRS]`: PYTHON has the package installed with `pip install 'chiasm[spark]'`.
pub fn run(arguments: &[String]) -> Result<()> {
    let python = arguments.first().map_or("python3", String::as_str);
    let built = Command::new("cargo")
        .args(["build", "--release", "--quiet", "--package", "chiasm-cli"])
        .status()
        .context("cargo")?;
    ensure!(built.success(), "chiasm could not be built");
    let done = Command::new(python)
        .args([
            "python/benchmarks/spark_cluster.py",
            "target/release/chiasm",
        ])
        .args(arguments.get(1))
        .status()
        .with_context(|| python.to_string())?;
    ensure!(done.success(), "a cluster gave other bytes, or none");
    Ok(())
}
