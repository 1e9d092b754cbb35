//! `sosrep sample`: rows drawn from a model, as a table like the one it was fitted on.

use serde::Serialize;
use sosrep::sample::SampleParams;
use sosrep_report::count;
use sosrep_scoring::Model;

use super::{print_json, set_threads, terminal};
use crate::args::SampleArgs;
use crate::failure::{Result, user};
use crate::outputs::{self, create_table};
use crate::progress::Phases;
use crate::terminal::facts;
use crate::{interrupt, model};

pub(super) fn sample(args: &SampleArgs) -> Result<()> {
    let terminal = terminal(&args.run, outputs::is_dash(&args.out))?;
    set_threads(args.run.threads)?;
    outputs::check(&[&args.model], &[Some(&args.out)])?;
    if args.rows == 0 {
        return Err(user("-n is 0; draw at least one row"));
    }
    let Model { detector, recipe } = model::load(&args.model)?;
    let schema = recipe.encoding.decode(&[])?.schema();
    let mut sink = create_table(&args.out, &schema, &args.run)?;

    let mut phases = Phases::new(terminal.quiet);
    let params = SampleParams::new().seed(args.seed);
    let rows = params.draw_rows_monitored(&detector, args.rows, &mut phases.monitor())?;
    phases.clear();
    interrupt::check()?;
    sink.write(&recipe.encoding.decode(&rows)?)?;
    sink.finish()?;

    if args.run.json {
        return print_json(&Summary { rows: args.rows });
    }
    terminal.show(&facts(&[("rows drawn", count(args.rows))]))
}

/// What was drawn.
#[derive(Serialize)]
struct Summary {
    rows: usize,
}
