//! The Rust examples of the project's README are those of the crate's, which run as doc tests.

use std::fs;
use std::path::Path;

/// The blocks of Rust code in a document.
fn examples(document: &str) -> Vec<&str> {
    let blocks = document.split("```rust\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap_or_default()).collect()
}

#[test]
fn the_examples_of_the_project_are_those_of_the_crate() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(crate_folder.join(path)).expect(path);
    let (project, tested) = (read("../../README.md"), read("README.md"));
    assert!(!examples(&project).is_empty());
    for example in examples(&project) {
        assert!(examples(&tested).contains(&example), "not in the README of the crate:\n{example}");
    }
}
