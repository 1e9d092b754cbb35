//! What the options mean: parameters of a detector, where a table comes from.

use std::collections::HashMap;
use std::path::Path;

use sosrep::detector::PrepareOptions;
use sosrep::select::Rule;
use sosrep::{Bandwidth, DetectorParams, KernelKind};
use sosrep_table::{ColumnInfo, ColumnUse, EncodeOptions, Input};

use crate::args::{Clip, ModelArgs, PrepareArgs, Preset, TableArgs, TuneArgs};
use crate::columns::find_all;
use crate::failure::{Result, user};
use crate::remedy::shell_word;

/// The file, or standard input for `-`.
pub(crate) fn input(path: &Path) -> Input {
    if path.as_os_str() == "-" { Input::Stdin } else { Input::Path(path.to_path_buf()) }
}

/// The policies for cells that are not numbers, and what is said of single columns, as typed: a list
/// stands for itself and for the names between its commas.
pub(crate) fn encode_options(args: &TableArgs) -> EncodeOptions {
    let lists = column_lists(args).into_iter();
    let uses = lists.flat_map(|(_, lists, use_as)| lists.iter().map(move |list| (list, use_as)));
    let names = uses.flat_map(|(list, use_as)| {
        let parts = list.split(',').map(|name| name.trim().to_string());
        parts.chain([list.clone()]).map(move |name| (name, use_as))
    });
    EncodeOptions {
        missing: args.missing,
        categories: args.categories,
        dates: args.dates,
        columns: names.collect(),
    }
}

/// The options that say what columns are, and the lists given.
fn column_lists(args: &TableArgs) -> [(&'static str, &[String], ColumnUse); 4] {
    [
        ("--category", &args.category, ColumnUse::Category),
        ("--number", &args.number, ColumnUse::Number),
        ("--date", &args.date, ColumnUse::Date),
        ("--ignore", &args.ignore, ColumnUse::Ignore),
    ]
}

/// What is said of the columns of a table; an error for a name it does not have, and for a column of
/// which two things are said.
pub(crate) fn column_uses(
    file: &str,
    found: &[ColumnInfo],
    args: &TableArgs,
) -> Result<HashMap<String, ColumnUse>> {
    let mut uses: HashMap<String, (&str, ColumnUse)> = HashMap::new();
    for (flag, lists, use_as) in column_lists(args) {
        for column in find_all(file, found, flag, lists)? {
            let name = &found[column].name;
            if let Some((other, known)) = uses.insert(name.clone(), (flag, use_as))
                && known != use_as
            {
                let name = shell_word(name);
                return Err(user(format!(
                    "{other} and {flag} both name {name}; choose one of them"
                )));
            }
        }
    }
    Ok(uses.into_iter().map(|(name, (_, use_as))| (name, use_as)).collect())
}

/// What `detect` and `fit` fit.
pub(crate) fn detector_params(args: &ModelArgs) -> DetectorParams {
    let mut params = preset(args.preset);
    if let Some(bandwidth) = &args.bandwidth {
        if args.preset == Preset::Default {
            params = params.kernel(bandwidth.default_kernel());
        }
        params = params.bandwidth(seeded(bandwidth, args.seed));
    } else if args.preset == Preset::Paper {
        params = params.bandwidth(seeded(&Bandwidth::paper(), args.seed));
    }
    if let Some(kernel) = &args.kernel {
        params = params.kernel(kernel.clone());
    }
    params = params.prepare(prepare_options(args.preset, &args.prepare));
    if let Some(share) = args.trim {
        params = params.trim(share);
    }
    if let Some(repeats) = args.repeats {
        params = params.repeats(repeats);
    }
    if let Some(memory) = args.memory {
        params = params.memory(memory.0);
    }
    if let Some(most) = args.max_rows {
        params = params.max_rows(most.0);
    }
    if let Some(most) = args.max_support {
        params = params.max_support(most.0);
    }
    params.threshold(args.contamination).seed(args.seed)
}

/// The kernel that `tune` tries bandwidths of.
pub(crate) fn tune_kernel(args: &TuneArgs) -> KernelKind {
    match (&args.kernel, tune_preset(args)) {
        (Some(kernel), _) => kernel.clone(),
        (None, Preset::Paper) => KernelKind::paper(),
        (None, Preset::PaperExact) => KernelKind::Sdo,
        (None, Preset::Default) => Bandwidth::Select(args.method.clone()).default_kernel(),
    }
}

fn tune_preset(args: &TuneArgs) -> Preset {
    let is_paper = [Rule::OnTheFly, Rule::Text, Rule::Released].contains(&args.method.rule);
    if is_paper { Preset::Paper } else { Preset::Default }
}

/// What `tune` tries.
pub(crate) fn tune_params(args: &TuneArgs) -> DetectorParams {
    let bandwidth = Bandwidth::Select(args.method.clone());
    let start = tune_preset(args);
    let mut params = preset(start).kernel(tune_kernel(args));
    params = params.prepare(prepare_options(start, &args.prepare));
    if let Some(memory) = args.memory {
        params = params.memory(memory.0);
    }
    params.bandwidth(seeded(&bandwidth, args.seed)).seed(args.seed)
}

/// How columns are prepared.
fn prepare_options(preset: Preset, args: &PrepareArgs) -> PrepareOptions {
    let mut options = PrepareOptions::new();
    if preset != Preset::Default {
        options = options.clip(None).whitening(0.0);
    }
    if let Some(scaling) = args.scaling {
        options = options.scaling(scaling);
    }
    if let Some(Clip(size)) = args.clip {
        options = options.clip(size);
    }
    if let Some(power) = args.whitening {
        options = options.whitening(power);
    }
    options
}

fn preset(preset: Preset) -> DetectorParams {
    match preset {
        Preset::Default => DetectorParams::new(),
        Preset::Paper => DetectorParams::paper(),
        Preset::PaperExact => DetectorParams::paper_exact(),
    }
}

/// The bandwidth with the seed of the rows that are held out to choose it.
fn seeded(bandwidth: &Bandwidth, seed: u64) -> Bandwidth {
    match bandwidth.clone() {
        Bandwidth::Select(options) => Bandwidth::Select(options.seed(seed)),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The options of a preset are written down in the core: without an option they are those.
    #[test]
    fn a_preset_without_options_is_that_of_the_core() {
        for start in [Preset::Default, Preset::Paper, Preset::PaperExact] {
            let prepared = preset(start).prepare(prepare_options(start, &PrepareArgs::default()));
            assert_eq!(prepared, preset(start));
        }
    }
}
