// The table of one's listings: keys to move between rows and to choose them.
import "./suggestions.js";

const rows = [...document.querySelectorAll("table.listings tbody tr")];
const boxes = rows.map((row) => row.querySelector("input[type=checkbox]"));
const scan = document.querySelector("[data-scan]");
const search = document.querySelector("[data-search]");
const all = document.querySelector("[data-all]");
const chosen = document.querySelector("[data-chosen]");
const bulk = document.querySelector("[data-bulk]");
const keys = document.querySelector("[data-keys]");

function show() {
  const count = boxes.filter((box) => box.checked).length;
  if (chosen) chosen.textContent = `: ${count}`;
  if (bulk) bulk.hidden = count === 0;
  if (all) {
    all.firstElementChild.checked = count > 0 && count === boxes.length;
    all.firstElementChild.indeterminate = count > 0 && count < boxes.length;
  }
}

function move(step) {
  const here = rows.findIndex((row) => row.contains(document.activeElement));
  const next = here < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, here + step));
  boxes[next]?.focus();
}

if (all) {
  all.hidden = false;
  all.addEventListener("change", (event) => {
    for (const box of boxes) box.checked = event.target.checked;
    show();
  });
}
if (keys) keys.hidden = false;
for (const box of boxes) box.addEventListener("change", show);
// Browsers restore the boxes when one goes back.
show();

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.matches("input:not([type=checkbox]), select, textarea");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  // A scanner types the number of a microchip and then presses Enter: the digits go to its field.
  if (/^[0-9]$/.test(event.key) && scan) {
    scan.value = "";
    scan.focus();
    return;
  }
  const row = rows.findIndex((row) => row.contains(document.activeElement));
  if (event.key === "/") search.focus();
  else if (event.key === "j" || (event.key === "ArrowDown" && row >= 0)) move(1);
  else if (event.key === "k" || (event.key === "ArrowUp" && row >= 0)) move(-1);
  else if (event.key === "x" && row >= 0) boxes[row].click();
  else return;
  event.preventDefault();
});
