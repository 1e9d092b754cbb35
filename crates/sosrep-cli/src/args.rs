//! What was typed: the commands and their options, with the words of `--help`.

use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use sosrep::Bandwidth;
use sosrep::detector::{Scaling, Threshold};
use sosrep::select::SelectOptions;
use sosrep::{KernelKind, Repeats};
use sosrep_table::{Categories, Dates, Format, Missing};

/// Find anomalies in a table, and say why they stand out.
#[derive(Debug, Parser)]
#[command(name = "sosrep", version, max_term_width = 100)]
#[command(
    after_help = "Files: CSV and JSON (also .gz, .zst), Parquet, Arrow, NPY, NPZ; `-` is standard input \
    or output.\nExit codes: 0 fine, 1 something you can correct, 2 a bug of the program, \
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
    /// Serve models over HTTP, with a page to explore tables
    Serve(ServeArgs),
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
    #[arg(long, visible_alias = "drop", value_name = "NAMES")]
    pub(crate) ignore: Vec<String>,
    /// The columns that name a row, separated by commas: kept out of the features, shown in the
    /// results [default: one that looks like an identifier]
    #[arg(long, value_name = "NAMES")]
    pub(crate) id: Vec<String>,
    /// These columns hold categories, whatever they look like
    #[arg(long, value_name = "NAMES")]
    pub(crate) category: Vec<String>,
    /// These columns hold numbers, even if they look like identifiers
    #[arg(long, value_name = "NAMES")]
    pub(crate) number: Vec<String>,
    /// These columns hold dates
    #[arg(long, value_name = "NAMES")]
    pub(crate) date: Vec<String>,
    /// What to do with missing values
    #[arg(long, value_name = "POLICY", default_value = "auto", value_parser = named::<Missing>(&Missing::NAMES))]
    pub(crate) missing: Missing,
    /// What to do with columns of text
    #[arg(long, value_name = "POLICY", default_value = "auto", value_parser = named::<Categories>(&Categories::NAMES))]
    pub(crate) categories: Categories,
    /// What to do with columns of dates and times
    #[arg(long, value_name = "POLICY", default_value = "auto", value_parser = named::<Dates>(&Dates::NAMES))]
    pub(crate) dates: Dates,
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
    #[arg(long, value_parser = named::<KernelKind>(&KernelKind::NAMES))]
    pub(crate) kernel: Option<KernelKind>,
    /// auto, fisher, likelihood, paper, paper-text, paper-released, influence, or a number
    /// [default: auto]
    #[arg(long, value_name = "HOW", allow_negative_numbers = true, value_parser = word::<Bandwidth>)]
    pub(crate) bandwidth: Option<Bandwidth>,
    /// Judge bandwidths by the rows of this table, instead of a share of the rows held out
    #[arg(long, value_name = "TABLE")]
    pub(crate) judge: Option<PathBuf>,
    /// auto, or the share of rows to flag, above 0 and at most 0.5
    #[arg(
        long,
        value_name = "SHARE",
        default_value = "auto",
        allow_negative_numbers = true,
        value_parser = word::<Threshold>
    )]
    pub(crate) contamination: Threshold,
    /// Share of the rows, least dense first, left out of the density [default: 0.5]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) trim: Option<f64>,
    /// How equal rows count [default: auto]
    #[arg(long, value_name = "HOW", value_parser = named::<Repeats>(&Repeats::NAMES))]
    pub(crate) repeats: Option<Repeats>,
    #[command(flatten)]
    pub(crate) prepare: PrepareArgs,
    /// Seed of everything random
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Memory for the kernel matrix, such as 500MB or 4GiB; more rows are fitted from a sample
    /// [default: 1GiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Size>,
    /// Most distinct rows that the core is found among, or none; more are sampled [default: 10000]
    #[arg(long, value_name = "ROWS")]
    pub(crate) max_rows: Option<Limit>,
    /// Most rows of the core that the density is fitted to, or none; a score takes time for each
    /// [default: 1000]
    #[arg(long, value_name = "ROWS")]
    pub(crate) max_support: Option<Limit>,
}

/// How columns are prepared for the kernel.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct PrepareArgs {
    /// Centre and scale of the columns [default: standard]
    #[arg(long, value_name = "HOW", value_parser = named::<Scaling>(&SCALINGS))]
    pub(crate) scaling: Option<Scaling>,
    /// Size after scaling beyond which a value counts by its logarithm, or none [default: 5; none for
    /// the presets of the paper]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true)]
    pub(crate) clip: Option<Clip>,
    /// Power of the core's covariance to divide out, from 0, where every column is measured by itself,
    /// to 0.5, where columns that move together count once [default: 0.5; 0 for the presets of the
    /// paper]
    #[arg(long, value_name = "POWER", allow_negative_numbers = true)]
    pub(crate) whitening: Option<f64>,
}

const SCALINGS: [(&str, &str); 3] = [
    ("none", "columns as they are"),
    ("standard", "mean 0 and standard deviation 1"),
    ("robust", "median 0 and the interquartile range of the normal distribution"),
];

/// A size, or none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Clip(pub(crate) Option<f64>);

impl FromStr for Clip {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self(None));
        }
        let size = text.parse().map_err(|_| "give a number, or none".to_string())?;
        Ok(Self(Some(size)))
    }
}

/// What a table of results holds and how it is written.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Results")]
pub(crate) struct ResultArgs {
    /// Columns of the table to put beside the results: all, or names separated by commas
    #[arg(long, value_name = "NAMES")]
    pub(crate) keep: Vec<String>,
    /// How --out is written [default: by the ending of its name; csv on standard output]
    #[arg(long, value_name = "FORMAT", value_parser = named::<Format>(&Format::NAMES))]
    pub(crate) format: Option<Format>,
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
    /// Put an apostrophe before texts in CSV that a spreadsheet would take for formulas
    #[arg(long)]
    pub(crate) spreadsheet_safe: bool,
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
    pub(crate) results: ResultArgs,
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

/// A saved model and a table to apply it to.
#[derive(Debug, Clone, Args)]
pub(crate) struct ModelAndTable {
    /// The model
    pub(crate) model: PathBuf,
    /// The table: the columns of the model, in any order
    pub(crate) data: PathBuf,
    /// The columns that name a row, separated by commas [default: those of the fit]
    #[arg(long, value_name = "NAMES")]
    pub(crate) id: Vec<String>,
    /// Columns of the table to leave out, separated by commas
    #[arg(long, visible_alias = "drop", value_name = "NAMES")]
    pub(crate) ignore: Vec<String>,
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
    /// Flag rows so that at most this share of them is expected to be normal, instead of those above
    /// the threshold of the model; reads the table twice
    #[arg(long, value_name = "RATE")]
    pub(crate) fdr: Option<f64>,
    #[command(flatten)]
    pub(crate) results: ResultArgs,
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
    #[arg(long, default_value = "fisher", value_parser = named::<SelectOptions>(&SelectOptions::NAMES))]
    pub(crate) method: SelectOptions,
    /// Judge bandwidths by the rows of this table, instead of a share of the rows held out
    #[arg(long, value_name = "TABLE")]
    pub(crate) judge: Option<PathBuf>,
    /// The kernel [default: sdo for fisher, sdo-sampled for paper and the like, product otherwise]
    #[arg(long, value_parser = named::<KernelKind>(&KernelKind::NAMES))]
    pub(crate) kernel: Option<KernelKind>,
    #[command(flatten)]
    pub(crate) prepare: PrepareArgs,
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
    pub(crate) results: ResultArgs,
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

/// `sosrep serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Model files, and folders of files that end in .sosrep or .model; an example if left out
    pub(crate) models: Vec<PathBuf>,
    /// The address to listen on; one that others can reach needs a token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) address: IpAddr,
    /// The port to listen on [default: one that is free]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// A file with the token that clients must send; or the variable SOSREP_TOKEN holds it
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Let clients send tables to be fitted
    #[arg(long)]
    pub(crate) allow_fit: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Log every request on standard error, as a line of JSON
    #[arg(long)]
    pub(crate) log: bool,
    /// Threads [default: one per core]; results do not depend on them
    #[arg(long, value_name = "COUNT")]
    pub(crate) threads: Option<usize>,
}

/// What a request may take.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// Size of a body [default: 64MiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) body_limit: Option<Size>,
    /// Rows of a table [default: 1000000]
    #[arg(long, value_name = "ROWS")]
    pub(crate) row_limit: Option<u64>,
    /// Seconds from a request to its answer [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) time_limit: Option<u64>,
    /// Requests that wait while all cores score; more are turned away [default: 64]
    #[arg(long, value_name = "COUNT")]
    pub(crate) queue: Option<u16>,
}

/// A configuration to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// product kernel, robust core: found most anomalies in benchmarks
    Default,
    /// the paper's: sampled SDO kernel, Fisher divergence read as its program does
    Paper,
    /// the same with the exact SDO kernel
    PaperExact,
}

/// Reads the names of a choice, which `--help` and completions list with their meaning.
fn named<T>(names: &'static [(&'static str, &'static str)]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync> + Clone + Send + Sync + 'static,
{
    let value =
        |(name, meaning): &(&'static str, &'static str)| PossibleValue::new(*name).help(*meaning);
    PossibleValuesParser::new(names.iter().map(value)).try_map(|name| name.parse())
}

/// Reads what may be a word or a number; clap names the option and the value, the core the domain.
fn word<T: FromStr<Err = sosrep::Error>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error| match error {
        sosrep::Error::Parameter { requirement, .. } => format!("it must be {requirement}"),
        other => other.to_string(),
    })
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) usize);

/// A number of rows, or none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit(pub(crate) Option<usize>);

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("none", _) => Ok(Self(None)),
            (_, Ok(rows @ 1..)) => Ok(Self(Some(rows))),
            _ => Err("give a number of rows, at least 1, or none".to_string()),
        }
    }
}

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
}
