//! What was typed: the commands and their options, with the words of `--help`.

pub(crate) mod adbench;

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use sosrep::Repeats;

/// Find anomalies in a table, and say why they stand out.
#[derive(Debug, Parser)]
#[command(name = "sosrep", version, max_term_width = 100)]
#[command(
    after_help = "Files: CSV (also .gz, .zst), Parquet, Arrow, NPY, NPZ; `-` is standard input \
    or output.\nExit codes: 0 fine, 1 something you can put right, 2 a fault of the program, \
    130 interrupted."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Fit, score, explain and report in one go; without DATA, on an example
    Detect(DetectArgs),
    /// Fit a detector and save it
    Fit(FitCommand),
    /// Score a table of any length with a saved model
    Score(ScoreArgs),
    /// Show how a criterion depends on the bandwidth
    Tune(TuneArgs),
    /// Say why rows have their scores
    Explain(ExplainArgs),
    /// Draw rows from a model's density
    Sample(SampleArgs),
    /// The normalised log-density of rows, in the units of the table
    Density(DensityArgs),
    /// Show what a model file holds
    Inspect(InspectArgs),
    /// The experiments of the paper on the data sets of ADBench
    #[command(subcommand)]
    Adbench(adbench::AdbenchCommand),
    /// Print a script that completes commands in a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// How a table is read and which of its columns are features.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Table")]
pub(crate) struct TableArgs {
    /// Use these columns only, separated by commas
    #[arg(long, value_name = "NAMES")]
    pub(crate) columns: Vec<String>,
    /// Leave these columns out, separated by commas
    #[arg(long, value_name = "NAMES")]
    pub(crate) drop: Vec<String>,
    /// The column that names a row: kept out of the features, shown in the results
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,
    /// What to do with missing values; imputing takes the median, or the most frequent text
    #[arg(long, value_name = "POLICY", default_value = "error")]
    pub(crate) missing: MissingPolicy,
    /// What to do with columns of text
    #[arg(long, value_name = "POLICY", default_value = "error")]
    pub(crate) categories: CategoriesPolicy,
    /// The first line of a CSV file holds data, not names
    #[arg(long)]
    pub(crate) no_header: bool,
}

/// Known anomalies in the table.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Table")]
pub(crate) struct LabelArgs {
    /// The column that marks known anomalies: kept out of the features, used for AUC-ROC and AP
    #[arg(long, value_name = "COLUMN")]
    pub(crate) label: Option<String>,
    /// The label of an anomaly; by default 1 of 0 and 1, −1 of ±1, true, or the rarer of two
    #[arg(long, value_name = "VALUE", requires = "label", allow_hyphen_values = true)]
    pub(crate) label_value: Option<String>,
}

/// What is fitted.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelArgs {
    /// The configuration the other options start from
    #[arg(long, default_value = "default")]
    pub(crate) preset: Preset,
    /// The kernel [default: product; sdo where the bandwidth is chosen by Fisher divergence]
    #[arg(long)]
    pub(crate) kernel: Option<KernelName>,
    /// auto, fisher, likelihood, paper, influence, or a number
    #[arg(long, value_name = "HOW", allow_negative_numbers = true)]
    pub(crate) bandwidth: Option<BandwidthArg>,
    /// auto, or the share of rows to flag, between 0 and 0.5
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) contamination: Option<ContaminationArg>,
    /// Share of the rows, least dense first, that the density does not rest on [default: 0.5]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) trim: Option<f64>,
    /// How equal rows count: auto, keep (as often as they occur) or once [default: auto]
    #[arg(long, value_name = "HOW")]
    pub(crate) repeats: Option<Repeats>,
    /// Seed of everything random
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Memory for the kernel matrix, such as 500MB or 4GiB; more rows are fitted from a sample
    /// [default: 1GiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Size>,
}

/// How the program runs and what it says.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Run")]
pub(crate) struct RunArgs {
    /// Threads [default: one per core]; results do not depend on them
    #[arg(long, value_name = "COUNT")]
    pub(crate) threads: Option<usize>,
    /// Print JSON on standard output, and no tables
    #[arg(long)]
    pub(crate) json: bool,
    /// Print errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// `sosrep detect`.
#[derive(Debug, Args)]
pub(crate) struct DetectArgs {
    /// The table; an example if left out
    pub(crate) data: Option<PathBuf>,
    /// Write every row's score, p-value, label and reasons (csv, parquet, arrow, json, jsonl)
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Save the model
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
    /// Write a page with figures
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Rows shown and explained
    #[arg(long, value_name = "K", default_value_t = 10)]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) label: LabelArgs,
    #[command(flatten)]
    pub(crate) fit: ModelArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// `sosrep fit`.
#[derive(Debug, Args)]
pub(crate) struct FitCommand {
    /// The table
    pub(crate) data: PathBuf,
    /// Where the model is saved
    #[arg(long, value_name = "FILE")]
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// A column to keep out of the features, such as known labels
    #[arg(long, value_name = "COLUMN", help_heading = "Table")]
    pub(crate) label: Option<String>,
    #[command(flatten)]
    pub(crate) fit: ModelArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// A saved model and a table to put to it.
#[derive(Debug, Clone, Args)]
pub(crate) struct ModelAndTable {
    /// The model
    pub(crate) model: PathBuf,
    /// The table: the columns of the model, in any order
    pub(crate) data: PathBuf,
    /// The column that names a row [default: that of the fit]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,
    /// Columns of the table to leave out, separated by commas
    #[arg(long, value_name = "NAMES")]
    pub(crate) drop: Vec<String>,
    /// The first line of a CSV file holds data, not names
    #[arg(long)]
    pub(crate) no_header: bool,
}

/// `sosrep score`.
#[derive(Debug, Args)]
pub(crate) struct ScoreArgs {
    #[command(flatten)]
    pub(crate) input: ModelAndTable,
    /// Where the scores go
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub(crate) out: PathBuf,
    /// Add reasons for the rows that are flagged; takes longer
    #[arg(long)]
    pub(crate) reasons: bool,
    #[command(flatten)]
    pub(crate) label: LabelArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// `sosrep tune`.
#[derive(Debug, Args)]
pub(crate) struct TuneArgs {
    /// The table
    pub(crate) data: PathBuf,
    /// What makes a bandwidth good
    #[arg(long, default_value = "fisher")]
    pub(crate) method: Method,
    /// The kernel [default: sdo for fisher, sampled sdo for paper, product otherwise]
    #[arg(long)]
    pub(crate) kernel: Option<KernelName>,
    /// Write the curve (csv, parquet, arrow, json, jsonl)
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Draw the curve
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// A column to keep out of the features, such as known labels
    #[arg(long, value_name = "COLUMN", help_heading = "Table")]
    pub(crate) label: Option<String>,
    /// Seed of everything random
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Memory for the kernel matrix [default: 1GiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Size>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// `sosrep explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) input: ModelAndTable,
    /// Rows to explain, the first is 1
    #[arg(long, value_name = "N", value_delimiter = ',', conflicts_with = "top")]
    pub(crate) row: Vec<u64>,
    /// Explain the rows with the highest scores [default: 5]
    #[arg(long, value_name = "K")]
    pub(crate) top: Option<usize>,
    /// Write every column's contribution (csv, parquet, arrow, json, jsonl)
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// `sosrep sample`.
#[derive(Debug, Args)]
pub(crate) struct SampleArgs {
    /// The model
    pub(crate) model: PathBuf,
    /// Rows to draw
    #[arg(short = 'n', long = "rows", value_name = "N")]
    pub(crate) rows: usize,
    /// Where the rows go
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub(crate) out: PathBuf,
    /// Seed of the draws
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// `sosrep density`.
#[derive(Debug, Args)]
pub(crate) struct DensityArgs {
    #[command(flatten)]
    pub(crate) input: ModelAndTable,
    /// Where the log-densities go
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// `sosrep inspect`.
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The model
    pub(crate) model: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A configuration to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// What found most anomalies: product kernel, robust core
    Default,
    /// The paper's: sampled SDO kernel, first stable minimum of the Fisher divergence
    Paper,
}

/// A kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KernelName {
    /// Product of exponentials, one a column
    Product,
    /// The paper's Sobolev kernel, exact
    Sdo,
    /// The paper's Sobolev kernel from 10 000 sampled frequencies
    SdoSampled,
    /// exp(−distance)
    Laplacian,
    /// exp(−distance²)
    Gaussian,
}

/// How a bandwidth is chosen from a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// Minimum of the Fisher divergence of held-out rows
    Fisher,
    /// First stable minimum of the Fisher divergence, from the right
    Paper,
    /// Maximum of the likelihood of held-out rows
    Likelihood,
    /// Median influence of a row on its own density closest to 0.02
    #[value(alias = "self-influence")]
    Influence,
}

/// What to do with missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MissingPolicy {
    /// Stop
    Error,
    /// Leave the row out
    Drop,
    /// Fill in what is usual
    Impute,
}

/// What to do with columns of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CategoriesPolicy {
    /// Stop
    Error,
    /// A column of 0 and 1 for every value
    Onehot,
    /// The share of rows with that value
    Frequency,
}

/// `auto`, a method, or a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum BandwidthArg {
    Auto,
    By(Method),
    Fixed(f64),
}

impl FromStr for BandwidthArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        if let Ok(method) = Method::from_str(text, false) {
            return Ok(Self::By(method));
        }
        match text.parse() {
            Ok(value) => Ok(Self::Fixed(value)),
            Err(_) => Err("give auto, fisher, likelihood, paper, influence or a number".into()),
        }
    }
}

/// `auto` or a share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ContaminationArg {
    Auto,
    Share(f64),
}

impl FromStr for ContaminationArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            _ => text.parse().map(Self::Share).map_err(|_| "give auto or a number".to_string()),
        }
    }
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) usize);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let complaint = || "give a size such as 500MB or 4GiB".to_string();
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
            "" | "b" => 1.0,
            "k" | "kb" => 1e3,
            "m" | "mb" => 1e6,
            "g" | "gb" => 1e9,
            "kib" => 1024.0,
            "mib" => 1024.0 * 1024.0,
            "gib" => 1024.0 * 1024.0 * 1024.0,
            _ => return Err(complaint()),
        };
        let bytes = digits.trim().parse::<f64>().map_err(|_| complaint())? * unit;
        if (1.0..1e18).contains(&bytes) { Ok(Self(bytes as usize)) } else { Err(complaint()) }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_commands_are_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes_are_read_with_their_units() {
        assert_eq!("4GiB".parse(), Ok(Size(4 << 30)));
        assert_eq!("1.5 mb".parse(), Ok(Size(1_500_000)));
        assert_eq!("12".parse(), Ok(Size(12)));
        for wrong in ["", "GiB", "-1MB", "3 lightyears", "1e30GB", "0"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn bandwidths_are_words_or_numbers() {
        assert_eq!("auto".parse(), Ok(BandwidthArg::Auto));
        assert_eq!("fisher".parse(), Ok(BandwidthArg::By(Method::Fisher)));
        assert_eq!("0.25".parse(), Ok(BandwidthArg::Fixed(0.25)));
        assert!("wide".parse::<BandwidthArg>().is_err());
    }
}
