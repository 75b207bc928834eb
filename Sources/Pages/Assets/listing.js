// The page of a listing: the small map, and sharing with the device's share dialog.
import { say, tell } from "./app.js";
import "./viewer.js";

const address = document.querySelector("link[rel=canonical]").href;

const share = document.querySelector("[data-share]");
share.hidden = !navigator.share;
share.addEventListener("click", () => {
  // The promise is rejected if the user cancels the dialog.
  navigator.share({ title: share.dataset.title, url: address }).catch(() => {});
});

const copy = document.querySelector("[data-copy]");
// Browsers without a secure connection have no clipboard.
copy.hidden = !navigator.clipboard;
copy.addEventListener("click", async () => {
  await navigator.clipboard.writeText(address);
  tell(say("copied"));
});

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
