//! What goes into each stage, and what each is expected to cost.

use crate::cache::{contents, look};
use crate::estimate::{Cost, Size};
use crate::{Request, Result};
use crate::{joint, ranking, reordering};
use chiasm_work::MemorySize;
use serde::Serialize;
use std::path::Path;

/// The ingredients of every stage. Keys follow from keys, so all of them are known before the
/// first stage runs.
pub struct Plan {
    /// Clean text and the development set.
    pub text: Vec<String>,
    /// Word alignment; none if links are given.
    pub links: Option<Vec<String>>,
    /// The language model; none if it is given.
    pub lm: Option<Vec<String>>,
    /// The language model of word classes, if there is to be one.
    pub class_lm: Option<ClassModelPlan>,
    /// Classes of source and target words for sparse features, if there are to be any.
    pub sparse_classes: Option<[Vec<String>; 2]>,
    /// Each learned reordering model.
    pub models: Vec<Vec<String>>,
    /// Models of operation sequences, if there are to be any.
    pub operations: Option<OperationsPlan>,
    /// A joint model, if there is to be one.
    pub joint: Option<Vec<String>>,
    /// Phrase table and system.
    pub system: Vec<String>,
    /// The distortion limit.
    pub jumps: Vec<String>,
    /// The weights.
    pub tune: Vec<String>,
    /// The neural ranker and its weights, if there is to be one.
    pub ranker: Option<RankerPlan>,
}

/// A stage before it is run.
pub struct PlannedStage {
    /// Its name.
    pub name: &'static str,
    /// Its key, and whether it is there already; none if what it makes is given.
    pub found: Option<(String, bool)>,
    /// What it is expected to cost.
    pub cost: Cost,
}

/// What goes into models of operation sequences.
pub struct OperationsPlan {
    /// The models.
    pub models: Vec<String>,
    /// Classes of source and target words, if one of the models knows words by them.
    pub classes: Option<[Vec<String>; 2]>,
}

/// What goes into a neural ranker.
pub struct RankerPlan {
    /// The model.
    pub model: Vec<String>,
    /// How much its judgement counts.
    pub ranking: Vec<String>,
}

/// What goes into a language model of word classes.
pub struct ClassModelPlan {
    /// The classes.
    pub classes: Vec<String>,
    /// The model.
    pub model: Vec<String>,
}

impl Plan {
    /// Reads the input files once, for their contents are the first ingredients.
    pub fn new(request: &Request) -> Result<Self> {
        let settings = &request.settings;
        let key = |name: &str, ingredients: &[String]| look(Path::new(""), name, ingredients).0;
        let text = text_ingredients(request)?;
        let text_key = key("text", &text);
        let links = (!request.raw.input.has_links()).then(|| {
            let choice = written(&(&settings.align, settings.seed));
            vec![text_key.clone(), choice]
        });
        let mut lm = None;
        let lm_key = match &request.lm {
            Some(path) => contents(path)?,
            None => {
                let made = written(&(settings.lm.order, &settings.lm.prune));
                let mut parts = vec![text_key.clone(), made];
                if let Some(more) = &request.lm_text {
                    parts.push(contents(more)?);
                }
                let made = key("lm", &parts);
                lm = Some(parts);
                made
            }
        };
        let links_key = links
            .as_ref()
            .map_or_else(|| "given".into(), |l| key("links", l));
        let classes =
            |side: &str, count: usize| vec![text_key.clone(), side.to_string(), count.to_string()];
        let class_lm = (settings.lm.classes > 0).then(|| {
            let classes = classes("target", settings.lm.classes);
            let order = settings.lm.class_order.to_string();
            let model = vec![text_key.clone(), key("classes", &classes), order];
            ClassModelPlan { classes, model }
        });
        let count = settings.reordering.sparse_classes;
        let sparse_classes = (settings.reordering.sparse && count > 0)
            .then(|| [classes("source", count), classes("target", count)]);
        let models: Vec<Vec<String>> = settings
            .reordering
            .models
            .iter()
            .map(|recipe| {
                let recipe = reordering::completed(recipe, settings).to_string();
                vec![text_key.clone(), links_key.clone(), recipe]
            })
            .collect();
        let operations = (settings.reordering.operations > 0).then(|| {
            let count = settings.reordering.operation_classes;
            let classes = (count > 0).then(|| [classes("source", count), classes("target", count)]);
            let order = settings.reordering.operations.to_string();
            let mut models = vec![text_key.clone(), links_key.clone(), order];
            models.extend(classes.iter().flatten().map(|side| key("classes", side)));
            OperationsPlan { models, classes }
        });
        let joint = settings.joint.train.then(|| {
            let recipe = written(&joint::recipe(settings));
            vec![text_key.clone(), links_key.clone(), recipe]
        });
        let mut system = vec![
            text_key.clone(),
            links_key,
            lm_key,
            written(&(&settings.phrases, &settings.reordering)),
            written(&(settings.search.pop_limit, settings.search.unknown)),
        ];
        system.extend(class_lm.iter().map(|plan| key("classlm", &plan.model)));
        system.extend(models.iter().map(|model| key("moves", model)));
        system.extend(
            operations
                .iter()
                .map(|plan| key("operations", &plan.models)),
        );
        system.extend(joint.iter().map(|model| key("joint", model)));
        let jumps = vec![
            key("system", &system),
            written(&(
                &settings.search,
                settings.tune.pop_limit,
                settings.tune.sentences,
            )),
        ];
        let tune = vec![
            key("jumps", &jumps),
            written(&(&settings.tune, settings.tuning_seed())),
        ];
        let ranker = settings.ranker.train.then(|| {
            let recipe = written(&ranking::recipe(settings));
            let model = vec![
                text_key.clone(),
                settings.tune.sentences.to_string(),
                recipe,
            ];
            let ranking = vec![
                key("tune", &tune),
                key("ranker", &model),
                settings.ranker.nbest.to_string(),
            ];
            RankerPlan { model, ranking }
        });
        Ok(Plan {
            text,
            links,
            lm,
            class_lm,
            sparse_classes,
            models,
            operations,
            joint,
            system,
            jumps,
            tune,
            ranker,
        })
    }

    /// Every stage with what it is expected to cost; `size` is that of the text.
    pub fn stages(&self, request: &Request, size: &Size) -> Vec<PlannedStage> {
        let settings = &request.settings;
        let links = size.links(settings);
        let mut stages = vec![
            ("text", Some(&self.text), size.text()),
            ("links", self.links.as_ref(), links),
            (
                "lm",
                self.lm.as_ref(),
                size.language_model(settings.lm.order),
            ),
        ];
        if let Some(plan) = &self.class_lm {
            stages.push(("classes", Some(&plan.classes), size.classes()));
            let model = size.language_model(settings.lm.class_order);
            stages.push(("classlm", Some(&plan.model), model));
        }
        for classes in self.sparse_classes.iter().flatten() {
            stages.push(("classes", Some(classes), size.classes()));
        }
        for model in &self.models {
            stages.push(("moves", Some(model), size.moves()));
        }
        if let Some(plan) = &self.operations {
            for classes in plan.classes.iter().flatten() {
                stages.push(("classes", Some(classes), size.classes()));
            }
            let models = size.operations(&settings.reordering);
            stages.push(("operations", Some(&plan.models), models));
        }
        if let Some(model) = &self.joint {
            stages.push(("joint", Some(model), size.joint(settings)));
        }
        stages.extend([
            ("system", Some(&self.system), size.system(settings)),
            ("jumps", Some(&self.jumps), size.jumps(settings)),
            ("tune", Some(&self.tune), size.tune(settings)),
        ]);
        if let Some(plan) = &self.ranker {
            stages.push(("ranker", Some(&plan.model), size.ranker()));
            stages.push(("ranking", Some(&plan.ranking), size.ranking(settings)));
        }
        let planned = stages
            .into_iter()
            .map(|(name, ingredients, cost)| PlannedStage {
                name,
                found: ingredients.map(|ingredients| look(&request.cache, name, ingredients)),
                cost,
            });
        planned.collect()
    }

    /// A line a stage: what will be done, what is there already, and about how much it takes; then all of it.
    pub fn describe(&self, request: &Request) -> Result<Vec<String>> {
        let size = Size::of(request)?;
        let mut lines = Vec::new();
        let (mut seconds, mut memory, mut disk) = (0.0, 0.0f64, 0.0);
        for PlannedStage { name, found, cost } in self.stages(request, &size) {
            let Some((_, done)) = found else {
                lines.push(format!("{name:<8} given"));
                continue;
            };
            if done {
                lines.push(format!("{name:<8} there already"));
                continue;
            }
            let bytes = MemorySize(cost.bytes as u64);
            lines.push(format!(
                "{name:<8} about {:.0} s of processor time, {bytes} of memory",
                cost.seconds
            ));
            seconds += cost.seconds;
            memory = memory.max(cost.bytes);
            disk += cost.disk;
        }
        let (memory, disk) = (MemorySize(memory as u64), MemorySize(disk as u64));
        lines.push(format!(
            "in all   about {seconds:.0} s of processor time, {memory} of memory, {disk} of disk in {}",
            request.cache.display()
        ));
        Ok(lines)
    }
}

fn text_ingredients(request: &Request) -> Result<Vec<String>> {
    let raw = &request.raw;
    let mut parts = vec![raw.input.manner()];
    for file in raw.input.files() {
        parts.push(contents(file)?);
    }
    if let Some((source, targets)) = &raw.dev {
        parts.push(format!("dev {}", contents(source)?));
        for target in targets {
            parts.push(contents(target)?);
        }
    }
    parts.push(written(&(&raw.languages, &request.settings.text)));
    Ok(parts)
}

/// Settings as they are serialised: what is written the same is the same ingredient.
fn written(settings: &impl Serialize) -> String {
    // Numbers, names and lists: nothing here can fail to be written.
    serde_json::to_string(settings).unwrap_or_default()
}
