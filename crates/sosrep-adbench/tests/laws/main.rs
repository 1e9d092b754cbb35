//! Laws of the catalogue, the data sets, the protocol, the export, logs, campaigns and the program, on files made here and, where
//! they are at hand, on the files of ADBench.

#[cfg(unix)]
mod baselines;
mod campaign;
mod catalogue;
mod damage;
mod experiment;
mod export;
mod log;
mod made;
#[cfg(unix)]
mod program;
mod protocol;
mod readings;
