//! What can go wrong: every message names the file or the data set, the place in it and the value.

use sosrep_table::Place;

use crate::dataset::Shape;

/// The result of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file that cannot be read, is no table, or cannot be written.
    #[error(transparent)]
    Table(#[from] sosrep_table::Error),
    /// A name that no experiment has.
    #[error("there is no experiment {name:?}; give one of {names}")]
    UnknownExperiment {
        /// The name.
        name: String,
        /// Those there are.
        names: String,
    },
    /// An experiment on data sets without a folder of them.
    #[error("the experiment {experiment} needs the files of ADBench; give their folder")]
    NeedsData {
        /// The experiment.
        experiment: &'static str,
    },
    /// Rows without the structure that an experiment is about.
    #[error(
        "{data_set}: of {clusters} clusters no two are like two blocks (30 rows each, kernel values \
         higher within than between); use another seed"
    )]
    NoTwoBlocks {
        /// The data set.
        data_set: String,
        /// Clusters looked at.
        clusters: usize,
    },
    /// A folder that is not there.
    #[error("{folder} is not a folder; give the one that holds the files of ADBench")]
    NoFolder {
        /// The folder.
        folder: String,
    },
    /// A name that is not in the catalogue.
    #[error("ADBench has no data set {name:?}; its names go from 1_ALOI to 47_yeast")]
    UnknownDataSet {
        /// The name.
        name: String,
    },
    /// A data set whose file is not there.
    #[error(
        "the data set {data_set} is not in {folder}; put its file {file} there or leave it out"
    )]
    MissingDataSet {
        /// The data set.
        data_set: String,
        /// The folder.
        folder: String,
        /// The name of its file.
        file: String,
    },
    /// A file that holds another table than the catalogue says.
    #[error("{file} has {found}, ADBench's has {expected}; fetch the file again")]
    WrongShape {
        /// The file.
        file: String,
        /// What the catalogue says.
        expected: Shape,
        /// What the file holds.
        found: Shape,
    },
    /// A file of the right shape with other bytes than the catalogue says.
    #[error("{file} has the SHA-256 {found}, ADBench's has {expected}; fetch the file again")]
    WrongChecksum {
        /// The file.
        file: String,
        /// What the catalogue says.
        expected: String,
        /// That of the file.
        found: String,
    },
    /// An archive without the array of labels.
    #[error("{file}: there is no array \"y\" beside \"X\"; give one label, 0 or 1, a row")]
    NoLabels {
        /// The file.
        file: String,
    },
    /// A label that is neither 0 nor 1.
    #[error("{file}, {place}: the label is {value}; it must be 0, or 1 for an anomaly")]
    Label {
        /// The file.
        file: String,
        /// The row.
        place: Place,
        /// The label.
        value: f64,
    },
    /// A value that cannot be computed with.
    #[error(
        "{file}, {place}, column {column} of X: the value is {value}; it must be a number within \
         ±1e145 (columns count from 1)"
    )]
    Value {
        /// The file.
        file: String,
        /// The row.
        place: Place,
        /// The column, from 1.
        column: usize,
        /// The value.
        value: f64,
    },
    /// A parameter outside its domain.
    #[error("{name} is {value}; it must be {domain}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        domain: &'static str,
    },
    /// Too few rows of a class to have some in both parts.
    #[error(
        "{data_set} with seed {seed}: {count} of {rows} rows are {class}, and a split needs at \
         least 2; use another seed or leave the data set out"
    )]
    TooFewRows {
        /// The data set.
        data_set: String,
        /// The seed.
        seed: u64,
        /// The class, as a word.
        class: &'static str,
        /// Its rows.
        count: usize,
        /// All rows.
        rows: usize,
    },
    /// A split that the protocol does not give.
    #[error("{problem}")]
    NoSplit {
        /// Why not.
        problem: String,
    },
    /// What the detector says, such as that it was asked to stop.
    #[error(transparent)]
    Core(#[from] sosrep::Error),
    /// A log that cannot be read or written.
    #[error("{file}: {source}")]
    LogFile {
        /// The file.
        file: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// A log that another program is writing.
    #[error("{file} is being written by another program; wait for it, or give another folder")]
    LogInUse {
        /// The file.
        file: String,
    },
    /// A line of a log that is no entry.
    #[error("{file}, line {line}: {problem}; mend or remove the line")]
    LogLine {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A Python that does not do what it is asked.
    #[error(
        "baselines and report need a Python with the packages of \
         crates/sosrep-adbench/python/requirements.txt (--python); with {python}: {problem}"
    )]
    Python {
        /// The program.
        python: String,
        /// What happened.
        problem: String,
    },
    /// A report that was not made; what is wrong was printed.
    #[error("the report was not made: its program ended with {ended}; what is wrong stands above")]
    Report {
        /// How it ended.
        ended: String,
    },
    /// A baseline that is not in the list.
    #[error("there is no baseline {name:?}; there are {known}")]
    UnknownBaseline {
        /// The name.
        name: String,
        /// Those there are.
        known: String,
    },
}
