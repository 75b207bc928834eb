// The form of a listing: photo first, position by GPS or map, a draft that is kept, and sending without a connection.
import { base, say, showWaiting, tell } from "./app.js";
import { choosePhotos } from "./chosen-photos.js";
import { dropDraft, keep, loadDraft, newKey, post, saveDraft, takePhoto } from "./outbox.js";
import { choosePosition } from "./position.js";
import { recognise } from "./recognition.js";

const form = document.querySelector("[data-post]");
const isNew = form.dataset.new !== undefined;
const field = (name) => form.elements[name];
const seen = field("last_seen_at");
/** Returns the value of the input for a time, in the reader's time zone. */
const localTime = (time) => new Date(time - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
if (seen.dataset.at) {
  // The time is shown in the reader's time zone, not the server's.
  seen.value = localTime(new Date(seen.dataset.at));
}
// The moment of opening the form, until the reader enters another one.
let now;
if (isNew && !seen.value) seen.value = now = localTime(new Date());
field("time_zone").value = Intl.DateTimeFormat().resolvedOptions().timeZone;

// Photos: the first one is classified by species and breed.
const recognised = document.querySelector("[data-recognised]");
const photos = choosePhotos((isOther) => {
  changed();
  if (isOther) fill(photos.list[0]);
});

function hint(text) {
  recognised.textContent = text;
  recognised.hidden = !text;
}

// What a photo has filled in gives way to the next photo; what the reader has entered stays.
const filled = {};
function fillIn(name, value, ...untouched) {
  if (![filled[name], ...untouched].includes(field(name).value)) return;
  field(name).value = filled[name] = value;
}

async function fill(photo) {
  hint(photo ? say("recognising") : "");
  if (!photo) return;
  try {
    const { species, breed, text } = await recognise(photo);
    // Another one may be the first one meanwhile.
    if (photo !== photos.list[0]) return;
    if (species) fillIn("species", species, "", "dog");
    if (species) fillIn("breed", breed ?? "", "");
    hint(text);
    changed();
  } catch {
    // Without a prediction, the user enters the breed.
    hint("");
  }
}

// A picker of the position, which exists before the draft is restored.
const position = choosePosition(form, () => changed());

// Draft: the content of the form is saved on the device as the user types.
let saving;
function changed() {
  if (!isNew) return;
  clearTimeout(saving);
  // A draft that is opened later has a time only if the reader entered one.
  saving = setTimeout(() => saveDraft(entries().filter(([name, value]) => name !== "last_seen_at" || value !== now)), 400);
}

function entries() {
  const data = new FormData(form);
  data.delete("photo");
  for (const photo of photos.list) data.append("photo", photo, photo.name || "photo.jpg");
  return [...data];
}

function restore(draft) {
  photos.set(draft.filter(([name]) => name === "photo").map(([, file]) => file));
  for (const [name, value] of draft) {
    if (["photo", "time_zone", "as"].includes(name)) continue;
    const control = field(name);
    if (!control) continue;
    if (control instanceof RadioNodeList || control.type === "radio") control.value = value;
    else if (control.type === "checkbox") control.checked = true;
    else control.value = value;
  }
  if (field("lon").value) position.textContent = say("positionSet");
  more.open ||= [...more.querySelectorAll("input:not([type=radio], [type=checkbox]), select, textarea")].some(({ value }) => value);
}

// A number on a listing of a lost animal is meant to be called, so it is shown unless the reader decides otherwise.
const phone = field("contact_phone");
const isShown = field("contact_phone_public");
const shownHint = document.querySelector("[data-shown]");
let isDecided = !isNew || isShown.checked;
function suggestShowing() {
  if (!isDecided) isShown.checked = Boolean(phone.value.trim()) && field("status").value === "lost";
  shownHint.hidden = isDecided || !isShown.checked;
}
isShown.addEventListener("change", () => {
  isDecided = true;
  suggestShowing();
});
phone.addEventListener("input", suggestShowing);
for (const option of field("status")) option.addEventListener("change", suggestShowing);

const more = document.querySelector("[data-more]");
const restored = document.querySelector("[data-draft]");
document.querySelector("[data-draft-discard]").addEventListener("click", async () => {
  await dropDraft();
  location.reload();
});
form.addEventListener("input", changed);
const complaint = ".notice.problem[role=alert]:not([hidden])";
if (isNew) {
  const given = new URLSearchParams(location.search);
  const photo = given.get("from") === "photo" ? await takePhoto() : undefined;
  // What the reader comes for is newer than the draft.
  const draft = photo ? undefined : await loadDraft();
  const isWorthIt = draft?.some(([name, value]) => value && !["key", "species", "time_zone", "version"].includes(name) && !name.startsWith("contact_"));
  // A form returned with errors already contains all values.
  if (!document.querySelector(complaint)) {
    if (isWorthIt) {
      restore(draft);
      if (given.has("status")) field("status").value = given.get("status");
      restored.hidden = false;
    } else field("key").value = newKey();
  }
  if (photo) {
    photos.set([photo]);
    changed();
    fill(photo);
  }
}

// Sending: immediately, or later when there is a connection.
const failure = document.querySelector("[data-failure]");
// The towns or points that the server offers. Choosing a town writes it into the field; typing drops them.
const towns = document.querySelector("[data-towns]");
towns.addEventListener("change", (event) => {
  if (event.target.name === "place_choice") field("place").value = event.target.value;
});
field("place").addEventListener("input", () => towns.replaceChildren());
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  // The button that makes a photo the first one has a name. The key "Enter" saves, as the large button does.
  const button = event.submitter?.name ? event.submitter : form.querySelector("button.primary");
  let label = [...button.childNodes];
  button.disabled = true;
  button.textContent = say("sending");
  failure.hidden = true;
  removeErrors();
  const data = new FormData();
  for (const [name, value] of entries()) data.append(name, value);
  if (button.name) data.append(button.name, button.value);
  try {
    const answer = isNew ? await post(`${base}/post`, data) : await fetch(form.action, { method: "POST", body: data, headers: { Accept: "text/html" } });
    if (answer.redirected) {
      await dropDraft();
      location.assign(answer.url);
      return;
    }
    // The errors are taken from the form in the server's response; photos chosen here are kept.
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const problem = page.querySelector(".notice.problem[role=alert]");
    towns.replaceChildren(...(page.querySelector("[data-towns]")?.childNodes ?? []));
    // If another device has saved a version in the meantime, the next attempt is based on that version.
    field("version").value = page.querySelector("[name=version]")?.value ?? field("version").value;
    if (field("as")) field("as").disabled = !page.querySelector("[name=as]");
    const next = page.querySelector("form.post button.primary");
    if (next && isNew) label = [...document.adoptNode(next).childNodes];
    if (!showLookalikes(page) && !showErrors(page)) fail(problem?.firstChild?.textContent.trim() || say("failed"));
  } catch {
    if (!isNew) fail(say("failed"));
    else {
      // Nobody is asked when it is sent later.
      data.set("same_as", "none");
      await keep(data);
      await dropDraft();
      form.reset();
      seen.value = now = localTime(new Date());
      photos.set([]);
      failure.className = "notice done";
      fail(say("saved"));
      field("key").value = newKey();
      await showWaiting();
    }
  }
  button.disabled = false;
  button.replaceChildren(...label);
});

/** Shows the missing animals about which the server asks. Returns whether there are any. */
function showLookalikes(page) {
  const asked = page.querySelector("[data-lookalikes] fieldset");
  document.querySelector("[data-lookalikes]")?.replaceChildren(...(asked ? [document.adoptNode(asked)] : []));
  if (!asked) return false;
  asked.scrollIntoView({ block: "start" });
  asked.focus({ preventScroll: true });
  return true;
}

function fail(text) {
  failure.textContent = text;
  failure.hidden = false;
  failure.scrollIntoView({ block: "center" });
}

function removeErrors() {
  for (const error of form.querySelectorAll(".error")) error.remove();
  for (const control of form.querySelectorAll("[aria-invalid]")) {
    control.removeAttribute("aria-invalid");
    control.removeAttribute("aria-describedby");
  }
}

/** Shows the error of the server's page beside the same field of this form, and focuses the field. Returns whether there
 * is one. */
function showErrors(page) {
  removeErrors();
  const error = page.querySelector("form.post .error");
  const control = error && page.querySelector(`[aria-describedby="${error.id}"]`);
  const own = control && (control.name ? form.querySelector(`[name="${control.name}"]`) : document.getElementById(control.id));
  if (!own) return false;
  own.setAttribute("aria-invalid", "true");
  own.setAttribute("aria-describedby", error.id);
  const fold = own.closest("details");
  if (fold) fold.open = true;
  (own.closest("label, [role=radiogroup]") ?? own).after(document.adoptNode(error));
  const target = own.matches("[role=radiogroup]") ? own.querySelector("input") : own;
  target.focus({ preventScroll: true });
  own.scrollIntoView({ block: "center" });
  return true;
}
document.addEventListener("sent", (event) => {
  failure.className = "notice done";
  failure.textContent = say("sent") + " ";
  const link = document.createElement("a");
  link.href = event.detail[0];
  link.textContent = say("open");
  failure.append(link);
  failure.hidden = false;
  tell("");
});
