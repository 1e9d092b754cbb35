// The map: a point a row on a canvas, triangles above the threshold, a ring around the chosen one.

const EDGE = 12, NEAR = 20;

/** @typedef {{map_x: number | null, map_y: number | null, anomaly_score: number | null}} Row */

export class RowMap {
  /** @param {HTMLCanvasElement} canvas @param {(place: number) => void} choose */
  constructor(canvas, choose) {
    this.canvas = canvas;
    this.rows = [];
    canvas.addEventListener("click", event => {
      const box = canvas.getBoundingClientRect();
      const place = this.nearest(event.clientX - box.left, event.clientY - box.top);
      if (place !== null) choose(place);
    });
    new ResizeObserver(() => this.paint()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.paint());
  }

  /** @param {Row[]} rows @param {number} threshold @param {number | null} chosen */
  show(rows, threshold, chosen) {
    if (rows !== this.rows) this.bounds = bounds(rows);
    Object.assign(this, {rows, threshold, chosen});
    this.paint();
  }

  place(row) {
    const {left, right, low, high} = this.bounds;
    const {width, height} = this.canvas.getBoundingClientRect();
    const along = (value, from, to, size) => {
      const share = Math.max(0, Math.min(1, (value - from) / (to - from || 1)));
      return EDGE + share * (size - 2 * EDGE);
    };
    return [along(row.map_x, left, right, width), height - along(row.map_y, low, high, height)];
  }

  nearest(x, y) {
    let best = null, least = NEAR;
    this.rows.forEach((row, place) => {
      if (row.map_x === null) return;
      const [a, b] = this.place(row);
      const distance = Math.hypot(a - x, b - y);
      if (distance < least) [best, least] = [place, distance];
    });
    return best;
  }

  paint() {
    const {canvas, rows} = this;
    const box = canvas.getBoundingClientRect();
    if (!rows.length || !box.width) return;
    const scale = devicePixelRatio;
    canvas.width = box.width * scale;
    canvas.height = box.height * scale;
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    const colour = name => getComputedStyle(canvas).getPropertyValue(`--${name}`);
    const above = rows.filter(row => row.anomaly_score > this.threshold).length;
    canvas.setAttribute("aria-label", `Map of ${rows.length} rows, ${above} of them above the threshold`);
    pen.globalAlpha = rows.length > 5000 ? 0.4 : 0.8;
    // The strangest last, so that they are on top.
    for (let i = rows.length - 1; i >= 0; i--) {
      if (rows[i].map_x === null) continue;
      const [x, y] = this.place(rows[i]);
      const flagged = rows[i].anomaly_score > this.threshold;
      pen.fillStyle = colour(flagged ? "accent" : "bar");
      pen.beginPath();
      if (flagged) {
        pen.moveTo(x, y - 5);
        pen.lineTo(x + 4.5, y + 3.5);
        pen.lineTo(x - 4.5, y + 3.5);
      } else {
        pen.arc(x, y, 2.5, 0, 2 * Math.PI);
      }
      pen.fill();
    }
    const chosen = rows[this.chosen];
    if (chosen && chosen.map_x !== null) {
      const [x, y] = this.place(chosen);
      pen.globalAlpha = 1;
      pen.strokeStyle = colour("line");
      pen.lineWidth = 2.5;
      pen.beginPath();
      pen.arc(x, y, 9, 0, 2 * Math.PI);
      pen.stroke();
    }
  }
}

/** The middle 99 % of the rows with room around; what is beyond is drawn at the edge. @param {Row[]} rows */
function bounds(rows) {
  const ends = key => {
    const values = rows.map(row => row[key]).filter(value => value !== null).sort((a, b) => a - b);
    const at = share => values[Math.floor(share * (values.length - 1))] ?? 0;
    const [low, high] = [at(0.005), at(0.995)];
    const room = 0.15 * (high - low) || 1;
    return [Math.max(values[0] ?? 0, low - room), Math.min(values[values.length - 1] ?? 1, high + room)];
  };
  const [left, right] = ends("map_x"), [low, high] = ends("map_y");
  return {left, right, low, high};
}
