//! What was typed: the commands and their options, with the words of `--help`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};
use sosrep::KernelKind;
use sosrep_adbench::{Experiment, Method, Protocol};

/// The experiments of the SOSREP paper on the data sets of ADBench.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the data sets, those that are missing among them
    List(ListArgs),
    /// Write splits as NPZ files, for other programs
    Split(SplitCommand),
    /// Run the detector of sosrep
    Run(RunCommand),
    /// Measure curves over bandwidths with exact kernels, and what every rule chooses on them
    Curves(CurvesCommand),
    /// Run the detectors of PyOD and scikit-learn on the same splits
    Baselines(BaselinesCommand),
    /// Run the experiments that are not about runs on splits
    Experiment(ExperimentCommand),
    /// Tables and figures from everything in a folder
    Report(ReportCommand),
    /// Everything: runs, baselines, experiments and the report
    All(AllCommand),
}

/// `sosrep-adbench list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// The folder of ADBench's files
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: PathBuf,
}

/// Which splits are made.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Splits")]
pub(crate) struct SplitArgs {
    /// The folder of ADBench's files
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: PathBuf,
    /// Use these data sets only, by name or number, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) data_sets: Vec<String>,
    /// Whose protocol
    #[arg(long, default_value = "adbench")]
    pub(crate) protocol: ProtocolName,
    /// How many seeds, from 1 on; or a range, such as 2..4
    #[arg(long, value_name = "COUNT", default_value = "4")]
    pub(crate) seeds: Seeds,
    /// How many times as many anomalies, from 1 to 6, separated by commas
    #[arg(long, value_name = "TIMES", value_delimiter = ',', default_value = "1")]
    pub(crate) duplicates: Vec<usize>,
    /// Noise on the copies, as a share of each column's standard deviation [default: exact copies]
    #[arg(long, value_name = "SHARE")]
    pub(crate) jitter: Option<f64>,
    /// Irrelevant columns to add, as a share of those there are
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub(crate) irrelevant: f64,
}

/// `sosrep-adbench split`.
#[derive(Debug, Args)]
pub(crate) struct SplitCommand {
    /// The folder the files are written to
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) splits: SplitArgs,
    /// Print errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// `sosrep-adbench run`.
#[derive(Debug, Args)]
pub(crate) struct RunCommand {
    /// The folder of the run; its runs.csv is continued
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) out: PathBuf,
    /// default, paper, paper-test, paper-exact, laplacian, gaussian, product, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "default,paper")]
    pub(crate) methods: Vec<Method>,
    /// Most distinct rows fitted; more are represented by a sample [default: what 1 GiB holds]
    #[arg(long, value_name = "COUNT")]
    pub(crate) most_rows: Option<usize>,
    #[command(flatten)]
    pub(crate) splits: SplitArgs,
    /// Print errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// `sosrep-adbench curves`.
#[derive(Debug, Args)]
pub(crate) struct CurvesCommand {
    /// The folder of the run; its curves.csv is continued and its readings.csv made anew
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) out: PathBuf,
    /// sdo, laplacian or gaussian, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "sdo,laplacian")]
    pub(crate) kernels: Vec<KernelKind>,
    #[command(flatten)]
    pub(crate) splits: SplitArgs,
    /// Print errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// How baselines are run.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Baselines")]
pub(crate) struct PythonArgs {
    /// A Python with the packages of python/requirements.txt
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    pub(crate) python: PathBuf,
    /// Seconds a run may take
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0, value_parser = positive)]
    pub(crate) timeout: f64,
    /// Runs side by side, each on one thread [default: one per core]
    #[arg(long, value_name = "COUNT")]
    pub(crate) jobs: Option<usize>,
}

/// How baselines are run, where they are.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Other detectors, for families")]
pub(crate) struct OptionalPythonArgs {
    /// A Python with the packages of python/requirements.txt [default: the detector of
    /// sosrep runs alone]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) python: Option<PathBuf>,
    /// Seconds a run may take, up to 40
    #[arg(long, value_name = "SECONDS", default_value_t = 40.0, value_parser = positive)]
    pub(crate) timeout: f64,
    /// Runs side by side, each on one thread [default: one per core]
    #[arg(long, value_name = "COUNT")]
    pub(crate) jobs: Option<usize>,
}

impl OptionalPythonArgs {
    /// The same, if there is a Python.
    pub(crate) fn given(&self) -> Option<PythonArgs> {
        let Self { python, timeout, jobs } = self.clone();
        python.map(|python| PythonArgs { python, timeout, jobs })
    }
}

/// `sosrep-adbench baselines`.
#[derive(Debug, Args)]
pub(crate) struct BaselinesCommand {
    /// The folder of the run; its runs.csv is continued
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) out: PathBuf,
    /// These methods only, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) methods: Vec<String>,
    #[command(flatten)]
    pub(crate) python: PythonArgs,
    #[command(flatten)]
    pub(crate) splits: SplitArgs,
    /// Print errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// `sosrep-adbench experiment`.
#[derive(Debug, Args)]
pub(crate) struct ExperimentCommand {
    /// fisher, gradients, clusters, two-blocks, consistency, sampling, families, thresholds
    /// [default: all of them]
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<Experiment>,
    /// The folder of the run
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) out: PathBuf,
    /// The folder of ADBench's files, for the experiments on data sets
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: Option<PathBuf>,
    /// The data set of fisher, by name or number
    #[arg(long, value_name = "NAME")]
    pub(crate) data_set: Option<String>,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) python: OptionalPythonArgs,
    /// Print errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// `sosrep-adbench report`.
#[derive(Debug, Args)]
pub(crate) struct ReportCommand {
    /// The folder of the run; of several, a later one replaces the methods that it has
    #[arg(required = true, value_name = "FOLDER")]
    pub(crate) folders: Vec<PathBuf>,
    /// Where the report is written [default: the last folder]
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Put the main table into this text, between the lines that mark its place
    #[arg(long, value_name = "FILE")]
    pub(crate) readme: Option<PathBuf>,
    /// A Python with the packages of python/requirements.txt
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    pub(crate) python: PathBuf,
    /// Print errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// `sosrep-adbench all`.
#[derive(Debug, Args)]
pub(crate) struct AllCommand {
    /// The folder of the run; what it has is not done again
    #[arg(long, short, value_name = "FOLDER", default_value = "adbench-run")]
    pub(crate) out: PathBuf,
    /// The folder of ADBench's files
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: PathBuf,
    /// How many seeds the main table rests on, from 1 on; or a range, such as 2..4
    #[arg(long, value_name = "COUNT", default_value = "4")]
    pub(crate) seeds: Seeds,
    /// How many seeds the rest has: duplicates, kernels, the authors' protocol
    #[arg(long, value_name = "COUNT", default_value = "1")]
    pub(crate) other_seeds: Seeds,
    /// Use these data sets only, by name or number, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) data_sets: Vec<String>,
    #[command(flatten)]
    pub(crate) python: PythonArgs,
    /// Print errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0);
    number.ok_or_else(|| "give a positive number".to_string())
}

/// Whose protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProtocolName {
    /// ADBench's: small data sets filled up to 1000 rows, columns between 0 and 1
    Adbench,
    /// That of the authors of SOSREP: small data sets as they are, columns standardised
    Authors,
}

impl From<ProtocolName> for Protocol {
    fn from(name: ProtocolName) -> Self {
        match name {
            ProtocolName::Adbench => Self::AdBench,
            ProtocolName::Authors => Self::Authors,
        }
    }
}

/// Seeds from 1 on, or a range of them, both ends included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seeds(pub(crate) Vec<u64>);

/// As it is typed.
impl fmt::Display for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.first(), self.0.last()) {
            (Some(1) | None, last) => write!(f, "{}", last.unwrap_or(&0)),
            (Some(first), last) => write!(f, "{first}..{}", last.unwrap_or(first)),
        }
    }
}

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once("..").unwrap_or(("1", text));
        match (first.trim().parse::<u64>(), last.trim().parse::<u64>()) {
            (Ok(first), Ok(last)) if first <= last && last - first < 10_000 => {
                Ok(Self((first..=last).collect()))
            }
            _ => Err("give a number of seeds, such as 4, or a range, such as 2..4".to_string()),
        }
    }
}
