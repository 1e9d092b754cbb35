// The ranked rows as a table of which only the part in view exists.

import {make, short} from "./elements.js";

const HEIGHT = 31, BEYOND = 8;

export class RowTable {
  /** @param {HTMLElement} box @param {(place: number) => void} choose */
  constructor(box, choose) {
    Object.assign(this, {box, choose, rows: [], columns: [], chosen: null, threshold: 0});
    const moved = () => this.part().some((end, i) => end !== this.painted?.[i]) && this.paint();
    box.addEventListener("scroll", moved);
    new ResizeObserver(moved).observe(box);
    box.addEventListener("keydown", event => this.press(event));
    box.addEventListener("click", event => {
      const row = event.target.closest("tr[data-place]");
      if (row) choose(Number(row.dataset.place));
    });
  }

  /** @param {object[]} rows @param {{name: string, key: string}[]} columns */
  show(rows, columns) {
    Object.assign(this, {rows, columns});
    this.box.scrollTop = 0;
    this.paint();
  }

  /** @param {number} threshold @param {number | null} chosen */
  mark(threshold, chosen) {
    const moved = chosen !== this.chosen;
    Object.assign(this, {threshold, chosen});
    if (moved && chosen !== null) this.reveal(chosen);
    this.paint();
  }

  press(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / HEIGHT) - 2);
    const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity};
    if (!(event.key in steps) || !this.rows.length) return;
    event.preventDefault();
    const from = this.chosen ?? -1;
    this.choose(Math.max(0, Math.min(this.rows.length - 1, from + steps[event.key])));
  }

  reveal(place) {
    const top = place * HEIGHT, room = this.box.clientHeight - 2 * HEIGHT;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (top > this.box.scrollTop + room) this.box.scrollTop = top - room;
  }

  /** The first row to be drawn, and the one after the last. */
  part() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / HEIGHT) - BEYOND);
    const seen = Math.ceil(this.box.clientHeight / HEIGHT) + 2 * BEYOND;
    return [first, Math.min(this.rows.length, first + seen)];
  }

  paint() {
    const [first, last] = this.painted = this.part();
    const heads = ["#", "row", "score", "p-value", "flagged", ...this.columns.map(column => column.name)];
    const head = make("tr", {}, ...heads.map((name, i) => make("th", {scope: "col", class: i < 4 ? "number" : ""}, name)));
    const body = make("tbody", {}, this.space(first));
    for (let place = first; place < last; place++) body.append(this.row(place));
    body.append(this.space(this.rows.length - last));
    const table = make("table", {role: "grid", "aria-rowcount": this.rows.length + 1, "aria-labelledby": "rows-title"},
      make("thead", {}, head), body);
    const chosen = table.querySelector("[aria-selected=true]");
    if (chosen) this.box.setAttribute("aria-activedescendant", chosen.id);
    this.box.replaceChildren(table);
  }

  space(rows) {
    const cell = make("td", {colspan: 5 + this.columns.length});
    cell.style.height = `${rows * HEIGHT}px`;
    return make("tr", {class: "space", "aria-hidden": "true"}, cell);
  }

  row(place) {
    const row = this.rows[place];
    const flagged = row.anomaly_score > this.threshold;
    const scored = row.anomaly_score !== null;
    const number = text => make("td", {class: "number"}, text);
    return make("tr", {
      id: `row-${place}`, "data-place": place, "aria-rowindex": place + 2, "aria-selected": place === this.chosen,
    },
      number(scored ? String(place + 1) : ""), number(String(row.id ?? row.row)),
      number(scored ? short(row.anomaly_score) : ""), number(scored ? short(row.p_value) : ""),
      make("td", flagged ? {class: "flagged"} : {}, scored ? (flagged ? "yes" : "no") : "not scored"),
      ...this.columns.map(column => make("td", {}, String(row[column.key] ?? ""))));
  }
}
