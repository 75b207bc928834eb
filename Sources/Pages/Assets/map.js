// The map of listings and, on request, of places of help.
import { base, count, devicePosition, getJSON, getPage, language, locale, say, tell } from "./app.js";
import { drawing } from "./drawing.js";
import { addBase, area, leaflet, makeMap, pin, showStart } from "./leaflet.js";
import "./suggestions.js";

const place = document.getElementById("map");
const { dataset } = place;
const L = await leaflet({ clusters: true });
const remembered = JSON.parse(sessionStorage.getItem("map") ?? "null");
const start = dataset.lon ? { lon: Number(dataset.lon), lat: Number(dataset.lat), zoom: Number(dataset.zoom) } : remembered;
const map = makeMap(L, place, { minZoom: 2, worldCopyJump: true });
if (start) map.setView([start.lat, start.lon], start.zoom);
else showStart(map, Number(dataset.zoom));
map.zoomControl.setPosition("bottomright");
addBase(L, map);

if (dataset.address) {
  const label = dataset.address;
  L.marker([start.lat, start.lon], { icon: pin(L, "place", "", label), title: label, keyboard: false }).addTo(map);
}

const inArea = (number, text) => count("inArea", number, text);
const groups = L.markerClusterGroup({
  showCoverageOnHover: false,
  maxClusterRadius: 45,
  iconCreateFunction: (cluster) => pin(L, "group", String(cluster.getChildCount()), inArea(cluster.getChildCount())),
}).addTo(map);
const cellMarkers = L.layerGroup().addTo(map);
/** The markers of single listings by id. */
const markers = new Map();
const help = L.layerGroup().addTo(map);

/** The words of the search that filter the listings. */
const words = dataset.words ? `&q=${encodeURIComponent(dataset.words)}` : "";
const chosen = (name) => [...document.querySelectorAll(`[data-layers] input[name=${name}]:checked`)].map((box) => box.value);
function box() {
  const bounds = map.getBounds();
  const width = bounds.getEast() - bounds.getWest();
  const west = width >= 360 ? -180 : ((((bounds.getWest() + 180) % 360) + 360) % 360) - 180;
  const east = width >= 360 ? 180 : west + width > 180 ? west + width - 360 : west + width;
  return [west, Math.max(-90, bounds.getSouth()), east, Math.min(90, bounds.getNorth())].map((value) => value.toFixed(5)).join(",");
}

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text ?? "";
  Object.assign(made, attributes);
  return made;
}

function near([lon, lat]) {
  // The copy of the world that is in view.
  const turns = Math.round((map.getCenter().lng - lon) / 360);
  return [lat, lon + turns * 360];
}

async function listingCard(id) {
  const response = await fetch(`${base}/listings/${id}/card`, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return document.adoptNode(page.querySelector(".card"));
}

let number = 0;
async function showListings() {
  const mine = ++number;
  const statuses = chosen("status");
  if (!statuses.length) {
    groups.clearLayers();
    cellMarkers.clearLayers();
    list.replaceChildren();
    return;
  }
  const area = `bbox=${box()}${words}`;
  const cells = await clusters(area, statuses);
  const total = cells.reduce((sum, { count }) => sum + count, 0);
  // Cell counts are approximate, so small results are fetched as single listings.
  const page = total <= 150 ? await getJSON(`/v1/listings?${area}&status=${statuses.join(",")}&limit=200`) : undefined;
  if (mine !== number) return;
  offerAlert();
  groups.clearLayers();
  cellMarkers.clearLayers();
  markers.clear();
  if (page) groups.addLayers(page.features.map(listingMarker));
  else for (const cell of cells) clusterMarker(cell).addTo(cellMarkers);
  document.querySelector("[data-count]").textContent = inArea(page?.features.length ?? total);
  await showList(`${area}&status=${statuses.join(",")}`, mine);
}

drawing(L, map, document.querySelector("[data-map-offer]"));

/** The button saves the shown area as an alert. An alert across half of the world would help nobody. */
function offerAlert() {
  const form = document.querySelector("[data-map-offer]");
  const bounds = map.getBounds();
  form.elements.bbox.value = box();
  form.hidden = bounds.getEast() - bounds.getWest() > 10;
}

/** Returns the cells with their number of listings and, if all have the same one, their status. */
async function clusters(area, statuses) {
  const zoom = Math.round(map.getZoom());
  const answers = await Promise.all(statuses.map((status) => getJSON(`/v1/listings/clusters?${area}&zoom=${zoom}&status=${status}`)));
  const cells = new Map();
  answers.forEach(({ features }, index) => {
    for (const { bbox, geometry, properties } of features) {
      const key = bbox.join();
      const cell = cells.get(key);
      if (!cell) cells.set(key, { bbox, point: geometry.coordinates, count: properties.count, status: statuses[index] });
      else {
        const all = cell.count + properties.count;
        cell.point = cell.point.map((value, axis) => (value * cell.count + geometry.coordinates[axis] * properties.count) / all);
        cell.count = all;
        cell.status = undefined;
      }
    }
  });
  return [...cells.values()];
}

// The list beside the map. Pointing at a card marks its pin, and pointing at a pin marks its card.
const list = document.getElementById("cards");
async function showList(filter, mine) {
  const page = await getPage(`${base}/map/cards?${filter}`);
  if (mine !== number) return;
  list.replaceChildren(...page.querySelectorAll("li"));
  document.querySelector("[data-empty]").hidden = list.children.length > 0;
}
function mark(id, isMarked) {
  list.querySelector(`[data-id="${CSS.escape(id)}"]`)?.classList.toggle("is-marked", isMarked);
  const marker = markers.get(id);
  // A pin inside of a group has no element, so the group is marked.
  const shown = marker && (groups.getVisibleParent(marker) ?? marker);
  shown?.getElement()?.querySelector(".pin")?.classList.toggle("is-marked", isMarked);
}
for (const [enter, leave] of [["mouseover", "mouseout"], ["focusin", "focusout"]]) {
  list.addEventListener(enter, ({ target }) => target.closest(".card") && mark(target.closest(".card").dataset.id, true));
  list.addEventListener(leave, ({ target }) => target.closest(".card") && mark(target.closest(".card").dataset.id, false));
}

/** What screen readers tell of a pin. */
function named(status, name) {
  return { lost: say("pin.lost", { name }), found: say("pin.found", { name }), sighted: say("pin.sighted", { name }) }[status];
}

function listingMarker({ id, geometry, properties }) {
  const { name, breed, place: town, status } = properties;
  const label = named(status, [name ?? breed, town].filter(Boolean).join(", "));
  const marker = L.marker(near(geometry.coordinates), { icon: pin(L, status, "", label), riseOnHover: true });
  markers.set(id, marker);
  marker.on("mouseover", () => mark(id, true)).on("mouseout", () => mark(id, false));
  const popup = element("div", "…");
  marker.bindPopup(popup, { autoPanPadding: [20, 20] });
  if (properties.location_precision === "approximate") {
    const around = area(L, near(geometry.coordinates));
    marker.on("popupopen", () => around.addTo(map));
    marker.on("popupclose", () => around.remove());
  }
  marker.on("popupopen", async () => {
    if (popup.firstElementChild) return;
    popup.replaceChildren(await listingCard(id));
    marker.getPopup().update();
  });
  return marker;
}

/** A cell with one listing is shown as its pin. */
function clusterMarker({ bbox, point, count, status }) {
  const short = new Intl.NumberFormat(language, { notation: "compact" }).format(count);
  const icon = count === 1 && status ? pin(L, status, "", named(status, short)) : pin(L, "group", short, inArea(count, short));
  const marker = L.marker(near(point), { icon });
  marker.on("click", async () => {
    if (count > 1) return map.setView(marker.getLatLng(), Math.min(19, map.getZoom() + 3));
    const { features } = await getJSON(`/v1/listings?bbox=${bbox}${words}&status=${status}&limit=1`);
    if (features.length) marker.bindPopup(await listingCard(features[0].id), { autoPanPadding: [20, 20] }).openPopup();
  });
  return marker;
}

async function showHelp() {
  const categories = chosen("category");
  help.clearLayers();
  for (const category of categories) {
    const found = await getJSON(`/v1/pois?category=${category}&bbox=${box()}&limit=200`);
    for (const poi of found.features) {
      const { properties } = poi;
      const marker = L.marker(near(poi.geometry.coordinates), { icon: pin(L, "poi", "", properties.name ?? say("pin.poi")) });
      marker.bindPopup(() => helpCard(properties)).addTo(help);
      if ("streetPictures" in dataset) marker.on("popupopen", ({ popup }) => showStreetPictures(poi.id, popup.getElement()));
    }
  }
}

function helpCard(poi) {
  const card = element("div");
  card.append(element("strong", poi.name ?? document.querySelector(`[data-layers] input[value=${poi.category}] + span`)?.textContent));
  if (poi.address) card.append(element("p", poi.address));
  if (poi.opening_state) card.append(element("p", openingText(poi)));
  if (poi.opening_hours) card.append(element("p", `${say("hours")}: ${poi.opening_hours}`, { class: "hint" }));
  const links = element("p");
  const add = (label, href) => href && links.append(element("a", label, { href, rel: "noopener" }), " ");
  if (poi.phone) add(`${say("call")} ${poi.phone}`, `tel:${poi.phone_e164 ?? poi.phone.replace(/[^+\d]/g, "")}`);
  add(say("route"), poi.route_url);
  if (/^https?:/.test(poi.website ?? "")) add(say("website"), poi.website);
  add(say("street"), poi.street_url);
  links.lastElementChild.dataset.street = "";
  card.append(links);
  return card;
}

/** The same as `Localizer.opening`. */
function openingText(poi) {
  if (poi.opening_state === "unknown") return say("opening.unknown");
  const isOpen = poi.opening_state === "open";
  const until = poi.opening_state_until && new Date(poi.opening_state_until);
  if (!until && isOpen) return say("opening.always");
  const hours = (until - new Date()) / 3.6e6;
  if (!until || hours > 144 || (!isOpen && poi.opening_next !== "open")) return isOpen ? say("opening.open") : say("opening.closed");
  const show = (options) => new Intl.DateTimeFormat(locale, { ...options, timeZone: poi.time_zone }).format(until);
  const blanks = { clock: show({ hour: "numeric", minute: "2-digit" }), day: show({ weekday: "long" }) };
  if (hours < 12) return isOpen ? say("opening.openUntil", blanks) : say("opening.closedUntil", blanks);
  return isOpen ? say("opening.openUntilDay", blanks) : say("opening.closedUntilDay", blanks);
}

/** Renames or hides the link to street pictures. It is the last link and keeps its space, so that no link moves. */
async function showStreetPictures(id, popup) {
  const { likely } = await getJSON(`/v1/pois/${id}/street-pictures`).catch(() => ({}));
  const link = popup.querySelector("[data-street]");
  // The new text is shorter and could fit into the line above.
  link.style.minWidth = `${link.getBoundingClientRect().width}px`;
  if (likely) link.textContent = say("streetPictures");
  if (likely === false) link.style.visibility = "hidden";
}

/** Without a connection, shows the listings of the cards below the map. */
function showCards() {
  groups.clearLayers();
  for (const card of document.querySelectorAll("#cards .card")) {
    const { lon, lat } = card.dataset;
    const status = ["lost", "found", "sighted"].find((name) => card.classList.contains(name));
    if (!status) continue;
    const marker = L.marker(near([Number(lon), Number(lat)]), { icon: pin(L, status, "", named(status, card.querySelector("h2").textContent)) });
    marker.bindPopup(() => card.cloneNode(true));
    groups.addLayer(marker);
  }
}
const show = () => Promise.all([showListings(), showHelp()]).catch((error) => (error instanceof TypeError ? showCards() : tell(say("failed"))));
const again = document.querySelector("[data-area]");
// Moving the map shows a button for a new search; the present results remain.
let shownAt = map.getBounds();
map.on("moveend", () => {
  const { lng, lat } = map.getCenter().wrap();
  sessionStorage.setItem("map", JSON.stringify({ lon: lng, lat, zoom: map.getZoom() }));
  again.hidden = shownAt.pad(0.05).contains(map.getBounds()) && shownAt.pad(-0.3).getNorth() <= map.getBounds().getNorth();
});
again.addEventListener("click", () => {
  again.hidden = true;
  shownAt = map.getBounds();
  show();
});
const layers = document.querySelector("[data-layers]");
layers.hidden = false;
layers.addEventListener("change", (event) => (event.target.name === "status" ? showListings() : showHelp()).catch(() => tell(say("failed"))));
show();

let me;
const locate = document.querySelector("[data-locate]");
if ("geolocation" in navigator) {
  locate.hidden = false;
  locate.addEventListener("click", async () => {
    const coords = await devicePosition({ timeout: 15_000, maximumAge: 60_000 }).catch(() => undefined);
    if (!coords) return tell(say("noPosition"));
    const spot = [coords.latitude, coords.longitude];
    me ??= L.marker(spot, { icon: pin(L, "me"), title: say("you"), alt: say("you"), keyboard: false }).addTo(map);
    me.setLatLng(spot);
    map.setView(spot, 13);
    shownAt = map.getBounds();
    show();
  });
}

// Live updates: new listings are added to the map.
let timer;
const stream = new EventSource(`${base}/v1/listings/stream`);
for (const type of ["listing.created", "listing.updated", "listing.removed", "reset"]) {
  stream.addEventListener(type, () => {
    clearTimeout(timer);
    timer = setTimeout(() => showListings().catch(() => {}), 500 + Math.random() * 1000);
  });
}
addEventListener("pagehide", () => stream.close());
