// What is asked of the service. Every answer that is no success becomes an error with its sentence.

const KINDS = {
  csv: "text/csv", tsv: "text/tab-separated-values", parquet: "application/vnd.apache.parquet",
  arrow: "application/vnd.apache.arrow.file", feather: "application/vnd.apache.arrow.file",
  json: "application/json", jsonl: "application/x-ndjson", ndjson: "application/x-ndjson",
};
const OUTPUTS = "row,id,anomaly_score,p_value,is_anomaly,unscored,map_x,map_y";

/** @typedef {{name: string, body: Blob}} Table */

/** The content type of a file, by how its name ends. @param {string} name */
export function kindOf(name) {
  return KINDS[name.toLowerCase().split(".").pop()] ?? "application/octet-stream";
}

export class NeedsToken extends Error {}

/** @param {string} path @param {RequestInit} options */
async function ask(path, options = {}) {
  const token = sessionStorage.getItem("token");
  const headers = {...options.headers, ...(token ? {Authorization: `Bearer ${token}`} : {})};
  const answer = await fetch(path, {...options, headers});
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({detail: `the service answers ${answer.status}`}));
  if (answer.status === 401) throw new NeedsToken(problem.detail);
  throw new Error(problem.detail);
}

const path = (model, end = "") => `v1/models/${encodeURIComponent(model)}${end}`;
const asJson = async answer => (await answer).json();

/** All models, whether tables may be fitted, and whether there is an example. */
export const models = () => asJson(ask("v1/models"));

/** The example table. @returns {Promise<Table>} */
export const example = async () => ({name: "example.csv", body: await (await ask("v1/example")).blob()});

/** Every row with what was found of it and its own cells. @param {string} model @param {Table} table */
export const score = (model, table) => asJson(ask(path(model, `/score?keep=all&outputs=${OUTPUTS}`), {
  method: "POST", body: table.body,
  headers: {"Content-Type": kindOf(table.name), Accept: "application/json"},
}));

/** Why rows have their scores. @param {string} model @param {object[]} rows */
export const explain = (model, rows) => asJson(ask(path(model, "/explain"), {
  method: "POST", body: JSON.stringify(rows), headers: {"Content-Type": "application/json"},
}));

/** The file of a model. @param {string} model */
export const file = async model => (await ask(path(model, "/file"))).blob();

/** Begins a fit. @param {Table} table @param {string} label */
export const fit = (table, label) => asJson(ask(`v1/fits${label ? `?label=${encodeURIComponent(label)}` : ""}`, {
  method: "POST", body: table.body, headers: {"Content-Type": kindOf(table.name)},
}));

/** How far a fit is. @param {string} id */
export const fitted = id => asJson(ask(`v1/fits/${id}`));

/** Cancels a fit. @param {string} id */
export const cancel = id => asJson(ask(`v1/fits/${id}`, {method: "DELETE"}));
