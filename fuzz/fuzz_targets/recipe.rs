//! The target `recipe`, guided by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    (sosrep_fuzz::target("recipe").run)(bytes);
});
