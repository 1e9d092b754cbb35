// One row: why it has its score, and what score it would have with other cells.

import {by, make, short} from "./elements.js";
import * as service from "./service.js";

const WAIT = 250;

export class RowView {
  /** @param {(error: Error) => void} failed */
  constructor(failed) {
    this.failed = failed;
    this.asked = 0;
    by("cells").addEventListener("submit", event => event.preventDefault());
    by("cells").addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.explain(), WAIT);
    });
    by("cells-reset").addEventListener("click", () => this.show(this.model, this.name, this.cells));
  }

  /** @param {object} model @param {string} name @param {Record<string, unknown>} cells */
  async show(model, name, cells) {
    Object.assign(this, {model, name, cells, before: null});
    by("row").hidden = false;
    by("row-title").textContent = `Row ${name}`;
    by("cells").replaceChildren(...model.columns.map((column, i) => {
      const field = make("input", {id: `cell-${i}`, value: cells[column.name] ?? "", "data-column": column.name,
        autocomplete: "off", ...(column.kind === "number" ? {inputmode: "decimal"} : {})});
      return make("label", {for: `cell-${i}`}, column.name, field);
    }));
    await this.explain();
  }

  /** The cells as they are in the form. */
  edited() {
    const cells = {};
    for (const field of by("cells").querySelectorAll("input")) {
      const before = this.cells[field.dataset.column] ?? "";
      field.classList.toggle("changed", field.value !== String(before));
      cells[field.dataset.column] = field.value === "" ? null : field.value;
    }
    return cells;
  }

  async explain() {
    const number = ++this.asked;
    try {
      const answer = await service.explain(this.model.name, [this.edited()]);
      // An answer to an earlier question may come late.
      if (number === this.asked) this.tell(answer);
    } catch (error) {
      if (number === this.asked) this.failed(error);
    }
  }

  tell({rows: [row], unscored: [without]}) {
    const verdict = by("verdict");
    if (!row) {
      verdict.textContent = `Cannot be scored: ${without.reason}.`;
      by("reasons").replaceChildren();
      return;
    }
    const above = row.anomaly_score > this.model.threshold;
    const change = this.before === null ? "" : `, ${short(this.before)} as it is`;
    this.before ??= row.anomaly_score;
    verdict.textContent = `Score ${short(row.anomaly_score)}${change}; p-value ${short(row.p_value)}: `
      + `${above ? "above" : "not above"} the model's threshold of ${short(this.model.threshold)}. `
      + `The most similar typical row has ${short(row.reference_score)}.`;
    const most = Math.max(...row.reasons.map(reason => Math.abs(reason.contribution)), 1e-9);
    const head = ["column", "value", "typical", "adds to the score"];
    const line = reason => {
      const bar = make("span", {class: reason.contribution < 0 ? "adds less" : "adds"});
      bar.style.width = `${7 * Math.abs(reason.contribution) / most}rem`;
      const cell = text => make("td", {class: "number"}, text);
      return make("tr", {}, make("th", {scope: "row"}, reason.column), cell(reason.value), cell(reason.typical),
        make("td", {}, bar, ` ${short(reason.contribution)}`));
    };
    by("reasons").replaceChildren(
      make("thead", {}, make("tr", {}, ...head.map((name, i) => make("th", {scope: "col", class: i === 1 || i === 2 ? "number" : ""}, name)))),
      make("tbody", {}, ...row.reasons.map(line)));
  }
}
