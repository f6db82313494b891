//! The neural models of a system: the joint model inside the search, and the ranker.

use super::{kill_ten_times, train, write_corpus};
use assert_cmd::Command;

#[test]
fn a_ranker_is_made_once_and_translates_no_worse_or_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    write_corpus(folder.path(), 300);
    Command::from_std(train(folder.path(), "plain.chiasm"))
        .assert()
        .success();
    let mut ranked = train(folder.path(), "ranked.chiasm");
    ranked.args(["--ranker", "--threads", "2"]);
    let first = Command::from_std(ranked).assert().success();
    let said = String::from_utf8_lossy(&first.get_output().stderr).into_owned();
    assert!(said.contains("on held-out text"), "{said}");
    let on = said.contains("it is on");
    assert!(on != said.contains("is left out"), "{said}");

    let mut alone = train(folder.path(), "alone.chiasm");
    alone.args(["--ranker", "--threads", "1"]);
    Command::from_std(alone).assert().success();
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert!(bytes("ranked.chiasm") == bytes("alone.chiasm"));
    assert_eq!(on, bytes("ranked.chiasm") != bytes("plain.chiasm"));

    let translate = |system: &str, ranker: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chiasm"));
        command.current_dir(folder.path());
        command.args([
            "translate",
            "-s",
            system,
            "--tokenized",
            "--json",
            "--input",
            "s",
        ]);
        command.args(ranker).assert()
    };
    let off = translate("ranked.chiasm", &["--ranker", "off"]).success();
    let plain = translate("plain.chiasm", &[]).success();
    assert!(off.get_output().stdout == plain.get_output().stdout);
    let refused = translate("plain.chiasm", &["--ranker", "on"]).failure();
    let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(said.contains("plain.chiasm: has no ranker"), "{said}");
}

#[test]
fn a_joint_model_is_inside_the_search_and_the_same_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    write_corpus(folder.path(), 300);
    let trained = |name: &str, threads: &str| {
        let mut command = train(folder.path(), name);
        command.args(["--threads", threads]);
        let first = Command::from_std(command).assert().success();
        String::from_utf8_lossy(&first.get_output().stderr).into_owned()
    };
    let said = trained("two.chiasm", "2");
    assert!(said.contains("joint model: step"), "{said}");
    trained("one.chiasm", "1");
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert!(bytes("one.chiasm") == bytes("two.chiasm"));
    assert!(trained("one.chiasm", "1").contains("joint: reused"));

    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chiasm"));
        let found = command.current_dir(folder.path()).args(arguments).assert();
        String::from_utf8_lossy(&found.success().get_output().stdout).into_owned()
    };
    let told = run(&["inspect", "one.chiasm"]);
    assert!(told.contains("joint model of "), "{told}");
    let mut without = train(folder.path(), "without.chiasm");
    without.args(["--joint", "off"]);
    Command::from_std(without).assert().success();
    let told_without = run(&["inspect", "without.chiasm"]);
    assert!(!told_without.contains("joint model of "), "{told_without}");
    let told = run(&[
        "translate",
        "-s",
        "one.chiasm",
        "--tokenized",
        "--json",
        "--input",
        "s",
    ]);
    for line in told.lines() {
        let sentence: serde_json::Value = serde_json::from_str(line).unwrap();
        let said = &sentence["features"]["Joint0"];
        let said = said.as_f64().or_else(|| said[0].as_f64());
        assert!(said.is_some_and(|score| score <= 0.0), "{line}");
    }
}

#[test]
fn killed_while_neural_models_are_trained_a_run_goes_on_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    write_corpus(folder.path(), 150);
    // The first ones get the other stages out of the way.
    let moments = [3000, 2000, 1500, 1200, 1000, 800, 1000, 1200, 1500, 2000];
    kill_ten_times(folder.path(), &["--ranker"], moments);
}

#[test]
fn where_nothing_is_linked_but_what_is_held_out_there_is_no_joint_model_and_a_system_all_the_same()
{
    let folder = tempfile::tempdir().unwrap();
    write_corpus(folder.path(), 120);
    // One pair of fifty is looked at and not learned from: this is one.
    let links = |pair: usize| if pair == 49 { "0-0\n" } else { "\n" };
    let links: String = (0..120).map(links).collect();
    std::fs::write(folder.path().join("links"), links).unwrap();
    let mut command = train(folder.path(), "a.chiasm");
    command.args(["--links", "links", "--dev-source", "s", "--dev-target", "t"]);
    let trained = Command::from_std(command).assert().success();
    let said = String::from_utf8_lossy(&trained.get_output().stderr).into_owned();
    assert!(said.contains("left out: the joint model"), "{said}");
}
