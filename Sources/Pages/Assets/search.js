// The search form of the board: results while the reader types, the listings near the reader, and a search of the cards
// on the device without a connection.
import { base, count, getPage, isCached, language, say, tell } from "./app.js";
import { list, replace } from "./board.js";
import { forget, nearMe, remembered } from "./near.js";
import "./suggestions.js";

const form = document.querySelector(".filters");
const field = (name) => form.elements[name];

/** Returns the filters of the form that are not empty, without the default order. */
function filters() {
  const values = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value) values.set(name, value);
  if (values.get("sort") === (values.has("lon") ? "distance" : "-created_at")) values.delete("sort");
  return values;
}

let request;
async function search() {
  const values = filters();
  const address = `${base}/board${values.size ? `?${values}` : ""}`;
  history.replaceState({}, "", address);
  showNear(Boolean(field("lon").value));
  request?.abort();
  request = new AbortController();
  try {
    const page = await getPage(address, { signal: request.signal });
    // The text is the code of a listing: the answer is its page. Its address would lead there again on the way back.
    const listing = page.querySelector("article.listing");
    if (!listing) return replace(page);
    history.replaceState({}, "", `${base}/board`);
    location.assign(`${base}/listings/${listing.dataset.id}`);
  } catch (error) {
    // `fetch` throws this error if the server cannot be reached. Other errors are answers, such as too many requests.
    if (error instanceof TypeError) searchDevice(values);
    else if (error.name !== "AbortError") tell(say("failed"));
  }
}

// A town is searched for when it is complete.
let timer;
form.addEventListener("input", ({ target }) => {
  clearTimeout(timer);
  if (target.name === "place") for (const name of ["lon", "lat"]) field(name).value = "";
  else if (!target.matches("select")) timer = setTimeout(search, 400);
});
form.addEventListener("change", ({ target }) => (target.name === "place" || target.matches("select")) && search());
form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(timer);
  search();
});

// The board begins with what is near the remembered position, unless the address contains a search.
function searchNear(position) {
  field("lon").value = position?.lon ?? "";
  field("lat").value = position?.lat ?? "";
  field("radius").value = position ? field("radius").value || "25000" : "";
  field("sort").value = position ? "distance" : "-created_at";
  if (position) field("place").value = "";
  return search();
}
const showNear = nearMe(document.querySelector("[data-near]"), searchNear);
showNear(Boolean(field("lon").value));
form.addEventListener("click", (event) => event.target.closest("[data-clear] a") && forget());

/** Returns the distance in metres between two points on a sphere. */
function distance(from, to) {
  const radians = Math.PI / 180;
  const [height, width] = [Math.sin(((to.lat - from.lat) * radians) / 2), Math.sin(((to.lon - from.lon) * radians) / 2)];
  const angle = height ** 2 + Math.cos(from.lat * radians) * Math.cos(to.lat * radians) * width ** 2;
  return 12_742_000 * Math.asin(Math.sqrt(Math.min(1, angle)));
}

/** Adds the distance from the remembered position to the cards that have none. */
function showDistances() {
  const from = remembered();
  if (!from) return;
  const [unit, length] = "miles" in document.documentElement.dataset ? ["mi", 1609.344] : ["km", 1000];
  for (const card of list().querySelectorAll(".card:not(:has(.distance))")) {
    const metres = distance({ lon: Number(from.lon), lat: Number(from.lat) }, { lon: Number(card.dataset.lon), lat: Number(card.dataset.lat) });
    const number = metres / length;
    const shown = number < 1 ? "< 1" : new Intl.NumberFormat(language, { maximumFractionDigits: number < 9.95 ? 1 : 0 }).format(number);
    const text = document.createElement("span");
    text.className = "distance";
    text.textContent = `${shown}\u00a0${unit}`;
    card.querySelector(".where")?.append(" · ", text);
  }
}
document.addEventListener("cards", showDistances);
showDistances();

const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const words = (text) => folded(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/** Returns whether a card on the device fulfils the filters, as far as the card tells. */
function matches(card, values) {
  const value = (name) => values.get(name) ?? "";
  const text = folded(card.textContent);
  const { lon, lat, species } = card.dataset;
  if (value("status") && !card.classList.contains(value("status"))) return false;
  if (value("species") && species !== value("species")) return false;
  for (const name of ["q", "breed"]) if (!words(value(name)).every((word) => text.includes(word))) return false;
  if (value("lon")) {
    const metres = distance({ lon: Number(value("lon")), lat: Number(value("lat")) }, { lon: Number(lon), lat: Number(lat) });
    return metres <= Number(value("radius") || 25_000);
  }
  const [town] = value("place").split("(");
  return words(town).every((word) => folded(card.querySelector(".where")?.textContent ?? "").includes(word));
}

/** Filters the cards on the device, and says that these are not all listings. */
function searchDevice(values) {
  let found = 0;
  for (const item of list().children) {
    item.hidden = !matches(item.querySelector(".card"), values);
    found += item.hidden ? 0 : 1;
  }
  document.querySelector("[data-next]")?.closest(".more").remove();
  document.getElementById("count").textContent = count("onDevice", found);
}

if (isCached && location.search) {
  // Without a connection, this is the board as it was last loaded, not the result of the search.
  const values = new URLSearchParams(location.search);
  for (const [name, value] of values) {
    if (field(name)?.type === "checkbox") field(name).checked = true;
    else if (field(name)) field(name).value = value;
  }
  searchDevice(values);
} else if (!location.search && remembered()) searchNear(remembered());
