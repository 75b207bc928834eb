// The page of a listing: the small map, the photos and sharing.
import { base } from "./app.js";
import "./share.js";
import "./viewer.js";

// The way back leads to the search that the reader comes from.
const from = document.referrer && new URL(document.referrer);
if (from && from.origin === location.origin && [`${base}/board`, `${base}/map`].includes(from.pathname)) document.querySelector(".crumb a").href = from.pathname + from.search;

const place = document.querySelector("[data-map]");
new IntersectionObserver(async (entries, observer) => {
  if (!entries.some((entry) => entry.isIntersecting)) return;
  observer.disconnect();
  const { smallMap, searchArea } = await import("./leaflet.js");
  const map = await smallMap(place, Number(place.dataset.lon), Number(place.dataset.lat), place.dataset.status, "area" in place.dataset, JSON.parse(place.dataset.sightings ?? "[]"));
  searchArea(window.L, map, document.querySelectorAll("[data-circle]"));
  const section = document.querySelector("[data-tracks]");
  if (section) (await import("./tracks.js")).tracks(window.L, map, section);
}, { rootMargin: "300px" }).observe(place.parentElement);
