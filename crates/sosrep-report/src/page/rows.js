"use strict";
for (const box of document.querySelectorAll(".rows")) {
  const body = box.querySelector("tbody");
  const rows = [...body.rows];
  const heads = [...box.querySelectorAll("thead th")];
  const search = box.querySelector("input");
  const count = box.querySelector("output");
  const texts = new Map(rows.map(row => [row, row.textContent.toLowerCase()]));
  const key = (row, column) => {
    const cell = row.cells[column];
    return "v" in cell.dataset ? Number(cell.dataset.v) : cell.textContent;
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b
      : String(a).localeCompare(String(b), "en", {numeric: true});
  const sort = (column, down) => {
    const sign = down ? -1 : 1;
    const sorted = rows.map((row, place) => [key(row, column), place, row]);
    sorted.sort((a, b) => sign * compare(a[0], b[0]) || a[1] - b[1]);
    body.append(...sorted.map(entry => entry[2]));
    heads.forEach((head, other) => {
      if (other === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
  };
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(word => word);
    let shown = 0;
    for (const row of rows) {
      row.hidden = !words.every(word => texts.get(row).includes(word));
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      sort(column, before ? before === "ascending" : head.dataset.first === "down");
    });
  });
  search.addEventListener("input", filter);
  box.querySelector("search").hidden = false;
}
