// Two models on a table, or two tables under a model: shares flagged and p-values side by side.

import {by, percent} from "./elements.js";
import {pValueHistogram, tenths} from "./histogram.js";

const scored = rows => rows.filter(row => row.anomaly_score !== null);
const share = rows => rows.filter(row => row.is_anomaly).length / Math.max(1, rows.length);

/** @typedef {{words: string, rows: object[], same: boolean}} Other */

/** @param {object[]} rows @param {Other | null} other */
export function compare(rows, other) {
  const own = scored(rows), theirs = other && scored(other.rows);
  const p = found => found.map(row => row.p_value);
  const box = by("p-values");
  box.replaceChildren(pValueHistogram(box.clientWidth, p(own), theirs && p(theirs)));
  const small = found => percent(tenths(p(found))[0]);
  let words = `Flagged by the model's own threshold: ${percent(share(own))}; p-values of at most 0.1: ${small(own)}.`;
  if (other) {
    words += ` ${other.words} (line): flagged ${percent(share(theirs))}; p-values of at most 0.1: ${small(theirs)}.`;
    if (other.same) words += ` ${agreement(own, theirs)}`;
  }
  by("compared").textContent = words;
}

/** How two models agree on the rows of a table. */
function agreement(own, theirs) {
  const flagged = new Set(theirs.filter(row => row.is_anomaly).map(row => row.row));
  const ours = own.filter(row => row.is_anomaly);
  const both = ours.filter(row => flagged.has(row.row)).length;
  return `Both flag ${both} rows, only the first ${ours.length - both}, only the second ${flagged.size - both}.`;
}
