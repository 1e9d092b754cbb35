// Histograms: of scores, with the part above the threshold, and of p-values, of one table or two.

import {draw, percent, short} from "./elements.js";

const HEIGHT = 150, FOOT = 18, BINS = 48, TENTHS = 10;

/** Where the axis of scores ends: tails that would press the rest together share the last bin.
 *  @param {number[]} scores descending */
export function range(scores) {
  const at = share => scores[Math.min(scores.length - 1, Math.floor(share * scores.length))];
  const low = scores[scores.length - 1], high = at(0.01) + 3 * (at(0.25) - at(0.75));
  return {low, high: Math.max(Math.min(scores[0], high), low + 1e-9), cut: scores[0] > high};
}

/** @param {number} room the width in pixels @param {number[]} scores @param {{low: number, high: number, cut: boolean}} axis
 *  @param {number} threshold */
export function scoreHistogram(room, scores, axis, threshold) {
  const step = (axis.high - axis.low) / BINS;
  const below = new Array(BINS).fill(0), above = new Array(BINS).fill(0);
  for (const score of scores) {
    const bin = Math.max(0, Math.min(BINS - 1, Math.floor((score - axis.low) / step)));
    (score > threshold ? above : below)[bin] += 1;
  }
  const top = Math.max(...below.map((count, i) => count + above[i]));
  const y = count => HEIGHT - (HEIGHT - 8) * Math.sqrt(count / top);
  const width = room / BINS;
  const figure = frame(room, `Histogram of ${scores.length} scores from ${short(axis.low)} to ${short(scores[0])}`);
  for (let i = 0; i < BINS; i++) {
    const bar = (kind, from, to) => from < to && figure.append(draw("rect", {
      class: kind, x: i * width + 0.5, width: width - 1, y: y(to), height: y(from) - y(to),
    }));
    bar("below", 0, below[i]);
    bar("above", below[i], below[i] + above[i]);
  }
  const x = Math.max(0, Math.min(room, (threshold - axis.low) / step * width));
  figure.append(draw("line", {class: "cut", x1: x, x2: x, y1: 0, y2: HEIGHT}));
  figure.append(draw("text", {x: 0, y: HEIGHT + FOOT - 4}, short(axis.low)));
  const end = short(axis.high) + (axis.cut ? " and above" : "");
  figure.append(draw("text", {x: room, y: HEIGHT + FOOT - 4, "text-anchor": "end"}, end));
  const scale = "height: square root of the count";
  figure.append(draw("text", {x: room / 2, y: HEIGHT + FOOT - 4, "text-anchor": "middle"}, scale));
  return figure;
}

/** Share of the p-values in each tenth. @param {number[]} values */
export function tenths(values) {
  const counts = new Array(TENTHS).fill(0);
  for (const p of values) counts[Math.max(0, Math.min(TENTHS - 1, Math.ceil(p * TENTHS) - 1))] += 1;
  return counts.map(count => count / Math.max(1, values.length));
}

/** @param {number} room the width in pixels @param {number[]} values @param {number[] | null} others */
export function pValueHistogram(room, values, others) {
  const first = tenths(values), second = others ? tenths(others) : null;
  const top = Math.max(0.2, ...first, ...(second ?? []));
  const y = share => HEIGHT - (HEIGHT - 12) * share / top;
  const width = room / TENTHS;
  const words = second ? `, and ${percent(second[0])} of those compared` : "";
  const figure = frame(room, `Histogram of p-values: ${percent(first[0])} are at most 0.1${words}`);
  first.forEach((share, i) => figure.append(draw("rect", {
    class: "below", x: i * width + 1, width: width - 2, y: y(share), height: HEIGHT - y(share),
  })));
  if (second) {
    const steps = second.map((share, i) => `${i ? "L" : "M"}${i * width} ${y(share)}H${(i + 1) * width}`);
    figure.append(draw("path", {class: "other", d: steps.join("")}));
  }
  figure.append(draw("line", {class: "even", x1: 0, x2: room, y1: y(0.1), y2: y(0.1)}));
  for (const tick of [0, 0.5, 1]) {
    const anchor = tick === 0 ? "start" : tick === 1 ? "end" : "middle";
    figure.append(draw("text", {x: tick * room, y: HEIGHT + FOOT - 4, "text-anchor": anchor}, String(tick)));
  }
  return figure;
}

function frame(room, label) {
  return draw("svg", {viewBox: `0 0 ${room} ${HEIGHT + FOOT}`, width: room, height: HEIGHT + FOOT, role: "img", "aria-label": label});
}
