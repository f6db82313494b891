//! `cargo xtask api`: what the libraries that others build on offer, an item a line, in docs/api/CRATE.txt.
//!
//! It is read from the source, because the tools that do this better want a nightly compiler. What it cannot see: derives'
//! bounds, and types of equal names whose methods stand in a third module.

use anyhow::Context;
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::visit_mut::VisitMut;
use syn::{Attribute, Fields, ImplItem, ImplItemConst, ImplItemFn, Item, ItemImpl};
use syn::{Type, UseTree, Visibility};

const CRATES: [&str; 4] = ["chiasm", "chiasm-learn", "chiasm-lm", "chiasm-metrics"];

/// Writes the record, or says what differs from it.
pub fn run(check: bool) -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut differences = 0;
    for name in CRATES {
        let source = root.join("crates").join(name).join("src");
        let mut library = Library::default();
        library.read(&source.join("lib.rs"), &source, "")?;
        library.publish("", "");
        library.publish_methods();
        let now = Vec::from_iter(library.lines).join("\n") + "\n";
        let record = root.join("docs/api").join(format!("{name}.txt"));
        if !check {
            std::fs::write(record, now)?;
            continue;
        }
        let before = std::fs::read_to_string(record)?;
        let [now, before] = [&now, &before].map(|text| text.lines().collect::<BTreeSet<_>>());
        for line in now.symmetric_difference(&before) {
            println!("{} {line}", if now.contains(line) { "+" } else { "-" });
            differences += 1;
        }
    }
    let advice = "lines differ from docs/api; if that is wanted: cargo xtask api";
    anyhow::ensure!(differences == 0, "{differences} {advice}");
    Ok(())
}

/// The modules of a crate by their paths, and what was found to be public.
#[derive(Default)]
struct Library {
    modules: BTreeMap<String, Vec<Item>>,
    /// Bodies of macros that are called inside `impl`.
    macros: BTreeMap<String, String>,
    /// The path where a type was defined, and its public path.
    types: BTreeMap<String, String>,
    lines: BTreeSet<String>,
}

impl Library {
    fn read(&mut self, file: &Path, folder: &Path, path: &str) -> anyhow::Result<()> {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let parsed = syn::parse_file(&text).with_context(|| file.display().to_string())?;
        for item in &parsed.items {
            match item {
                Item::Mod(module) if module.content.is_none() => {
                    let name = module.ident.to_string();
                    let below = folder.join(&name);
                    let files = [below.with_extension("rs"), below.join("mod.rs")];
                    let file = &files[usize::from(!files[0].is_file())];
                    self.read(file, &below, &join(path, &name))?;
                }
                Item::Macro(definition) => {
                    // Only the macros without parameters that stand for methods: `() => { body }`.
                    let body = definition.mac.tokens.to_string();
                    let body = body.trim_end_matches([' ', ';']).strip_prefix("() => {");
                    let body = body.and_then(|body| body.strip_suffix('}'));
                    if let (Some(name), Some(body)) = (&definition.ident, body) {
                        let body = body.replace("$crate", "crate").replace("$ crate", "crate");
                        self.macros.insert(name.to_string(), body);
                    }
                }
                _ => {}
            }
        }
        self.modules.insert(path.to_string(), parsed.items);
        Ok(())
    }

    /// Lists the public items of a module under the name that users know.
    fn publish(&mut self, module: &str, public: &str) {
        for item in self.modules.get(module).cloned().unwrap_or_default() {
            match &item {
                Item::Mod(inner) if is_public(&inner.vis) => {
                    let name = inner.ident.to_string();
                    self.publish(&join(module, &name), &join(public, &name));
                }
                Item::Use(import) if is_public(&import.vis) => {
                    self.publish_use(&import.tree, module, public);
                }
                _ => self.publish_item(&item, module, public),
            }
        }
    }

    fn publish_use(&mut self, tree: &UseTree, from: &str, public: &str) {
        match tree {
            UseTree::Path(path) if path.ident == "crate" => {
                self.publish_use(&path.tree, "", public)
            }
            UseTree::Path(path) => {
                self.publish_use(&path.tree, &join(from, &path.ident.to_string()), public);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.publish_use(tree, from, public);
                }
            }
            UseTree::Name(name) if self.modules.contains_key(from) => {
                let items = self.modules[from].clone();
                let is_it = |item: &&Item| named(item).is_some_and(|known| name.ident == known.0);
                if let Some(item) = items.iter().find(is_it) {
                    self.publish_item(item, from, public);
                }
            }
            UseTree::Glob(_) => self.publish(from, public),
            other => {
                let line = format!("{public}: pub use {from}::{}", other.to_token_stream());
                self.lines.insert(line);
            }
        }
    }

    fn publish_item(&mut self, item: &Item, module: &str, public: &str) {
        if let Some((name, true)) = named(item) {
            let known = join(public, &name);
            let text = printed(item.clone());
            self.lines.insert(format!("{known}: {text}"));
            self.types.entry(join(module, &name)).or_insert(known);
        }
    }

    fn publish_methods(&mut self) {
        for (module, items) in std::mem::take(&mut self.modules) {
            for item in &items {
                let Item::Impl(block) = item else { continue };
                let lines = match &block.trait_ {
                    Some((_, of, _)) => vec![format!("impl {}", of.to_token_stream())],
                    None => self.methods(&block.items),
                };
                if let Some(public) = self.public_type(&module, &items, &block.self_ty) {
                    let lines = lines.iter().map(|line| format!("{public}: {line}"));
                    self.lines.extend(lines);
                }
            }
        }
    }

    /// The public name of a type, which may be defined elsewhere than its methods.
    fn public_type(&self, module: &str, items: &[Item], this: &Type) -> Option<String> {
        let Type::Path(path) = this else { return None };
        let name = path.path.segments.last()?.ident.to_string();
        if items
            .iter()
            .any(|item| named(item).is_some_and(|known| known.0 == name))
        {
            return self.types.get(&join(module, &name)).cloned();
        }
        let is_it = |path: &str| path.rsplit("::").next() == Some(name.as_str());
        let elsewhere = self.types.iter().find(|(path, _)| is_it(path))?;
        Some(elsewhere.1.clone())
    }

    fn methods(&self, items: &[ImplItem]) -> Vec<String> {
        let mut lines = Vec::new();
        for item in items {
            match item {
                ImplItem::Fn(ImplItemFn { vis, .. })
                | ImplItem::Const(ImplItemConst { vis, .. })
                    if is_public(vis) =>
                {
                    let text = printed(syn::parse_quote!(impl X { #item }));
                    let text = text.trim_start_matches("impl X { ");
                    lines.push(text.trim_end_matches([' ', '{', '}']).to_string());
                }
                ImplItem::Macro(call) => {
                    let body = self
                        .macros
                        .get(&call.mac.path.to_token_stream().to_string());
                    let block = body.map(|body| syn::parse_str(&format!("impl X {{ {body} }}")));
                    if let Some(Ok(ItemImpl { items, .. })) = block {
                        lines.extend(self.methods(&items));
                    }
                }
                _ => {}
            }
        }
        lines
    }
}

/// Takes away what callers do not see.
struct Strip;

impl VisitMut for Strip {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|a| a.path().is_ident("derive") || a.path().is_ident("non_exhaustive"));
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        block.stmts.clear();
    }

    fn visit_item_struct_mut(&mut self, item: &mut syn::ItemStruct) {
        let fields = match &mut item.fields {
            Fields::Named(fields) => &mut fields.named,
            Fields::Unnamed(fields) => &mut fields.unnamed,
            Fields::Unit => return,
        };
        let public = fields.iter().filter(|field| is_public(&field.vis));
        *fields = public.cloned().collect();
        syn::visit_mut::visit_item_struct_mut(self, item);
    }
}

fn join(path: &str, name: &str) -> String {
    let separator = if path.is_empty() { "" } else { "::" };
    format!("{path}{separator}{name}")
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn named(item: &Item) -> Option<(String, bool)> {
    let (name, visibility) = match item {
        Item::Const(item) => (&item.ident, &item.vis),
        Item::Enum(item) => (&item.ident, &item.vis),
        Item::Fn(item) => (&item.sig.ident, &item.vis),
        Item::Struct(item) => (&item.ident, &item.vis),
        Item::Trait(item) => (&item.ident, &item.vis),
        Item::Type(item) => (&item.ident, &item.vis),
        _ => return None,
    };
    Some((name.to_string(), is_public(visibility)))
}

/// An item on one line.
fn printed(mut item: Item) -> String {
    Strip.visit_item_mut(&mut item);
    let (shebang, attrs, items) = (None, Vec::new(), vec![item]);
    let text = prettyplease::unparse(&syn::File {
        shebang,
        attrs,
        items,
    });
    let words: Vec<&str> = text.split_whitespace().collect();
    // That a function changes its own copy of an argument is its own affair.
    let line = words
        .join(" ")
        .replace("(mut ", "(")
        .replace("( mut ", "( ")
        .replace(", mut ", ", ");
    line.trim_end_matches(" {}").to_string()
}
