//! What systems know of how phrases move, and the report that compares them.

use super::{train, write_corpus};
use assert_cmd::Command;

#[test]
fn sparse_features_are_tuned_without_any_other_reordering_model() {
    let folder = tempfile::tempdir().unwrap();
    write_corpus(folder.path(), 300);
    let config = "[align]\npreset = \"fast\"\n[lm]\nclasses = 0\n[tune]\niterations = 3\nnbest = 30\n\
                  pop_limit = 50\n[joint]\ntrain = false\n[ranker]\ntrain = false\n[reordering]\ntable = \"none\"\nmodels = []\nsparse = true\n\
                  sparse_classes = 5\n";
    std::fs::write(folder.path().join("run.toml"), config).unwrap();
    Command::from_std(train(folder.path(), "a.chiasm"))
        .assert()
        .success();
    let assert = Command::new(env!("CARGO_BIN_EXE_chiasm"))
        .current_dir(folder.path())
        .args(["inspect", "a.chiasm"])
        .assert()
        .success();
    let said = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert!(said.contains(" sparse weights"), "{said}");
}

#[test]
fn operation_sequences_are_learned_and_told() {
    let folder = tempfile::tempdir().unwrap();
    write_corpus(folder.path(), 300);
    let config = "[align]\npreset = \"fast\"\n[lm]\nclasses = 0\n[tune]\niterations = 2\nnbest = 30\n\
                  pop_limit = 50\n[joint]\ntrain = false\n[ranker]\ntrain = false\n[reordering]\nmodels = []\noperations = 3\noperation_classes = 4\n";
    std::fs::write(folder.path().join("run.toml"), config).unwrap();
    Command::from_std(train(folder.path(), "a.chiasm"))
        .assert()
        .success();
    let run = |arguments: &[&str], input: String| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chiasm"));
        let assert = command
            .current_dir(folder.path())
            .args(arguments)
            .write_stdin(input)
            .assert()
            .success();
        String::from_utf8_lossy(&assert.get_output().stdout).into_owned()
    };
    let said = run(&["inspect", "a.chiasm"], String::new());
    assert!(said.contains("operations on words: "), "{said}");
    assert!(said.contains("operations on classes of words: "), "{said}");
    let source = std::fs::read_to_string(folder.path().join("s")).unwrap();
    let lines: String = source
        .lines()
        .take(20)
        .map(|line| format!("{line}\n"))
        .collect();
    let translate = ["translate", "-s", "a.chiasm", "--tokenized", "--json"];
    let mut moved = false;
    for line in run(&translate, lines).lines() {
        let found: serde_json::Value = serde_json::from_str(line).unwrap();
        let phrases = found["phrases"].as_array().unwrap();
        let told: Vec<&serde_json::Value> = phrases
            .iter()
            .flat_map(|phrase| phrase["operations"].as_array().unwrap())
            .collect();
        assert!(told.iter().all(|one| one["score"].as_f64().unwrap() <= 0.0));
        moved |= told.iter().any(|one| one["operation"] == "[gap]");
        // The first model's scores and that of the end add up to its feature.
        let sum: f64 = told.iter().map(|one| one["score"].as_f64().unwrap()).sum();
        let feature = found["features"]["Operations0"][0].as_f64().unwrap();
        assert!(
            feature < sum + 1e-4 && feature > sum - 5.0,
            "{feature} of {sum}"
        );
    }
    assert!(moved, "nothing moves");
    run(
        &["export", "moses", "-s", "a.chiasm", "--drop", "-o", "moses"],
        String::new(),
    );
    let ini = std::fs::read_to_string(folder.path().join("moses/moses.ini")).unwrap();
    assert!(!ini.contains("Operation"), "{ini}");
}

#[test]
fn the_papers_set_up_gives_their_tables_of_translation() {
    let folder = tempfile::tempdir().unwrap();
    write_corpus(folder.path(), 200);
    let config = "[tune]\niterations = 1\nnbest = 10\npop_limit = 20\nsentences = 15\n[align]\nalignments = 1\n\
                  [lm]\nclasses = 0\n[search]\npop_limit = 20\ndistortion_limits = [6]\n";
    std::fs::write(folder.path().join("run.toml"), config).unwrap();
    let mut tests =
        ["s", "t"].map(|side| std::fs::read_to_string(folder.path().join(side)).unwrap());
    for (name, text) in ["test.s", "test.t"].iter().zip(&mut tests) {
        let lines: Vec<&str> = text.lines().take(10).collect();
        std::fs::write(folder.path().join(name), lines.join("\n") + "\n").unwrap();
    }
    let report = |more: &[&str]| {
        let mut command = Command::cargo_bin("chiasm").unwrap();
        command.current_dir(folder.path());
        command.args(
            "report translation --tokenized --source s --target t --config run.toml".split(' '),
        );
        command.args("--test-source test.s --test-target test.t --test-target test.t".split(' '));
        command.args("--test-set second,test.s,test.t -o page.html".split(' '));
        command.args(more).assert()
    };
    let papers = "--design papers --sets 7 --learners nb-bayes,svm --tuners mert,pro-classic --seeds 2 --tune-pop-limit 19";
    let papers: Vec<&str> = papers.split(' ').collect();
    let planned = |more: &[&str]| {
        let planned = report(&[more, &["--dry-run"]].concat()).success();
        String::from_utf8_lossy(&planned.get_output().stdout).into_owned()
    };
    // 12 models, 12 with sparse features that MERT cannot tune, five seeds.
    let design = planned(&["--design", "papers"]);
    assert!(design.starts_with("300 systems\n"), "{design}");
    assert!(design.contains("links      1 times"), "{design}");
    assert!(design.contains("tune       300 times"), "{design}");
    assert!(design.contains("translate  600 times"), "{design}");
    assert!(!folder.path().join("page.html").exists());
    // Options beside the design make it smaller: four models, four with sparse features, two seeds.
    let smaller = planned(&papers);
    assert!(smaller.starts_with("24 systems\n"), "{smaller}");
    report(&papers).success();
    let rest = planned(&papers);
    assert!(rest.contains("in all about 0 s"), "{rest}");
    // What is kept of a tuned system is what it translated; the second time nothing is trained.
    let stages = folder.path().join("page.stages");
    let count = |name: &str| {
        let all = std::fs::read_dir(&stages).unwrap();
        let names = all.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        names.filter(|found| found.starts_with(name)).count()
    };
    // Both test sets have the same source.
    assert_eq!((count("tune-"), count("translated-")), (0, 24));
    let first = std::fs::read_to_string(folder.path().join("page.csv")).unwrap();
    report(&papers).success();
    assert_eq!(count("tune-"), 0);
    let second = std::fs::read_to_string(folder.path().join("page.csv")).unwrap();
    assert_eq!(first, second);
    let systems = first.lines().count() - 1;
    assert_eq!(systems, 2 * (4 + 8), "{first}");
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    for part in [
        "NB Table 5",
        "NB Table 6",
        "SVM Table 7",
        "SVM Table 8",
        "Tuned by PRO-CLASSIC, second",
        "test: 10 test sentences, 2 reference(s); second",
        "Holm",
        "SVM S7 + sparse",
        "30.86",
        "NIST",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Neither of its learners was asked for.
    assert!(!page.contains("MLR Table 3"));
    let wrong = report(&["--direction", "forward"]).failure();
    let said = String::from_utf8_lossy(&wrong.get_output().stderr).into_owned();
    assert!(
        said.contains("'forward' is none of both, backward"),
        "{said}"
    );
}
