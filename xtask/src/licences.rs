//! `cargo xtask licences`: everything that goes into the programs may be used under a licence of deny.toml's list and comes from the
//! crates registry. What `cargo deny check licenses sources` says by the texts as well is here said by the manifests, everywhere
//! that Cargo is.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Checks all packages of the lock file; what is wrong with any is said.
pub fn run() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let deny: toml::Table = std::fs::read_to_string(root.join("deny.toml"))?.parse()?;
    let allowed = deny["licenses"]["allow"].as_array().context("a list")?;
    let allowed: Vec<&str> = allowed.iter().filter_map(|name| name.as_str()).collect();
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let asked = Command::new(cargo)
        .current_dir(&root)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--all-features",
        ])
        .output()?;
    ensure!(
        asked.status.success(),
        "{}",
        String::from_utf8_lossy(&asked.stderr)
    );
    let metadata: Value = serde_json::from_slice(&asked.stdout)?;
    let packages = metadata["packages"].as_array().context("packages")?;
    let complaints: Vec<String> = packages
        .iter()
        .filter_map(|package| complaint(package, &allowed))
        .collect();
    ensure!(complaints.is_empty(), "{}", complaints.join("\n"));
    println!("{} packages, all allowed", packages.len());
    Ok(())
}

fn complaint(package: &Value, allowed: &[&str]) -> Option<String> {
    let name = package["name"].as_str().unwrap_or("?");
    let licence = package["license"].as_str().unwrap_or("none");
    if !is_allowed(licence, allowed) {
        return Some(format!("{name}: licence {licence}"));
    }
    // What is ours has no source.
    let source = package["source"].as_str().unwrap_or(REGISTRY);
    (source != REGISTRY).then(|| format!("{name}: from {source}"))
}

/// Can an SPDX expression be met with these licences? AND binds before OR; an exception (WITH) only permits more.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    either(&mut rest, allowed) && rest.is_empty()
}

fn either(words: &mut &[&str], allowed: &[&str]) -> bool {
    let mut met = both(words, allowed);
    while words.first() == Some(&"OR") {
        *words = &words[1..];
        met |= both(words, allowed);
    }
    met
}

fn both(words: &mut &[&str], allowed: &[&str]) -> bool {
    let mut met = single(words, allowed);
    while words.first() == Some(&"AND") {
        *words = &words[1..];
        met &= single(words, allowed);
    }
    met
}

fn single(words: &mut &[&str], allowed: &[&str]) -> bool {
    let Some((&word, rest)) = words.split_first() else {
        return false;
    };
    *words = rest;
    if word == "(" {
        let met = either(words, allowed);
        let closed = words.first() == Some(&")");
        *words = words.get(1..).unwrap_or_default();
        return met && closed;
    }
    if words.first() == Some(&"WITH") {
        *words = words.get(2..).unwrap_or_default();
    }
    allowed.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_met_or_not() {
        let allowed = ["MIT", "Apache-2.0", "Unicode-3.0"];
        for (expression, met) in [
            ("MIT", true),
            ("GPL-3.0-only", false),
            ("MIT/Apache-2.0", true),
            ("GPL-2.0 OR MIT", true),
            ("(MIT OR GPL-2.0) AND Unicode-3.0", true),
            ("MIT AND GPL-2.0", false),
            ("GPL-2.0 AND MIT OR LGPL-2.1", false),
            ("Apache-2.0 WITH LLVM-exception OR GPL-2.0", true),
            ("GPL-2.0 WITH Classpath-exception-2.0", false),
            ("(MIT", false),
            ("MIT )", false),
            ("", false),
        ] {
            assert_eq!(is_allowed(expression, &allowed), met, "{expression}");
        }
    }
}
