//! The claims of the paper beside what the runs say.

use super::chapter::{Chapter, Part};
use super::sheet::{Sheet, Value};
use crate::published::{Evidence, claims};

pub(super) fn chapter(evidence: &Evidence<'_>) -> Chapter {
    let mut sheet = Sheet::new(["the paper says", "where", "looked at", "outcome", "these runs"]);
    for claim in claims() {
        for verdict in claim.verdicts(evidence) {
            sheet.push(vec![
                Value::text(claim.text),
                Value::text(claim.place),
                Value::text(verdict.subject),
                Value::text(verdict.agreement.to_string()),
                Value::text(verdict.sentence),
            ]);
        }
    }
    let text = "Each configuration takes its place on the board without the other one. A method \
                without any result is not on the board.";
    let parts = vec![Part::text(text), Part::table("claims", sheet)];
    Chapter::new("What the paper says, and what these runs say", parts)
}
