//! Small systems, trained once on the built-in language pairs, and servers with them.

use chiasm_synthesis::Language;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

const PAIRS: u64 = 1000;

/// The systems and text they have not seen.
pub struct Fixture {
    _folder: tempfile::TempDir,
    /// Japanese-like, with a table and with a learned model.
    pub table: PathBuf,
    pub learned: PathBuf,
    /// Arabic-like, with a learned model; knows its languages.
    pub arabic: PathBuf,
    pub japanese_text: Vec<String>,
    pub arabic_text: Vec<String>,
}

/// Trains on first use.
pub fn fixture() -> &'static Fixture {
    static FIXTURE: OnceLock<Fixture> = OnceLock::new();
    FIXTURE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_path_buf();
        let japanese_text = write_corpus(&path, "ja", Language::JapaneseLike);
        let arabic_text = write_corpus(&path, "ar", Language::ArabicLike);
        let ready = ["--tokenized", "--links", "ja.links"];
        let languages = ["--source-language", "ar", "--target-language", "en"];
        let learned = "table = \"none\"\nmodels = [\"--learner svm --features S7 --min-count 2 --direction backward\"]";
        Fixture {
            table: train(&path, "table", "ja", &ready, "table = \"hier-msd-backward-fe\"\nmodels = []"),
            learned: train(&path, "learned", "ja", &ready, learned),
            arabic: train(&path, "arabic", "ar", &languages, learned),
            japanese_text,
            arabic_text,
            _folder: folder,
        }
    })
}

/// Training text, and returns other sentences.
fn write_corpus(folder: &Path, name: &str, language: Language) -> Vec<String> {
    let generator = language.generator(1, 0);
    let (mut source, mut target, mut links) = (String::new(), String::new(), String::new());
    for index in 0..PAIRS {
        let pair = generator.pair(index);
        source += &format!("{}\n", pair.source_text());
        target += &format!("{}\n", pair.target_text());
        links += &format!("{}\n", pair.links_text());
    }
    std::fs::write(folder.join(format!("{name}.s")), source).unwrap();
    std::fs::write(folder.join(format!("{name}.t")), target).unwrap();
    std::fs::write(folder.join(format!("{name}.links")), links).unwrap();
    (PAIRS..PAIRS + 200)
        .map(|index| generator.pair(index).source_text())
        .collect()
}

fn train(folder: &Path, name: &str, corpus: &str, options: &[&str], reordering: &str) -> PathBuf {
    let config = format!(
        "[text]\ndev_pairs = 60\n[tune]\niterations = 3\nnbest = 30\npop_limit = 50\nsentences = 60\n\
         [align]\npreset = \"fast\"\n[search]\npop_limit = 100\ndistortion_limits = [8]\n[joint]\ntrain = false\n[ranker]\ntrain = false\n[reordering]\n{reordering}\n"
    );
    let (config_file, output) = (format!("{name}.toml"), format!("{name}.chiasm"));
    std::fs::write(folder.join(&config_file), config).unwrap();
    let done = Command::new(crate::common::binary())
        .current_dir(folder)
        .args(["train", "--config", &config_file, "-o", &output])
        .args([
            "--source",
            &format!("{corpus}.s"),
            "--target",
            &format!("{corpus}.t"),
        ])
        .args(options)
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    folder.join(output)
}

/// A running `chiasm serve` on a free port.
pub struct Served {
    pub address: SocketAddr,
    child: Child,
    log: tempfile::NamedTempFile,
}

impl Served {
    pub fn start(systems: &[&Path], options: &[&str]) -> Self {
        let mut command = Command::new(crate::common::binary());
        command.args(["serve", "--listen", "127.0.0.1:0", "--threads", "2"]);
        for system in systems {
            command.arg("-s").arg(system);
        }
        command.args(options);
        Self::spawn(command)
    }

    /// Starts a command that ends by serving, and waits until it does.
    pub fn spawn(command: Command) -> Self {
        Self::begin(command).unwrap_or_else(|log| panic!("no address: {log}"))
    }

    /// The same of one that may refuse.
    pub fn try_spawn(command: Command) -> Option<Self> {
        Self::begin(command).ok()
    }

    fn begin(mut command: Command) -> Result<Self, String> {
        let log = tempfile::NamedTempFile::new().unwrap();
        let errors = log.reopen().unwrap();
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        let mut lines = said.lines().map_while(Result::ok);
        let address = lines.find_map(|line| {
            let rest = line.strip_prefix("http://")?;
            rest.trim_end_matches('/').parse().ok()
        });
        let Some(address) = address else {
            // It said no address and closed its output: it has ended, or is about to.
            child.wait().unwrap();
            return Err(std::fs::read_to_string(log.path()).unwrap());
        };
        Ok(Served {
            address,
            child,
            log,
        })
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        self.signal("-TERM");
    }

    /// Sends a signal.
    pub fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args([signal, &id]).status();
        assert!(status.unwrap().success());
    }

    /// Waits for the end: whether it was a good one, and what was logged.
    pub fn wait(mut self) -> (bool, String) {
        let good = self.child.wait().unwrap().success();
        (good, std::fs::read_to_string(self.log.path()).unwrap())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
