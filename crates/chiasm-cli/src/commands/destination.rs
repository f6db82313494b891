//! Can an output be written where it was asked for? Said before the work, not after it.

use anyhow::{Context, bail};
use std::path::Path;

/// Is there a folder for the file, and is it none of the inputs, which it would replace?
pub fn check(output: &Path, inputs: &[&Path]) -> anyhow::Result<()> {
    if output.as_os_str() == "-" {
        return Ok(());
    }
    let name = output.display();
    if output.is_dir() {
        bail!("{name}: is a folder; the name of a file is expected");
    }
    if let Some(folder) = output.parent().filter(|folder| folder.as_os_str() != "") {
        std::fs::metadata(folder).with_context(|| folder.display().to_string())?;
    }
    let Ok(there) = output.canonicalize() else {
        return Ok(());
    };
    let is_input = |input: &&Path| input.canonicalize().is_ok_and(|input| input == there);
    if inputs.iter().any(is_input) {
        bail!("{name}: is an input; the output would replace it");
    }
    Ok(())
}
