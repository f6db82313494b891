//! What goes into each stage, and what each is expected to cost.

use crate::cache::{contents, look};
use crate::{Error, Request, Result};
use crate::{ranking, reordering};
use chiasm_align::Preset;
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
    /// Phrase table and system.
    pub system: Vec<String>,
    /// The distortion limit.
    pub jumps: Vec<String>,
    /// The weights.
    pub tune: Vec<String>,
    /// The neural ranker and its weights, if there is to be one.
    pub ranker: Option<RankerPlan>,
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
            let choice = written(&(&settings.align, settings.seed, settings.memory));
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
        let sparse_classes = settings.reordering.sparse.then(|| {
            let count = settings.reordering.sparse_classes;
            [classes("source", count), classes("target", count)]
        });
        let models: Vec<Vec<String>> = settings
            .reordering
            .models
            .iter()
            .map(|recipe| {
                let recipe = reordering::completed(recipe, settings).to_string();
                vec![text_key.clone(), links_key.clone(), recipe]
            })
            .collect();
        let mut system = vec![
            text_key.clone(),
            links_key,
            lm_key,
            written(&(&settings.phrases, &settings.reordering)),
            format!("{}", settings.search.pop_limit),
        ];
        system.extend(class_lm.iter().map(|plan| key("classlm", &plan.model)));
        system.extend(models.iter().map(|model| key("moves", model)));
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
            system,
            jumps,
            tune,
            ranker,
        })
    }

    /// A line a stage: what will be done, what is there already, and about how much it takes on
    /// two cores. The estimates are proportions to the size of the text, from runs on corpora of
    /// 45,000 and 138,000 pairs.
    pub fn describe(&self, request: &Request) -> Result<Vec<String>> {
        let megabytes = input_megabytes(request)?;
        let folder = &request.cache;
        let rounds = request.settings.tune.iterations as f64;
        let sentences = request.settings.tune.sentences as f64 / 1000.0;
        let align = match request.settings.align.preset {
            Preset::Fast => 1.0,
            Preset::Best => 6.0 * request.settings.align.alignments as f64,
            Preset::Standard => 3.0 * request.settings.align.alignments as f64,
        };
        let mut stages = vec![
            ("text", Some(&self.text), 0.2 * megabytes, 4.0),
            ("links", self.links.as_ref(), align * megabytes, 40.0),
            ("lm", self.lm.as_ref(), 0.3 * megabytes, 15.0),
        ];
        if let Some(plan) = &self.class_lm {
            stages.push(("classes", Some(&plan.classes), 5.0 * megabytes, 20.0));
            stages.push(("classlm", Some(&plan.model), 0.5 * megabytes, 15.0));
        }
        for classes in self.sparse_classes.iter().flatten() {
            stages.push(("classes", Some(classes), 2.0 * megabytes, 20.0));
        }
        for model in &self.models {
            stages.push(("moves", Some(model), 4.0 * megabytes, 60.0));
        }
        stages.extend([
            ("system", Some(&self.system), 1.0 * megabytes, 100.0),
            ("jumps", Some(&self.jumps), 20.0, 30.0),
            ("tune", Some(&self.tune), 30.0 * rounds * sentences, 60.0),
        ]);
        if let Some(plan) = &self.ranker {
            // Steps grow with the square root of the text.
            stages.push(("ranker", Some(&plan.model), 450.0 * megabytes.sqrt(), 60.0));
            stages.push(("ranking", Some(&plan.ranking), 20.0 * sentences, 30.0));
        }
        let mut lines = Vec::new();
        for (name, ingredients, seconds, memory) in stages {
            let Some(ingredients) = ingredients else {
                lines.push(format!("{name:<8} given"));
                continue;
            };
            let (_, done) = look(folder, name, ingredients);
            lines.push(if done {
                format!("{name:<8} there already")
            } else {
                let memory = memory * megabytes.max(1.0) / 4.0;
                format!("{name:<8} about {seconds:.0} s, {memory:.0} MB of memory")
            });
        }
        let disk = 12.0 * megabytes;
        lines.push(format!(
            "about {disk:.0} MB of disk in {}",
            folder.display()
        ));
        Ok(lines)
    }
}

fn input_megabytes(request: &Request) -> Result<f64> {
    let mut bytes = 0;
    for path in request.raw.input.files() {
        bytes += std::fs::metadata(path)
            .map_err(|error| Error::io(path, error))?
            .len();
    }
    Ok(bytes as f64 / 1e6)
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
