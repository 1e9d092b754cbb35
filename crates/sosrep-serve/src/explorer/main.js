// The page: what is chosen, and what is shown of it. The choice is kept in the address after the #.

import {compare} from "./compare.js";
import {by, make, percent, save, short} from "./elements.js";
import {Fitting} from "./fitting.js";
import {range, scoreHistogram} from "./histogram.js";
import {RowMap} from "./map.js";
import {RowView} from "./row.js";
import {RowTable} from "./rows.js";
import * as service from "./service.js";

// What the service says of a row beside its own cells, which give way to these names.
const RESULTS = ["row", "id", "anomaly_score", "p_value", "is_anomaly", "unscored", "map_x", "map_y"];

const state = {
  models: [], model: null, table: null, rows: [], scores: [], columns: [], axis: null,
  threshold: 0, chosen: null, other: null, fits: false,
};
const hash = () => new URLSearchParams(location.hash.slice(1));

function failed(error) {
  by("status").textContent = "";
  by("fault").textContent = error.message;
  if (error instanceof service.NeedsToken) {
    by("access").hidden = false;
    by("token").focus();
  }
}

/** Does it, and tells the reader what went wrong if anything did. */
const attempt = work => async (...given) => {
  by("fault").textContent = "";
  try {
    await work(...given);
  } catch (error) {
    failed(error);
  }
};

function remember() {
  const kept = new URLSearchParams({model: state.model.name});
  if (state.threshold !== state.model.threshold) kept.set("threshold", short(state.threshold));
  if (state.chosen !== null) kept.set("row", state.rows[state.chosen].row);
  history.replaceState(null, "", `#${kept}`);
}

async function loadModels(wanted) {
  const {models, fits, example} = await service.models();
  by("access").hidden = true;
  Object.assign(state, {models, fits});
  by("example").hidden = !example;
  const options = () => models.map(model => make("option", {value: model.name}, model.name));
  by("model").replaceChildren(...options());
  by("other-model").replaceChildren(make("option", {value: ""}, "none"), ...options());
  if (models.length) await useModel(wanted ?? hash().get("model") ?? models[0].name);
}

async function useModel(name) {
  state.model = state.models.find(model => model.name === name) ?? state.models[0];
  by("model").value = state.model.name;
  const {report, columns, missing} = state.model;
  by("about").textContent = `Fitted to ${report.rows} rows; kernel ${report.kernel}, bandwidth ${short(report.bandwidth)}, `
    + `threshold ${short(state.model.threshold)}; missing values: ${missing}.`;
  by("columns").replaceChildren(
    make("thead", {}, make("tr", {}, ...["column", "kind"].map(name => make("th", {scope: "col"}, name)))),
    make("tbody", {}, ...columns.map(column =>
      make("tr", {}, make("th", {scope: "row"}, column.name), make("td", {}, column.kind)))));
  if (state.table) await useTable(state.table);
}

async function useTable(table) {
  state.table = table;
  by("status").textContent = `Scoring ${table.name} …`;
  if (state.fits) fitting.offer(table, await columnsOf(table));
  const rows = await service.score(state.model.name, table);
  rows.sort((a, b) => (b.anomaly_score ?? -Infinity) - (a.anomaly_score ?? -Infinity));
  const without = rows.filter(row => row.anomaly_score === null).length;
  const scores = rows.slice(0, rows.length - without).map(row => row.anomaly_score);
  by("status").textContent = `${table.name}: ${rows.length} rows${without ? `, ${without} of them not scored` : ""}.`;
  by("found").hidden = !scores.length;
  if (!scores.length) return;
  const keys = Object.keys(rows[0]).filter(key => !RESULTS.includes(key));
  Object.assign(state, {rows, scores, columns: keys.map(cellColumn), axis: range(scores), chosen: null, other: null});
  by("other-model").value = "";
  by("row").hidden = true;
  const slider = by("threshold");
  Object.assign(slider, {min: state.axis.low, max: state.axis.high});
  rowTable.show(rows, state.columns);
  drawComparison();
  const wanted = Number(hash().get("threshold") ?? NaN);
  setThreshold(Number.isFinite(wanted) && hash().get("model") === state.model.name ? wanted : state.model.threshold);
  const place = rows.findIndex(row => String(row.row) === hash().get("row"));
  if (place >= 0) await choose(place);
}

/** The name of a cell's column, of which the service may have changed the key. */
function cellColumn(key) {
  const name = key.replace(/^(input_)+/, "");
  return {key, name: RESULTS.includes(name) ? name : key};
}

/** The columns of a table as far as they can be told without reading it all. */
async function columnsOf(table) {
  if (!/\.(csv|tsv)$/i.test(table.name)) return [];
  const [line] = (await table.body.slice(0, 65_536).text()).split(/\r?\n/);
  return line.split(/[,;\t]/).map(name => name.replace(/^\ufeff?"|"$/g, "").trim());
}

function setThreshold(value) {
  state.threshold = value;
  const slider = by("threshold");
  slider.value = value;
  const above = state.scores.filter(score => score > value).length;
  const words = `${above} of ${state.scores.length} rows (${percent(above / state.scores.length)}) above ${short(value)}`;
  by("count").textContent = words;
  slider.setAttribute("aria-valuetext", words);
  drawHistogram();
  mark();
}

function drawHistogram() {
  const box = by("histogram");
  if (state.scores.length) box.replaceChildren(scoreHistogram(box.clientWidth, state.scores, state.axis, state.threshold));
}

function drawComparison() {
  if (state.rows.length) compare(state.rows, state.other);
}

function mark() {
  rowTable.mark(state.threshold, state.chosen);
  rowMap.show(state.rows, state.threshold, state.chosen);
  remember();
}

async function choose(place) {
  state.chosen = place;
  mark();
  const row = state.rows[place];
  const cells = Object.fromEntries(state.columns.map(({name, key}) => [name, row[key]]));
  await rowView.show(state.model, row.id ?? row.row, cells);
}

/** The scores as CSV, flagged by the threshold of the slider. */
function scoresAsCsv() {
  const named = state.rows.some(row => "id" in row);
  const cell = value => /[",\r\n]/.test(String(value ?? "")) ? `"${String(value).replaceAll('"', '""')}"` : String(value ?? "");
  const head = ["row", ...(named ? ["id"] : []), "anomaly_score", "p_value", "is_anomaly", "unscored"];
  const line = row => head.map(key => cell(key === "is_anomaly" && row.anomaly_score !== null
    ? row.anomaly_score > state.threshold : row[key])).join(",");
  const rows = [...state.rows].sort((a, b) => a.row - b.row);
  return `${head.join(",")}\n${rows.map(line).join("\n")}\n`;
}

async function compareWith(words, model, table, same) {
  by("compared").textContent = "Scoring …";
  state.other = {words, rows: await service.score(model, table), same};
  drawComparison();
}

const rowTable = new RowTable(by("rows"), attempt(choose));
const rowMap = new RowMap(by("map"), attempt(choose));
const rowView = new RowView(failed);
const fitting = new Fitting(loadModels, failed);
const open = attempt(file => file && useTable({name: file.name, body: file}));

by("model").addEventListener("change", attempt(() => useModel(by("model").value)));
by("file").addEventListener("change", () => open(by("file").files[0]));
by("example").addEventListener("click", attempt(async () => useTable(await service.example())));
by("threshold").addEventListener("input", () => setThreshold(Number(by("threshold").value)));
by("threshold-reset").addEventListener("click", () => setThreshold(state.model.threshold));
by("save-scores").addEventListener("click", () => save("scores.csv", new Blob([scoresAsCsv()], {type: "text/csv"})));
by("save-model").addEventListener("click", attempt(async () => save(`${state.model.name}.sosrep`, await service.file(state.model.name))));
by("other-model").addEventListener("change", attempt(async () => {
  const name = by("other-model").value;
  if (name) await compareWith(`Model ${name}`, name, state.table, true);
  else state.other = null;
  drawComparison();
}));
by("other-file").addEventListener("change", attempt(async () => {
  const [file] = by("other-file").files;
  if (file) await compareWith(file.name, state.model.name, {name: file.name, body: file}, false);
}));
by("access").addEventListener("submit", event => {
  event.preventDefault();
  sessionStorage.setItem("token", by("token").value);
  attempt(loadModels)();
});
const drop = by("drop");
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, event => {
    event.preventDefault();
    drop.classList.toggle("over", kind === "dragover");
    if (kind === "drop") open(event.dataTransfer.files[0]);
  });
}
new ResizeObserver(drawHistogram).observe(by("histogram"));
new ResizeObserver(drawComparison).observe(by("p-values"));
attempt(loadModels)();
