// Elements of the page, made and found. Texts of tables only ever become text.

/** @param {string} id */
export const by = id => document.getElementById(id);

/** An element with attributes and children. @param {string} name */
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** As make, for a figure. @param {string} name */
export function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A number with at most four digits, as a person reads it. @param {number} value */
export function short(value) {
  if (!Number.isFinite(value)) return "";
  return value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(4)));
}

/** "9.8 %". @param {number} share */
export const percent = share => `${(100 * share).toFixed(1)} %`;

/** Saves a file to the reader's disk. @param {string} name @param {Blob} body */
export function save(name, body) {
  const address = URL.createObjectURL(body);
  make("a", {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
