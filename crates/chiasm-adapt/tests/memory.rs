//! The journal: the same memory whichever way it came about, nothing lost by a crash, nothing damaged unnoticed.

mod common;

use chiasm_adapt::{Error, Memory};
use chiasm_decode::{Decoder, Input, Preparation, System};
use common::system;
use std::path::Path;
use std::sync::Arc;

const PAIRS: [(&str, &str); 3] = [
    ("la casa blanca", "the white house"),
    ("el gato es blanco", "the cat is white"),
    ("la casa es blanca", "the home is white"),
];

fn learn(memory: &mut Memory, pairs: &[(&str, &str)]) -> Vec<u64> {
    memory
        .learn(&Preparation::tokenized(), pairs.iter().copied())
        .unwrap()
}

fn says(memory: &Memory, system: &Arc<System>, line: &str) -> String {
    let mut input = Input::from_line(line);
    input.learned = Some(memory.learned());
    Decoder::new(system.clone())
        .unwrap()
        .translate(&input)
        .unwrap()
        .text()
}

const QUESTIONS: [&str; 4] = [
    "la casa blanca",
    "el gato blanco",
    "la casa es gato",
    "otra casa blanca",
];

fn answers(memory: &Memory, system: &Arc<System>) -> Vec<String> {
    QUESTIONS
        .iter()
        .map(|line| says(memory, system, line))
        .collect()
}

#[test]
fn one_by_one_and_in_one_batch_are_the_same() {
    let (folder, system) = (tempfile::tempdir().unwrap(), system());
    let [one, batch] = ["one", "batch"].map(|name| folder.path().join(name));
    let mut slowly = Memory::open(system.clone(), &one).unwrap();
    let before = answers(&slowly, &system);
    assert_eq!(before[0], "the house white");
    for pair in PAIRS {
        learn(&mut slowly, &[pair]);
    }
    let mut at_once = Memory::open(system.clone(), &batch).unwrap();
    assert_eq!(learn(&mut at_once, &PAIRS), [1, 2, 3]);
    assert_eq!(std::fs::read(&one).unwrap(), std::fs::read(&batch).unwrap());
    let after = answers(&slowly, &system);
    assert_eq!(after[0], "the white house");
    assert_eq!(after[1], "the cat white");
    assert_eq!(answers(&at_once, &system), after);
    // A fresh process sees the same.
    assert_eq!(
        answers(&Memory::open(system.clone(), &one).unwrap(), &system),
        after
    );
}

#[test]
fn a_crash_loses_at_most_the_pair_being_written() {
    let (folder, system) = (tempfile::tempdir().unwrap(), system());
    let path = folder.path().join("memory");
    let mut lengths = vec![0];
    let mut memory = Memory::open(system.clone(), &path).unwrap();
    for pair in PAIRS {
        learn(&mut memory, &[pair]);
        lengths.push(std::fs::metadata(&path).unwrap().len());
    }
    let whole = std::fs::read(&path).unwrap();
    for length in 0..=whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        let mut memory = Memory::open(system.clone(), &path).unwrap();
        let complete = lengths
            .iter()
            .filter(|&&end| end > 0 && end <= length as u64)
            .count();
        assert_eq!(memory.pairs().len(), complete, "cut at {length}");
        // And it goes on as if nothing had been.
        learn(&mut memory, &PAIRS[complete..]);
        assert_eq!(std::fs::read(&path).unwrap(), whole, "cut at {length}");
    }
}

#[test]
fn damage_is_noticed() {
    let (folder, system) = (tempfile::tempdir().unwrap(), system());
    let path = folder.path().join("memory");
    learn(&mut Memory::open(system.clone(), &path).unwrap(), &PAIRS);
    let whole = std::fs::read(&path).unwrap();
    let ends: Vec<usize> = (0..whole.len()).filter(|&at| whole[at] == b'\n').collect();
    for at in 0..whole.len() {
        // A lost end of the last line looks like a crash.
        if at == *ends.last().unwrap() {
            continue;
        }
        let mut broken = whole.clone();
        broken[at] ^= 1;
        std::fs::write(&path, &broken).unwrap();
        match Memory::open(system.clone(), &path) {
            Err(Error::Damaged { .. } | Error::Kind { .. }) => {}
            Ok(memory) => panic!(
                "{} pairs, though byte {at} is another",
                memory.pairs().len()
            ),
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn what_is_forgotten_is_gone() {
    let (folder, system) = (tempfile::tempdir().unwrap(), system());
    let mut memory = Memory::open(system.clone(), folder.path().join("a")).unwrap();
    let before = answers(&memory, &system);
    learn(&mut memory, &PAIRS[..1]);
    let first = answers(&memory, &system);
    learn(&mut memory, &PAIRS[1..]);
    assert_eq!(memory.undo().unwrap().unwrap().source, PAIRS[2].0);
    memory.forget(2).unwrap();
    assert_eq!(answers(&memory, &system), first);
    memory.forget(1).unwrap();
    assert_eq!(answers(&memory, &system), before);
    assert!(memory.undo().unwrap().is_none());
    assert!(matches!(
        memory.forget(2),
        Err(Error::Unknown { id: 2, .. })
    ));
    // Numbers are not used again.
    assert_eq!(learn(&mut memory, &PAIRS[..1]), [4]);
}

#[test]
fn two_writers_do_not_disturb_each_other() {
    let (folder, system) = (tempfile::tempdir().unwrap(), system());
    let path = folder.path().join("shared");
    let open = |path: &Path| Memory::open(system.clone(), path).unwrap();
    let (mut one, mut two) = (open(&path), open(&path));
    assert_eq!(learn(&mut one, &PAIRS[..1]), [1]);
    assert_eq!(learn(&mut two, &PAIRS[1..2]), [2]);
    assert_eq!(learn(&mut one, &PAIRS[2..]), [3]);
    two.refresh().unwrap();
    assert_eq!(one.pairs(), two.pairs());
    let many: Vec<_> = (0..4)
        .map(|writer| {
            let (system, path) = (system.clone(), path.clone());
            std::thread::spawn(move || {
                let mut memory = Memory::open(system, path).unwrap();
                for number in 0..10 {
                    let (f, e) = (format!("casa {writer} {number}"), format!("house {number}"));
                    learn(&mut memory, &[(&f, &e)]);
                }
            })
        })
        .collect();
    many.into_iter().for_each(|thread| thread.join().unwrap());
    let mut ids: Vec<u64> = open(&path).pairs().iter().map(|pair| pair.id).collect();
    assert_eq!(ids.len(), 43);
    ids.dedup();
    assert_eq!(ids.len(), 43);
}

#[test]
fn two_memories_become_one() {
    let (folder, system) = (tempfile::tempdir().unwrap(), system());
    let [ours, theirs] = ["ours", "theirs"].map(|name| folder.path().join(name));
    learn(&mut Memory::open(system.clone(), &theirs).unwrap(), &PAIRS);
    let mut memory = Memory::open(system.clone(), &ours).unwrap();
    learn(&mut memory, &PAIRS[1..2]);
    assert_eq!(memory.merge(&theirs).unwrap(), [2, 3]);
    assert_eq!(memory.merge(&theirs).unwrap(), [0; 0]);
    let sources: Vec<&str> = memory
        .pairs()
        .iter()
        .map(|pair| pair.source.as_str())
        .collect();
    assert_eq!(sources, [PAIRS[1].0, PAIRS[0].0, PAIRS[2].0]);
    assert!(memory.merge(folder.path().join("none")).is_err());
}

#[test]
fn pairs_without_words_are_refused() {
    let (folder, system) = (tempfile::tempdir().unwrap(), system());
    let mut memory = Memory::open(system.clone(), folder.path().join("a")).unwrap();
    let preparation = Preparation::tokenized();
    for pair in [("", "x"), ("x", " "), (&*"x ".repeat(1001), "y")] {
        assert!(matches!(
            memory.learn(&preparation, [pair]),
            Err(Error::Pair(_))
        ));
    }
    assert!(memory.pairs().is_empty());
    let folder_in_place = Memory::open(system, folder.path());
    assert!(folder_in_place.is_err());
}

#[test]
fn an_index_spares_counting_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let [file, journal, other] = ["s", "a", "b"].map(|name| folder.path().join(name));
    system().write(&file).unwrap();
    let system = Arc::new(System::open(&file).unwrap());
    let many: Vec<(String, String)> = (0..600)
        .map(|number| {
            let (f, e) = PAIRS[number % 3];
            (format!("{f} {number}"), format!("{e} {number}"))
        })
        .collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(f, e)| (f.as_str(), e.as_str())).collect();
    let mut memory = Memory::open(system.clone(), &journal).unwrap();
    learn(&mut memory, &many);
    let after = answers(&memory, &system);
    // The first to open it writes the index, the second reads it; both go on alike.
    let index = folder.path().join("a.index");
    assert!(!index.exists());
    for _ in 0..2 {
        let mut again = Memory::open(system.clone(), &journal).unwrap();
        assert!(index.exists());
        assert_eq!(again.pairs(), memory.pairs());
        assert_eq!(answers(&again, &system), after);
        let last = learn(&mut again, &[("gato blanco", "white cat")]);
        assert_eq!(says(&again, &system, "gato blanco"), "white cat");
        again.forget(last[0]).unwrap();
        assert_eq!(answers(&again, &system), after);
        memory.refresh().unwrap();
    }
    // One that is damaged, or of another journal, is not believed.
    let whole = std::fs::read(&index).unwrap();
    let mut broken = whole.clone();
    let middle = broken.len() / 2;
    broken[middle] ^= 1;
    std::fs::write(&index, &broken).unwrap();
    let again = Memory::open(system.clone(), &journal).unwrap();
    assert_eq!(answers(&again, &system), after);
    learn(
        &mut Memory::open(system.clone(), &other).unwrap(),
        &PAIRS[..1],
    );
    let alone = answers(&Memory::open(system.clone(), &other).unwrap(), &system);
    std::fs::write(folder.path().join("b.index"), &whole).unwrap();
    let again = Memory::open(system.clone(), &other).unwrap();
    assert_eq!(again.pairs().len(), 1);
    assert_eq!(answers(&again, &system), alone);
}
