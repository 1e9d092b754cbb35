//! The target `json`, guided by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    (sosrep_fuzz::target("json").run)(bytes);
});
