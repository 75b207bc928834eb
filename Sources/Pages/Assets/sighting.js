// The form to say where a lost animal was seen. It is sent at once, or later when there is a connection.
import { base, isCached, say, showWaiting } from "./app.js";
import { keep, newKey, post } from "./outbox.js";
import { choosePosition } from "./position.js";
import "./photo-field.js";

start(document.querySelector("[data-sighting]"));

function start(form) {
  choosePosition(form, () => {});
  const isNew = "new" in form.dataset;
  if (isNew) begin(form);
  // A cached page needs a key of its own, or its sighting would count as a repetition of the previous one.
  if (isNew && isCached) form.elements.key.value = newKey();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
}

/** The times of the form are in the reader's time zone, not in that of the listing. */
function begin(form) {
  const now = new Date();
  form.elements.seen_at.value = new Date(now - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  form.elements.time_zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
}

async function send(form) {
  const button = form.querySelector("button[type=submit]");
  // A second tap sends nothing while the first one is on its way.
  if (button.disabled) return;
  const label = button.textContent;
  button.disabled = true;
  button.textContent = say("sending");
  const data = new FormData(form);
  const address = new URL(form.action);
  try {
    const answer = await post(address, data);
    if (answer.redirected) return location.assign(answer.url);
    return show(await answer.text());
  } catch {
    await wait(form, data, address.pathname.slice(base.length));
  }
  button.disabled = false;
  button.textContent = label;
}

/** Shows the server's page, which has the form with its errors. */
function show(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const main = document.adoptNode(page.querySelector("main"));
  document.querySelector("main").replaceWith(main);
  const form = main.querySelector("[data-sighting]");
  if (form) start(form);
  const problem = main.querySelector("[aria-invalid], [role=alert]") ?? main;
  problem.scrollIntoView({ block: "center" });
  main.querySelector("[aria-invalid]")?.focus({ preventScroll: true });
}

/** Keeps a sighting on the device until it can be sent, and says so. */
async function wait(form, data, path) {
  let notice = form.parentElement.querySelector("[data-kept]");
  if (!notice) {
    notice = document.createElement("p");
    notice.dataset.kept = "";
    notice.setAttribute("role", "status");
    form.before(notice);
  }
  try {
    await keep(data, path);
    notice.className = "notice done";
    notice.textContent = say("case.kept");
    form.reset();
    form.querySelector("[data-position]").textContent = "";
    begin(form);
    form.elements.key.value = newKey();
    await showWaiting();
  } catch {
    // Some browsers keep nothing in private windows.
    notice.className = "notice problem";
    notice.textContent = say("failed");
  }
  notice.scrollIntoView({ block: "center" });
}
