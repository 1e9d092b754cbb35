//! What the options mean: parameters of a detector, where a table comes from.

use std::path::Path;

use sosrep::DetectorParams;
use sosrep::detector::{Bandwidth, Threshold};
use sosrep::kernel::KernelKind;
use sosrep_table::{Categories, EncodeOptions, Input, Missing};

use crate::args::{
    BandwidthArg, CategoriesPolicy, ContaminationArg, KernelName, Method, MissingPolicy, ModelArgs,
    Preset, TableArgs, TuneArgs,
};

/// The file, or standard input for `-`.
pub(crate) fn input(path: &Path) -> Input {
    if path.as_os_str() == "-" { Input::Stdin } else { Input::Path(path.to_path_buf()) }
}

/// The policies for cells that are not numbers.
pub(crate) fn encode_options(args: &TableArgs) -> EncodeOptions {
    EncodeOptions {
        missing: match args.missing {
            MissingPolicy::Error => Missing::Error,
            MissingPolicy::Drop => Missing::Drop,
            MissingPolicy::Impute => Missing::Impute,
        },
        categories: match args.categories {
            CategoriesPolicy::Error => Categories::Error,
            CategoriesPolicy::Onehot => Categories::Onehot,
            CategoriesPolicy::Frequency => Categories::Frequency,
        },
    }
}

/// What `detect` and `fit` fit.
pub(crate) fn detector_params(args: &ModelArgs) -> DetectorParams {
    let mut params = match args.preset {
        Preset::Default => DetectorParams::new(),
        Preset::Paper => DetectorParams::paper(),
    };
    // The Fisher divergence does not depend on the data under the product kernel.
    let by_fisher =
        matches!(args.bandwidth, Some(BandwidthArg::By(Method::Fisher | Method::Paper)));
    if let Some(name) = args.kernel {
        params = params.kernel(kernel(name));
    } else if by_fisher && args.preset == Preset::Default {
        params = params.kernel(KernelKind::Sdo);
    }
    if let Some(how) = args.bandwidth {
        params = params.bandwidth(match how {
            BandwidthArg::Auto => Bandwidth::Auto,
            BandwidthArg::Fixed(value) => Bandwidth::Fixed(value),
            BandwidthArg::By(method) => bandwidth(method, args.seed),
        });
    }
    if let Some(ContaminationArg::Share(share)) = args.contamination {
        params = params.threshold(Threshold::Contamination(share));
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
    params.seed(args.seed)
}

/// What `tune` tries.
pub(crate) fn tune_params(args: &TuneArgs) -> DetectorParams {
    let params = match args.method {
        Method::Paper => DetectorParams::paper(),
        Method::Fisher => DetectorParams::new().kernel(KernelKind::Sdo),
        Method::Likelihood | Method::Influence => DetectorParams::new(),
    };
    let params = match args.kernel {
        Some(name) => params.kernel(kernel(name)),
        None => params,
    };
    let params = match args.memory {
        Some(memory) => params.memory(memory.0),
        None => params,
    };
    params.bandwidth(bandwidth(args.method, args.seed)).seed(args.seed)
}

/// Words for where anomalies begin.
pub(crate) fn threshold_rule(args: &ModelArgs) -> String {
    match args.contamination {
        Some(ContaminationArg::Share(share)) => {
            format!("the {} most anomalous rows", sosrep_report::percent(share))
        }
        _ => "automatic: 1.5 interquartile ranges above the upper quartile".to_string(),
    }
}

fn kernel(name: KernelName) -> KernelKind {
    match name {
        KernelName::Product => KernelKind::Product,
        KernelName::Sdo => KernelKind::Sdo,
        KernelName::SdoSampled => KernelKind::paper(),
        KernelName::Laplacian => KernelKind::Laplacian,
        KernelName::Gaussian => KernelKind::Gaussian,
    }
}

fn bandwidth(method: Method, seed: u64) -> Bandwidth {
    let chosen = match method {
        Method::Fisher => Bandwidth::fisher(),
        Method::Paper => Bandwidth::paper(),
        Method::Likelihood => Bandwidth::likelihood(),
        Method::Influence => Bandwidth::self_influence(),
    };
    match chosen {
        Bandwidth::Select(options) => {
            Bandwidth::Select(sosrep::select::SelectOptions { seed, ..options })
        }
        other => other,
    }
}
