//! The program as its users meet it: every command, format, policy and message.
//!
//! Each test runs the binary in a folder of its own, on tables made here, so that names in
//! messages need no filters. Messages are kept word for word: read them as a user would before
//! accepting a new one.

mod bad_models;
mod bad_options;
mod bad_outputs;
mod bad_tables;
mod commands;
mod explanations;
mod formats;
mod golden_models;
mod hostile_cells;
mod interrupt;
mod kept_columns;
mod long_tables;
mod memory;
mod model_options;
mod outputs;
mod policies;
mod saved_models;
mod serving;
mod sosrep;
mod tables;
