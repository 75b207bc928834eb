// Functions for every page: shows the offline state, sends waiting listings, suggests breeds and towns.
import { sendWaiting, waiting } from "./outbox.js";

const root = document.documentElement;
export const base = root.dataset.base;
export const assets = root.dataset.assets;
export const language = root.lang;
const texts = JSON.parse(document.getElementById("texts").textContent);

/** Returns a text in the page's language, with placeholders like {n} replaced. */
export function say(key, blanks = {}) {
  return Object.entries(blanks).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, value), texts[key] ?? key);
}

/** Returns the plural form of a text that fits a number. */
export function count(key, n) {
  return say(`${key}.${new Intl.PluralRules(language).select(n) === "one" ? "one" : "other"}`, { n });
}

/** Shows a message in a live region, so that screen readers read it too. */
export function tell(text) {
  const place = document.getElementById("waiting");
  place.textContent = text;
  place.hidden = !text;
}

export async function getJSON(path, options) {
  const response = await fetch(base + path, { headers: { Accept: "application/json", "Accept-Language": language }, ...options });
  if (!response.ok) throw new Error(`${response.status}`);
  return response.json();
}

function showConnection() {
  document.getElementById("offline").hidden = navigator.onLine;
}

export async function showWaiting() {
  const number = await waiting();
  tell(number ? count("waiting", number) : "");
}

async function send() {
  showConnection();
  if (!navigator.onLine) return;
  const { sent, refused } = await sendWaiting(base);
  if (!sent.length && !refused) return;
  await showWaiting();
  tell(refused ? say("refused") : say("sent"));
  if (sent.length) document.dispatchEvent(new CustomEvent("sent", { detail: sent }));
}

addEventListener("online", send);
addEventListener("offline", showConnection);
showConnection();
showWaiting().then(send);

// Times are shown in the reader's time zone.
for (const time of document.querySelectorAll(".listing time, .conversation time")) {
  time.textContent = new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, { dateStyle: "long", timeStyle: "short" }).format(new Date(time.dateTime));
}

const suggestions = {
  breeds: async (text) => (await getJSON(`/v1/breeds?limit=8&lang=${language}&q=${encodeURIComponent(text)}`)).breeds.map((breed) => breed.name),
  places: async (text) =>
    (await getJSON(`/v1/places?limit=8&lang=${language}&q=${encodeURIComponent(text)}`)).features.map(({ properties: place }) => {
      const name = place.comune ?? place.name ?? place.province ?? place.region;
      return place.province_code ? `${name} (${place.province_code})` : name;
    }),
};
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
