//! The laws of the method, tested from outside: closed forms, slow twins, finite differences,
//! invariances.

mod common;
mod consistency;
mod density;
mod detector;
mod invariance;
mod kernels;
mod mixed;
mod new_rows;
mod parameters;
mod sampling;
mod selection;
mod solver;
mod steadiness;
mod training;
