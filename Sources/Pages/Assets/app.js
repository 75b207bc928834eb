// Functions for every page: shows the offline state, sends waiting listings and sightings, suggests breeds and towns.
import { refused as refusedSightings, remove, sendWaiting, waiting } from "./outbox.js";

const root = document.documentElement;
export const base = root.dataset.base;
export const assets = root.dataset.assets;
export const language = root.lang;
export const locale = root.dataset.locale;
const texts = JSON.parse(document.getElementById("texts").textContent);

// Pages show times that belong to no place in the reader's time zone.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && !document.cookie.includes(`time_zone=${zone}`)) document.cookie = `time_zone=${zone}; path=${base || "/"}; max-age=31536000; samesite=lax`;

/** Returns a text in the page's language, with placeholders like {n} replaced. */
export function say(key, blanks = {}) {
  return Object.entries(blanks).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, value), texts[key] ?? key);
}

/** Returns the plural form of a text that fits a number, which is filled in as `text`. */
export function count(key, n, text = n) {
  const form = `${key}.${new Intl.PluralRules(language).select(n)}`;
  return say(texts[form] ? form : `${key}.other`, { n: text });
}

/** Shows a message in a live region, so that screen readers read it too. */
export function tell(text) {
  const place = document.getElementById("waiting");
  place.textContent = text;
  place.hidden = !text;
}

/** Returns the coordinates of the device. Some devices that do not know them give 0, 0. */
export async function devicePosition(options) {
  const { coords } = await new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(resolve, reject, options));
  if (coords.longitude === 0 && coords.latitude === 0) throw new Error("no position");
  return coords;
}

/** Fetches, and notes whether the server can be reached: it can be unreachable although the device has a connection. */
async function request(address, options) {
  try {
    const response = await fetch(address, options);
    setReachable(true);
    return response;
  } catch (error) {
    if (error.name !== "AbortError") setReachable(false);
    throw error;
  }
}

export async function getJSON(path, options) {
  const response = await request(base + path, { headers: { Accept: "application/json", "Accept-Language": language }, ...options });
  if (!response.ok) throw new Error(`${response.status}`);
  return response.json();
}

/** Returns a page of this site as a document. A page with an error that the reader can correct is a page, too. */
export async function getPage(address, options) {
  const response = await request(address, { headers: { Accept: "text/html" }, ...options });
  if (!response.ok && response.status !== 400) throw new Error(`${response.status}`);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

/** Whether the service worker took the page from its cache, because the server could not be reached. */
export const isCached = root.dataset.cached !== undefined;
let isReachable = !isCached;
let retry;
const retrySeconds = 10;

function setReachable(value) {
  clearTimeout(retry);
  if (!value) retry = setTimeout(() => request(`${base}/healthz`, { cache: "no-store" }).catch(() => {}), retrySeconds * 1000);
  if (value === isReachable) return;
  isReachable = value;
  showConnection();
  if (value) send();
}
if (isCached) setReachable(false);

function showConnection() {
  document.getElementById("offline").hidden = navigator.onLine && isReachable;
}

export async function showWaiting() {
  const { listings, sightings } = await waiting();
  tell([listings && count("waiting", listings), sightings && count("case.waiting", sightings)].filter(Boolean).join(" "));
}

/** Shows the sightings that the server has refused, with what was written, until the reader removes them. */
async function showRefused() {
  const place = document.getElementById("refused");
  const forms = await refusedSightings();
  place.replaceChildren(...forms.map(({ id, path, fields, refusal }) => {
    const line = document.createElement("p");
    const text = fields.find(([name]) => name === "text")?.[1];
    line.append(say("case.refused", { problem: refusal }), text ? ` “${text}” ` : " ");
    const link = document.createElement("a");
    link.href = base + path.replace(/\/sighting$/, "");
    link.textContent = say("open");
    const button = document.createElement("button");
    button.textContent = say("case.remove");
    button.addEventListener("click", () => remove(id).then(showRefused));
    line.append(link, " ", button);
    return line;
  }));
  place.hidden = !forms.length;
}

async function send() {
  showConnection();
  if (!navigator.onLine) return;
  const { sent, sightings, refused, refusedSightings, isDelayed } = await sendWaiting(base);
  if (refusedSightings) await showRefused();
  if (!sent.length && !refused && !sightings.length && !refusedSightings && !isDelayed) return;
  await showWaiting();
  if (refused || sent.length) tell(refused ? say("refused") : say("sent"));
  else if (isDelayed) tell(say("case.delayed"));
  else if (sightings.length) tell(say("case.sent"));
  if (sent.length) document.dispatchEvent(new CustomEvent("sent", { detail: sent }));
}

addEventListener("online", () => {
  request(`${base}/healthz`, { cache: "no-store" }).catch(() => {});
  send();
});
addEventListener("offline", showConnection);
showConnection();
showRefused();
showWaiting().then(send);

// Times are shown in the reader's time zone.
for (const time of document.querySelectorAll(".listing time, .conversation time")) {
  // A day is the same everywhere.
  if (!time.dateTime.includes("T")) continue;
  time.textContent = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "short" }).format(new Date(time.dateTime));
}

const suggestions = {
  breeds: async (text) => (await getJSON(`/v1/breeds?limit=8&lang=${language}&q=${encodeURIComponent(text)}`)).breeds.map((breed) => breed.name),
  places: async (text) => (await findPlaces(text)).filter((place) => !street(place)).map(townName),
  // Streets, too, where the form reads them.
  addresses: async (text) =>
    (await findPlaces(text)).map((place) => [[street(place), place.house_number].filter(Boolean).join(" "), townName(place)].filter(Boolean).join(", ")),
};

async function findPlaces(text) {
  return (await getJSON(`/v1/places?limit=8&lang=${language}&q=${encodeURIComponent(text)}`)).features.map((feature) => feature.properties);
}

const street = (place) => place.street ?? place.landmark;

function townName(place) {
  const name = place.comune ?? place.name ?? place.province ?? place.region;
  return place.province_code ? `${name} (${place.province_code})` : name;
}

for (const input of document.querySelectorAll("[data-suggest]")) {
  let timer;
  input.addEventListener("input", (event) => {
    clearTimeout(timer);
    // A value chosen from the list needs no suggestions.
    if (event.inputType === undefined || event.inputType === "insertReplacementText" || input.value.trim().length < 2) return;
    timer = setTimeout(async () => {
      const found = await suggestions[input.dataset.suggest](input.value.trim()).catch(() => []);
      input.list.replaceChildren(...[...new Set(found)].filter(Boolean).map((name) => new Option("", name)));
    }, 150);
  });
}

if ("serviceWorker" in navigator) navigator.serviceWorker.register(`${base}/sw.js`).catch(() => {});
