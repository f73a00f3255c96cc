// SPDX-License-Identifier: Apache-2.0
//! Every name that api/names.json lists for Rust is part of the safe crate's public interface, and every function of
//! the header is listed there. The names are read from the crate's sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use gpustream_checks::tree;
use serde_json::Value as Json;
use syn::{ImplItem, Item, ItemImpl, Type, UseTree, Visibility};

#[derive(Default)]
struct Interface {
    /// Names that lib.rs exports, those of public modules among them.
    exported: BTreeSet<String>,
    /// Public functions outside of types.
    functions: BTreeSet<String>,
    /// Methods of types, public ones and those of traits, and public functions of modules.
    methods: BTreeMap<String, BTreeSet<String>>,
    /// The type that a type dereferences to, whose methods are reachable as well.
    targets: BTreeMap<String, String>,
}

impl Interface {
    fn read(folder: &Path) -> Self {
        let mut interface = Self::default();
        interface.read_folder(folder);
        interface
    }

    fn read_folder(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self.read_folder(&path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let file = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
                let module = path.file_stem().unwrap().to_str().unwrap();
                file.items.iter().for_each(|item| self.read_item(item, module));
            }
        }
    }

    fn read_item(&mut self, item: &Item, module: &str) {
        let is_root = module == "lib";
        match item {
            Item::Use(item) if is_root && is_public(&item.vis) => self.read_use(&item.tree),
            Item::Mod(item) if is_root && is_public(&item.vis) => _ = self.exported.insert(item.ident.to_string()),
            Item::Fn(item) if is_public(&item.vis) => {
                self.functions.insert(item.sig.ident.to_string());
                self.methods.entry(module.to_owned()).or_default().insert(item.sig.ident.to_string());
            }
            Item::Impl(item) => self.read_impl(item),
            Item::Macro(item) => {
                let tokens: Vec<_> = item.mac.tokens.clone().into_iter().map(|token| token.to_string()).collect();
                let made: &[&str] = match item.mac.path.segments.last().unwrap().ident.to_string().as_str() {
                    "counted" => &["try_clone", "clone", "drop"],
                    "handle" => &["as_handle", "from_handle", "into_handle"],
                    "derefs" => {
                        self.targets.insert(tokens[0].clone(), tokens[tokens.len() - 1].clone());
                        return;
                    }
                    _ => return,
                };
                self.methods.entry(tokens[0].clone()).or_default().extend(made.iter().map(|name| (*name).to_owned()));
            }
            _ => {}
        }
    }

    fn read_use(&mut self, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => self.read_use(&path.tree),
            UseTree::Name(name) => _ = self.exported.insert(name.ident.to_string()),
            UseTree::Rename(name) => _ = self.exported.insert(name.rename.to_string()),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.read_use(tree)),
            UseTree::Glob(_) => panic!("a glob hides the names that it exports"),
        }
    }

    fn read_impl(&mut self, item: &ItemImpl) {
        let Some(name) = type_name(&item.self_ty) else { return };
        for part in &item.items {
            match part {
                ImplItem::Fn(function) if item.trait_.is_some() || is_public(&function.vis) => {
                    self.methods.entry(name.clone()).or_default().insert(function.sig.ident.to_string());
                }
                ImplItem::Type(target) if target.ident == "Target" => {
                    self.targets.extend(type_name(&target.ty).map(|target| (name.clone(), target)));
                }
                _ => {}
            }
        }
    }

    fn has(&self, name: &str) -> bool {
        match name.split_once("::") {
            None if name.starts_with(char::is_uppercase) => self.exported.contains(name),
            None => self.exported.contains(name) && self.functions.contains(name),
            Some((owner, method)) => self.exported.contains(owner) && self.has_method(owner, method),
        }
    }

    fn has_method(&self, owner: &str, method: &str) -> bool {
        self.methods.get(owner).is_some_and(|methods| methods.contains(method))
            || self.targets.get(owner).is_some_and(|target| self.has_method(target, method))
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn type_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

fn interface() -> Interface {
    Interface::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../gpustream/src"))
}

/// Header function → Rust name.
fn listed() -> BTreeMap<String, String> {
    let path = tree().join("api/names.json");
    let document: Json = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let functions = document["functions"].as_object().unwrap();
    functions.iter().map(|(name, entry)| (name.clone(), entry["rust"].as_str().unwrap().to_owned())).collect()
}

#[test]
fn listed_names_exist() {
    let interface = interface();
    let wrong: Vec<_> = listed()
        .into_iter()
        .filter(|(_, rust)| !rust.starts_with("omitted: ") && !rust.split(", ").all(|name| interface.has(name)))
        .map(|(function, rust)| format!("{function} is listed as {rust}, which the crate does not have"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

macro_rules! names {
    ($(fn $name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {
        const DECLARED: &[&str] = &[$(stringify!($name)),*];
    };
}
gpustream::sys::for_each_function!(names);

#[test]
fn every_function_is_listed() {
    let declared: BTreeSet<_> = DECLARED.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(listed().into_keys().collect::<BTreeSet<_>>(), declared);
}

/// Arithmetic that is done in Rust; tests/streams.rs of the crate compares it with the functions.
const ARITHMETIC: [&str; 3] = ["gs_device_make", "gs_device_backend", "gs_device_ordinal"];

/// The safe crate calls exactly the functions that it does not omit.
#[test]
fn listed_functions_are_called() {
    let mut text = String::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../gpustream/src"), &mut text);
    for (function, rust) in listed().into_iter().filter(|(name, _)| !ARITHMETIC.contains(&name.as_str())) {
        let calls = ["api.", "api()?.", "call!(", "read!(", "fill!("];
        let calls = calls.iter().any(|before| text.contains(&format!("{before}{function}(")));
        assert_eq!(calls, !rust.starts_with("omitted: "), "{function}, listed as '{rust}'");
    }
}

fn collect(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, text);
        } else {
            text.push_str(&fs::read_to_string(path).unwrap().split_whitespace().collect::<String>());
        }
    }
}

#[test]
fn what_is_not_there_is_noticed() {
    let interface = interface();
    for name in [
        "nothing",
        "Nothing",
        "Stream::nothing",
        "Nothing::query",
        "check",
        "Completion::poll",
        "Stream::owned",
        "random::nothing",
        "seed",
        "trace::start",
    ] {
        assert!(!interface.has(name), "{name}");
    }
    for name in
        ["init", "Error", "Stream::query", "StreamRef::query", "BorrowedStream::query", "Stream::drop", "random::seed"]
    {
        assert!(interface.has(name), "{name}");
    }
}
