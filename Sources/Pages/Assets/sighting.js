// The form to say where a lost animal was seen.
import { say } from "./app.js";
import { choosePosition } from "./position.js";

const form = document.querySelector("[data-sighting]");
choosePosition(form, () => {});

// The times of the form are in the reader's time zone, not in that of the listing.
const seen = form.elements.seen_at;
const now = new Date();
if ("new" in form.dataset) seen.value = new Date(now - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
if ("new" in form.dataset || form.elements.time_zone.value) form.elements.time_zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;

// A second tap sends nothing while the first one is on its way.
form.addEventListener("submit", (event) => {
  const button = form.querySelector("button[type=submit]");
  if (button.disabled) return event.preventDefault();
  button.disabled = true;
  button.textContent = say("sending");
});
