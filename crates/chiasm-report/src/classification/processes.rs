//! Commands that are measured run in processes of their own: time and memory are theirs alone.

use super::{Answer, Commands, shown};
use crate::{Error, Result};
use chiasm_work::children_cpu_seconds;
use std::path::PathBuf;
use std::process::Command;

/// The commands of a program, each in a process of its own.
pub struct OwnProcesses {
    /// The program.
    pub executable: PathBuf,
    /// Threads that each may use.
    pub threads: usize,
}

impl Commands for OwnProcesses {
    fn run(&self, arguments: &[String]) -> Result<Answer> {
        let before = children_cpu_seconds();
        let failed = |reason: String| {
            let command = shown(arguments);
            Error::Request(format!("{command}: {reason}"))
        };
        let output = Command::new(&self.executable)
            .args(["--quiet", "--threads", &self.threads.to_string()])
            .args(arguments)
            .output()
            .map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            return Err(failed(
                String::from_utf8_lossy(&output.stderr).trim().into(),
            ));
        }
        let json = serde_json::from_slice(&output.stdout);
        Ok(Answer {
            json: json.map_err(|error| failed(error.to_string()))?,
            seconds: children_cpu_seconds() - before,
        })
    }
}
