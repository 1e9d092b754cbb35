//! The modules of the library form layers: each uses only those below it.
//!
//! The edges are read from the source, tests left out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom to the top.
const LAYERS: [&str; 23] = [
    "error",
    "parallel",
    "random",
    "memory",
    "source_columns",
    "quantile",
    "parameter",
    "monitor",
    "lanes",
    "points",
    "panels",
    "kernel",
    "gram",
    "solve",
    "density",
    "select",
    "bandwidth",
    "density_params",
    "kde",
    "reduce",
    "detector",
    "sample",
    "model_file",
];

/// Used by no other module, and using only `error`.
const APART: &str = "metrics";

fn source_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            source_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The modules that the code of a file names, comments and tests left out.
fn modules_used(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let names = lines.flat_map(|line| line.split("crate::").skip(1)).map(|rest| {
        rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>()
    });
    names.filter(|name| name.starts_with(char::is_lowercase)).collect()
}

#[test]
fn every_module_uses_only_modules_below_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&source, &mut files);
    let layer = |name: &str| LAYERS.iter().position(|layer| *layer == name);
    let mut edges = 0;
    for file in files {
        let inside = file.strip_prefix(&source).expect("below src");
        let first = inside.components().next().expect("a name").as_os_str().to_string_lossy();
        let module = first.trim_end_matches(".rs").to_string();
        if module == "lib" || inside.ends_with("tests.rs") {
            continue;
        }
        let own = layer(&module);
        assert!(own.is_some() || module == APART, "{module} has no place in the list of layers");
        for used in modules_used(&fs::read_to_string(&file).expect("readable")) {
            let below = layer(&used).unwrap_or_else(|| panic!("{module} uses {used}: no layer"));
            let allowed = own.map_or(used == "error", |own| below <= own);
            assert!(allowed, "{}: {module} uses {used}, which is above it", inside.display());
            edges += 1;
        }
    }
    assert!(edges > 100, "only {edges} edges were read");
}

#[test]
fn the_documentation_lists_the_modules_in_this_order() {
    let documentation = include_str!("../src/lib.rs");
    let map = documentation.split("# Modules").nth(1).expect("a map of the modules");
    let rows: String = map.lines().filter(|line| line.starts_with("//! |")).collect();
    let listed: Vec<&str> = rows.split('`').skip(1).step_by(2).collect();
    assert_eq!(listed, LAYERS);
}
