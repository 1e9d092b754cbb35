//! What the options mean: parameters of a detector, where a table comes from.

use std::path::Path;

use sosrep::Bandwidth;
use sosrep::DetectorParams;
use sosrep::select::SelectOptions;
use sosrep_table::{EncodeOptions, Input};

use crate::args::{ModelArgs, Preset, TableArgs, TuneArgs};

/// The file, or standard input for `-`.
pub(crate) fn input(path: &Path) -> Input {
    if path.as_os_str() == "-" { Input::Stdin } else { Input::Path(path.to_path_buf()) }
}

/// The policies for cells that are not numbers.
pub(crate) fn encode_options(args: &TableArgs) -> EncodeOptions {
    EncodeOptions { missing: args.missing, categories: args.categories }
}

/// What `detect` and `fit` fit.
pub(crate) fn detector_params(args: &ModelArgs) -> DetectorParams {
    let mut params = preset(args.preset);
    if let Some(bandwidth) = &args.bandwidth {
        if args.preset == Preset::Default {
            params = params.kernel(bandwidth.default_kernel());
        }
        params = params.bandwidth(seeded(bandwidth, args.seed));
    }
    if let Some(kernel) = &args.kernel {
        params = params.kernel(kernel.clone());
    }
    if let Some(share) = args.trim {
        params = params.trim(share);
    }
    if let Some(repeats) = args.repeats {
        params = params.repeats(repeats);
    }
    if let Some(memory) = args.memory {
        params = params.memory(memory.0);
    }
    params.threshold(args.contamination).seed(args.seed)
}

/// What `tune` tries.
pub(crate) fn tune_params(args: &TuneArgs) -> DetectorParams {
    let bandwidth = Bandwidth::Select(args.method.clone());
    let mut params = if args.method == SelectOptions::paper() {
        preset(Preset::Paper)
    } else {
        preset(Preset::Default).kernel(bandwidth.default_kernel())
    };
    if let Some(kernel) = &args.kernel {
        params = params.kernel(kernel.clone());
    }
    if let Some(memory) = args.memory {
        params = params.memory(memory.0);
    }
    params.bandwidth(seeded(&bandwidth, args.seed)).seed(args.seed)
}

fn preset(preset: Preset) -> DetectorParams {
    match preset {
        Preset::Default => DetectorParams::new(),
        Preset::Paper => DetectorParams::paper(),
    }
}

/// The bandwidth with the seed of the rows that are held out to choose it.
fn seeded(bandwidth: &Bandwidth, seed: u64) -> Bandwidth {
    match bandwidth.clone() {
        Bandwidth::Select(options) => Bandwidth::Select(options.seed(seed)),
        other => other,
    }
}
