// A fit to the table at hand: begun, watched, cancelled.

import {by, make} from "./elements.js";
import * as service from "./service.js";

const LOOK = 300;

export class Fitting {
  /** @param {(model: string) => Promise<void>} done @param {(error: Error) => void} failed */
  constructor(done, failed) {
    Object.assign(this, {done, failed, table: null, id: null});
    by("fit-start").addEventListener("click", () => this.start().catch(failed).finally(() => this.running(false)));
    by("fit-cancel").addEventListener("click", () => service.cancel(this.id).catch(failed));
  }

  /** @param {service.Table} table @param {string[]} columns */
  offer(table, columns) {
    this.table = table;
    by("fit").hidden = false;
    const none = make("option", {value: ""}, "none");
    by("fit-label").replaceChildren(none, ...columns.map(name => make("option", {value: name}, name)));
  }

  running(is) {
    by("fit-start").disabled = is;
    by("fit-progress").hidden = by("fit-cancel").hidden = !is;
  }

  async start() {
    this.running(true);
    let job = await service.fit(this.table, by("fit-label").value);
    this.id = job.id;
    while (job.status === "running") {
      const progress = by("fit-progress");
      if (job.of) Object.assign(progress, {max: job.of, value: job.done});
      else progress.removeAttribute("value");
      by("status").textContent = `Fitting: ${job.stage}`;
      await new Promise(go => setTimeout(go, LOOK));
      job = await service.fitted(this.id);
    }
    by("status").textContent = {done: "The model is fitted.", cancelled: "The fit was cancelled."}[job.status] ?? "";
    if (job.status === "failed") throw new Error(job.detail);
    if (job.status === "done") await this.done(job.model);
  }
}
