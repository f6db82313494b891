//! Processes that learn are ended by force: what they were told is learned stays learned, and others go on.

mod common;

use chiasm_adapt::Memory;
use chiasm_decode::Preparation;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Set for the processes that this test starts: the journal and the name of the learner.
const JOURNAL: &str = "CHIASM_TEST_JOURNAL";
const LEARNER: &str = "CHIASM_TEST_LEARNER";

/// What begins a line that says that a pair is learned; the harness prints lines of its own.
const LEARNED: &str = "learned ";

/// Learns until it is killed, and says so of each pair after it is on the disk. Does nothing unless it is asked.
#[test]
fn learner() {
    let (Ok(journal), Ok(name)) = (std::env::var(JOURNAL), std::env::var(LEARNER)) else {
        return;
    };
    let mut memory = Memory::open(common::system(), journal).unwrap();
    for number in 0.. {
        let source = format!("casa {name} {number}");
        let pair = (source.as_str(), "the house");
        memory.learn(&Preparation::tokenized(), [pair]).unwrap();
        println!("\n{LEARNED}{source}");
    }
}

fn start(journal: &Path, name: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "learner", "--nocapture"])
        .env(JOURNAL, journal)
        .env(LEARNER, name)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits for the first pairs, for a moment more, and kills; the result is everything that was said to be learned.
fn killed_after(mut child: Child, pairs: usize, moment: Duration) -> Vec<String> {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = Vec::new();
    while said.len() < pairs {
        let line = lines.next().expect("it learns until it is killed").unwrap();
        said.extend(line.strip_prefix(LEARNED).map(String::from));
    }
    std::thread::sleep(moment);
    child.kill().unwrap();
    child.wait().unwrap();
    // A line that was cut short says nothing.
    let rest = lines.map_while(Result::ok);
    said.extend(rest.filter_map(|line| line.strip_prefix(LEARNED).map(String::from)));
    said
}

#[test]
fn two_learners_killed_at_twenty_moments_lose_nothing_they_had_learned() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("memory");
    let mut promised: Vec<String> = Vec::new();
    let mut before: Vec<u8> = Vec::new();
    for round in 0..10_u64 {
        let names = [format!("a{round}"), format!("b{round}")];
        let children = names.clone().map(|name| start(&journal, &name));
        // Both write at once; each of them ends at another moment.
        let [one, two] = children;
        let moments = [round, 2 * round + 1].map(|part| Duration::from_micros(137 * part));
        let said = std::thread::scope(|scope| {
            let one = scope.spawn(|| killed_after(one, 1 + round as usize % 3, moments[0]));
            let mut said = killed_after(two, 1 + round as usize % 4, moments[1]);
            said.extend(one.join().unwrap());
            said
        });
        promised.extend(said);

        let memory = Memory::existing(common::system(), &journal).unwrap();
        let learned: Vec<&str> = memory
            .pairs()
            .iter()
            .map(|pair| pair.source.as_str())
            .collect();
        for source in &promised {
            assert!(learned.contains(&source.as_str()), "{source} is lost");
        }
        // At most one pair of each was on the disk and not yet said to be.
        assert!(learned.len() <= promised.len() + 2 * (round as usize + 1));
        // Each learner's pairs are there from the first to the last, and numbers are given once.
        for name in &names {
            let numbers: Vec<&str> = learned
                .iter()
                .filter_map(|source| source.strip_prefix(&format!("casa {name} ")))
                .collect();
            let expected: Vec<String> = (0..numbers.len()).map(|one| one.to_string()).collect();
            assert_eq!(numbers, expected);
        }
        let ids: std::collections::HashSet<u64> =
            memory.pairs().iter().map(|pair| pair.id).collect();
        assert_eq!(ids.len(), memory.pairs().len());
        // Whole lines that were there are there, byte for byte.
        let now = std::fs::read(&journal).unwrap();
        let whole = before.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
        assert_eq!(now[..whole], before[..whole]);
        before = now;
    }
}
