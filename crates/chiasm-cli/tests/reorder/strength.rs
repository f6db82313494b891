//! `--c auto` and `--sigma2 auto`.

use super::{corpus, json, path, with};
use serde_json::Value;

#[test]
fn auto_is_the_smallest_strength_that_is_as_good_as_the_best_on_pairs_kept_aside() {
    let folder = tempfile::tempdir().unwrap();
    let training = corpus(folder.path(), "300", "1");
    let model = path(folder.path(), "model");
    for (learner, option) in [("svm", "--c"), ("dual", "--sigma2")] {
        let train = |strength: &str| {
            let options = [
                "--learner",
                learner,
                option,
                strength,
                "--held-out",
                "15",
                "--min-count",
                "3",
                "--gap",
                "0.05",
                "-o",
                &model,
                "--json",
            ];
            json(&with(&["reorder", "train"], &training, &options))
        };
        let accuracy = |trained: &Value| trained["held_out"][0]["accuracy"].as_f64().unwrap();
        let chosen = train("auto");
        let strength = chosen["strength"].as_f64().unwrap();
        let again = train(&strength.to_string());
        assert_eq!(accuracy(&again), accuracy(&chosen));
        // All of them, one after the other.
        let all = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0];
        let accuracies = all.map(|strength: f64| accuracy(&train(&strength.to_string())));
        let best = accuracies.iter().copied().fold(0.0, f64::max);
        let examples = chosen["held_out"][0]["examples"].as_f64().unwrap();
        let enough = best - (best * (1.0 - best) / examples).sqrt();
        let first = accuracies.iter().position(|&found| found >= enough);
        assert_eq!(strength, all[first.unwrap()], "{learner} {accuracies:?}");
    }
}

#[test]
fn auto_is_the_default_and_gives_the_model_of_the_number_that_it_takes() {
    let folder = tempfile::tempdir().unwrap();
    let training = corpus(folder.path(), "1000", "1");
    let model = path(folder.path(), "model");
    let train = |options: &[&str]| {
        let common = ["-o", &model, "--json"];
        let trained = json(&with(
            &["reorder", "train"],
            &training,
            &[options, &common].concat(),
        ));
        (trained, std::fs::read(&model).unwrap())
    };
    // L-BFGS has the optimum of the dual method, and its choice.
    let strengths = |learner| {
        let (trained, _) = train(&["--learner", learner, "--direction", "both"]);
        let directions = trained["directions"].as_array().unwrap();
        let strength = |report: &Value| report["strength"].as_f64().unwrap();
        directions.iter().map(strength).collect::<Vec<_>>()
    };
    assert_eq!(strengths("lbfgs"), strengths("dual"));
    let (chosen, bytes) = train(&[]);
    let strength = chosen["strength"].to_string();
    let (again, same) = train(&["--c", &strength]);
    assert_eq!(again["examples"], chosen["examples"]);
    assert_eq!(same, bytes);
    // Too few to keep some aside.
    let training = corpus(folder.path(), "300", "1");
    let options = ["-o", &model, "--json"];
    let trained = json(&with(&["reorder", "train"], &training, &options));
    assert_eq!(trained["strength"], 0.1);
}

#[test]
fn auto_takes_the_usual_strength_where_it_cannot_choose() {
    let folder = tempfile::tempdir().unwrap();
    let training = corpus(folder.path(), "1000", "1");
    let model = path(folder.path(), "model");
    // Every twentieth pair is kept aside, and no phrase pair is in it.
    let links = std::fs::read_to_string(&training[2]).unwrap();
    let blank = |(line, links): (usize, &str)| match (line + 1) % 20 {
        0 => "\n".to_string(),
        _ => format!("{links}\n"),
    };
    let links: String = links.lines().enumerate().map(blank).collect();
    std::fs::write(&training[2], links).unwrap();
    let options = ["-o", &model, "--json"];
    let trained = json(&with(&["reorder", "train"], &training, &options));
    assert_eq!(trained["strength"], 0.1);
}
