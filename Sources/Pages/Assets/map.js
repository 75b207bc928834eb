// The map of listings and, on request, of places of help.
import { base, getJSON, language, say, tell } from "./app.js";
import { addBase, area, leaflet, pin } from "./leaflet.js";

const place = document.getElementById("map");
const { dataset } = place;
const L = await leaflet({ clusters: true });
const remembered = JSON.parse(sessionStorage.getItem("map") ?? "null");
const start = dataset.lon ? { lon: Number(dataset.lon), lat: Number(dataset.lat), zoom: Number(dataset.zoom) } : remembered ?? { lon: 12.5, lat: 42, zoom: Number(dataset.zoom) };
const map = L.map(place, { minZoom: 2, maxZoom: 19, worldCopyJump: true }).setView([start.lat, start.lon], start.zoom);
map.zoomControl.setPosition("bottomright");
addBase(L, map);

const groups = L.markerClusterGroup({
  showCoverageOnHover: false,
  maxClusterRadius: 45,
  iconCreateFunction: (cluster) => pin(L, "group", String(cluster.getChildCount()), say("inArea", { n: cluster.getChildCount() })),
}).addTo(map);
const cells = L.layerGroup().addTo(map);
const help = L.layerGroup().addTo(map);

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
    cells.clearLayers();
    return;
  }
  const filter = `bbox=${box()}&status=${statuses.join(",")}`;
  const clusters = await getJSON(`/v1/listings/clusters?${filter}&zoom=${Math.round(map.getZoom())}`);
  const total = clusters.features.reduce((sum, { properties }) => sum + properties.count, 0);
  // Cell counts are approximate, so small results are fetched as single listings.
  const page = total <= 150 ? await getJSON(`/v1/listings?${filter}&limit=200`) : undefined;
  if (mine !== number) return;
  groups.clearLayers();
  cells.clearLayers();
  if (page) groups.addLayers(page.features.map(listingMarker));
  else for (const cell of clusters.features) clusterMarker(cell).addTo(cells);
  document.querySelector("[data-count]").textContent = say("inArea", { n: page?.features.length ?? total });
}

function listingMarker({ id, geometry, properties }) {
  const title = properties.name ?? properties.breed ?? "";
  const marker = L.marker(near(geometry.coordinates), { icon: pin(L, properties.status), title, alt: title, riseOnHover: true });
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

function clusterMarker({ geometry, properties }) {
  const short = new Intl.NumberFormat(language, { notation: "compact" }).format(properties.count);
  const marker = L.marker(near(geometry.coordinates), { icon: pin(L, "group", short), title: say("inArea", { n: properties.count }), alt: short });
  marker.on("click", () => map.setView(marker.getLatLng(), Math.min(19, map.getZoom() + 3)));
  return marker;
}

async function showHelp() {
  const categories = chosen("category");
  help.clearLayers();
  for (const category of categories) {
    const found = await getJSON(`/v1/pois?category=${category}&bbox=${box()}&limit=200`);
    for (const poi of found.features) {
      const { properties } = poi;
      const marker = L.marker(near(poi.geometry.coordinates), { icon: pin(L, "poi"), title: properties.name ?? "", alt: properties.name ?? "" });
      marker.bindPopup(() => helpCard(properties)).addTo(help);
    }
  }
}

function helpCard(poi) {
  const card = element("div");
  card.append(element("strong", poi.name ?? document.querySelector(`[data-layers] input[value=${poi.category}] + span`)?.textContent));
  if (poi.address) card.append(element("p", poi.address));
  if (poi.opening_hours) card.append(element("p", `${say("hours")}: ${poi.opening_hours}`));
  const links = element("p");
  const add = (label, href) => href && links.append(element("a", label, { href, rel: "noopener" }), " ");
  if (poi.phone) add(`${say("call")} ${poi.phone}`, `tel:${poi.phone.replace(/[^+\d]/g, "")}`);
  add(say("route"), poi.route_url);
  add(say("street"), poi.street_url);
  if (/^https?:/.test(poi.website ?? "")) add(say("website"), poi.website);
  card.append(links);
  return card;
}

const show = () => Promise.all([showListings(), showHelp()]).catch(() => tell(say("failed")));
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
  locate.addEventListener("click", () =>
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        const spot = [coords.latitude, coords.longitude];
        me ??= L.marker(spot, { icon: pin(L, "me"), title: say("you"), alt: say("you"), keyboard: false }).addTo(map);
        me.setLatLng(spot);
        map.setView(spot, 13);
        shownAt = map.getBounds();
        show();
      },
      () => tell(say("noPosition")),
      { timeout: 15_000, maximumAge: 60_000 },
    ),
  );
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
