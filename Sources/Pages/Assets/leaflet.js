// Maps with Leaflet: the tiles of the operator or of the service if they can be loaded, otherwise the bundled outlines.
import { base, say } from "./app.js";

function load(kind, name) {
  const present = document.querySelector(`[data-leaflet="${name}"]`);
  if (present) return present.loaded;
  const element = document.createElement(kind);
  element.dataset.leaflet = name;
  element.loaded = new Promise((resolve, reject) => {
    element.onload = resolve;
    element.onerror = reject;
  });
  if (kind === "link") {
    element.rel = "stylesheet";
    element.href = `${base}/leaflet/${name}`;
    // Our own styles must come after Leaflet's.
    document.head.prepend(element);
  } else {
    element.src = `${base}/leaflet/${name}`;
    document.head.append(element);
  }
  return element.loaded;
}

/** Returns Leaflet, with the cluster plug-in on request. */
export async function leaflet({ clusters = false } = {}) {
  const styles = [load("link", "leaflet.css")];
  await load("script", "leaflet.js");
  if (clusters) styles.push(load("link", "MarkerCluster.css"), load("script", "leaflet.markercluster.js"));
  await Promise.all(styles);
  return window.L;
}

let settings;
/** Returns the tile settings, which are fetched from the server once for all maps. */
async function mapSettings() {
  settings ??= fetch(`${base}/map/settings`, { headers: { Accept: "application/json" } }).then((response) => response.json()).catch(() => ({}));
  return settings;
}

/** Adds the base map to a map. */
export async function addBase(L, map) {
  const { tiles, attribution, basemap, outlines } = await mapSettings();
  // Below the tiles, of which some may be missing.
  map.createPane("outlines").style.zIndex = 150;
  const land = L.layerGroup().addTo(map);
  let shown = "";
  async function draw() {
    const bounds = map.getBounds().pad(0.1);
    const box = [Math.max(-180, bounds.getWest()), Math.max(-90, bounds.getSouth()), Math.min(180, bounds.getEast()), Math.min(90, bounds.getNorth())].map((value) => value.toFixed(2)).join(",");
    const query = `bbox=${box}&zoom=${Math.round(map.getZoom())}`;
    if (query === shown) return;
    shown = query;
    try {
      const response = await fetch(`${base}/map/outlines?${query}`);
      if (!response.ok) return;
      const shapes = await response.json();
      land.clearLayers();
      const dark = matchMedia("(prefers-color-scheme: dark)").matches;
      L.geoJSON(shapes, { interactive: false, pane: "outlines", style: { color: dark ? "#6f675e" : "#b5a797", weight: 1, fillColor: dark ? "#2a2622" : "#f6f1ea", fillOpacity: 1 }, attribution: outlines }).addTo(land);
    } catch {
      // The map still shows markers without a base map.
    }
  }
  const useOutlines = () => {
    draw();
    map.on("moveend", draw);
  };
  if (!tiles && !basemap) return useOutlines();
  const style = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const options = tiles ? { attribution: credit(attribution) } : { attribution: credit(outlines), className: "basemap", style };
  const layer = L.tileLayer(tiles ?? basemap, { ...options, maxZoom: 19, detectRetina: false });
  let failures = 0;
  layer.on("tileerror", () => {
    failures += 1;
    if (failures === 3) useOutlines();
  });
  layer.addTo(map);
}

/** Returns the attribution as HTML, which Leaflet requires, with the link that OpenStreetMap requires. */
function credit(text) {
  const line = document.createElement("span");
  line.textContent = text;
  return line.innerHTML.replace("OpenStreetMap", '<a href="https://www.openstreetmap.org/copyright">OpenStreetMap</a>');
}

const paw = '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" fill="currentColor"><ellipse cx="6" cy="9.500" rx="2" ry="2.700"/><ellipse cx="18" cy="9.500" rx="2" ry="2.700"/><ellipse cx="9.600" cy="5.200" rx="2" ry="2.800"/><ellipse cx="14.400" cy="5.200" rx="2" ry="2.800"/><path d="M12 11c-3 0-5.800 3.600-5.800 6.300 0 1.900 1.400 2.900 3 2.900 1.100 0 1.800-.6 2.800-.6s1.700.6 2.800.6c1.600 0 3-1 3-2.900C17.800 14.600 15 11 12 11z"/></svg>';
const dot = '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" fill="currentColor"><circle cx="12" cy="12" r="6"/></svg>';
const cross = '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" fill="currentColor"><path d="M9.500 3h5v6.500H21v5h-6.500V21h-5v-6.500H3v-5h6.500z"/></svg>';

/** Makes a map whose buttons speak the language of the page. */
export function makeMap(L, place, options = {}) {
  // With taps, Leaflet 1.7 simulates a second click in Safari, which closes a popup at once.
  // https://github.com/Leaflet/Leaflet/issues/7255
  const map = L.map(place, { maxZoom: 19, zoomControl: false, tap: false, ...options });
  map.zoomControl = L.control.zoom({ zoomInTitle: say("zoomIn"), zoomOutTitle: say("zoomOut") }).addTo(map);
  const isImperial = "miles" in document.documentElement.dataset;
  L.control.scale({ metric: !isImperial, imperial: isImperial, position: "topright" }).addTo(map);
  return map;
}

/** Returns a marker drawn with our own styles; kind is a status, `place`, `poi`, `me` or `group`. Screen readers tell its `label`. */
export function pin(L, kind, text = "", label = "") {
  const size = kind === "group" ? 44 : 38;
  const inner = text || ({ poi: cross, me: "", place: dot }[kind] ?? paw);
  const icon = L.divIcon({ className: "", html: `<div class="pin ${kind}">${inner}</div>`, iconSize: [size, size], iconAnchor: [size / 2, kind === "group" || kind === "poi" || kind === "me" ? size / 2 : size + 6], popupAnchor: [0, -size] });
  const { createIcon } = icon;
  icon.createIcon = (former) => {
    const drawn = createIcon.call(icon, former);
    if (label) Object.assign(drawn, { role: "button", ariaLabel: label, title: label });
    return drawn;
  };
  return icon;
}

/** Returns a circle of 354 m through the corners of a cell that is 500 m wide. It lies above the outlines, which
 * load later. */
export function area(L, centre, className = "area") {
  return L.circle(centre, { radius: 354, interactive: false, pane: "markerPane", className });
}

/** Shows the area of the site; without one, the country of most readers of the language; without that, Italy. */
export function showStart(map, zoom = 5) {
  const { mapArea } = document.documentElement.dataset;
  if (!mapArea) return map.setView([42, 12.5], zoom);
  const [west, south, east, north] = mapArea.split(",").map(Number);
  return map.fitBounds([[south, west], [north, east < west ? east + 360 : east]]);
}

/** Shows a map of one point, and of sightings: each a number, longitude, latitude, whether it is only an area, and
 * whether nobody has confirmed it. */
export async function smallMap(place, lon, lat, status, isArea, sightings = []) {
  const L = await leaflet();
  const map = makeMap(L, place, { scrollWheelZoom: false }).setView([lat, lon], 14);
  await addBase(L, map);
  if (isArea) area(L, [lat, lon]).addTo(map);
  else L.marker([lat, lon], { icon: pin(L, status), interactive: false, keyboard: false }).addTo(map);
  for (const [number, x, y, isCell, isUnconfirmed] of sightings) {
    if (isCell) area(L, [y, x], "area sighted").addTo(map);
    const kind = isUnconfirmed ? "sighted unconfirmed" : "sighted";
    L.marker([y, x], { icon: pin(L, kind, `<b>${Number(number)}</b>`), interactive: false, keyboard: false }).addTo(map);
  }
  if (sightings.length) map.fitBounds(L.latLngBounds([[lat, lon], ...sightings.map(([, x, y]) => [y, x])]).pad(0.2), { maxZoom: 14 });
  return map;
}

/** Shows the way of an animal: its places in the order of time, each a number, longitude, latitude, and whether it is only an
 * area. The last one has the pin of its status. */
export async function wayMap(place, way, status) {
  const L = await leaflet();
  const points = way.map(([, x, y]) => [y, x]);
  const map = makeMap(L, place, { scrollWheelZoom: false }).setView(points.at(-1), 14);
  await addBase(L, map);
  L.polyline(points, { interactive: false, pane: "markerPane", className: "way" }).addTo(map);
  for (const [number, x, y, isCell] of way) {
    if (isCell) area(L, [y, x], "area sighted").addTo(map);
    const kind = number === way.length ? status : "sighted";
    L.marker([y, x], { icon: pin(L, kind, `<b>${Number(number)}</b>`), interactive: false, keyboard: false, zIndexOffset: number }).addTo(map);
  }
  return map.fitBounds(L.latLngBounds(points).pad(0.2), { maxZoom: 15 });
}

/** Shows a map of an area: a circle, or corners as longitudes and latitudes. */
export async function areaMap(place, { lon, lat, radius, corners }) {
  const L = await leaflet();
  const style = { interactive: false, pane: "markerPane", className: "area" };
  const map = makeMap(L, place, { scrollWheelZoom: false, dragging: false }).setView([42, 12.5], 5);
  const numbers = corners?.split(",").map(Number) ?? [];
  const points = numbers.flatMap((number, index) => (index % 2 ? [[number, numbers[index - 1]]] : []));
  const layer = (corners ? L.polygon(points, style) : L.circle([Number(lat), Number(lon)], { ...style, radius: Number(radius) })).addTo(map);
  map.fitBounds(layer.getBounds(), { animate: false });
  await addBase(L, map);
}

/** Draws the circles of a search area, and shows those of 75 %. */
export function searchArea(L, map, items) {
  const circles = [...items].map(({ dataset }) => ({ share: dataset.circle, layer: L.circle([Number(dataset.lat), Number(dataset.lon)], { radius: Number(dataset.radius), interactive: false, pane: "markerPane", className: `searched share-${dataset.circle}` }) }));
  // The largest first, so that the others are above it.
  for (const { layer } of circles.toReversed()) layer.addTo(map);
  const bounds = circles.filter(({ share }) => share === "75").map(({ layer }) => layer.getBounds());
  if (bounds.length > 0) map.fitBounds(bounds.reduce((all, each) => all.extend(each)), { animate: false });
}

/** Shows a map on which a point is chosen; resolves with a function that moves the marker.
 *
 * Without a point, the map shows the surroundings of `start` (latitude and longitude), or the operator's area. */
export async function pickMap(place, lon, lat, choose, start) {
  const L = await leaflet();
  const map = makeMap(L, place);
  if (lon === undefined && start) map.setView(start, 14);
  else if (lon === undefined) showStart(map);
  else map.setView([lat, lon], 14);
  await addBase(L, map);
  let marker;
  const put = (lon, lat) => {
    marker ??= L.marker([lat, lon], { icon: pin(L, "lost"), keyboard: false }).addTo(map);
    marker.setLatLng([lat, lon]);
    map.setView([lat, lon], Math.max(map.getZoom(), 14));
  };
  if (lon !== undefined) put(lon, lat);
  map.on("click", ({ latlng }) => {
    const { lng, lat } = latlng.wrap();
    put(lng, lat);
    choose(lng, lat);
  });
  return put;
}
