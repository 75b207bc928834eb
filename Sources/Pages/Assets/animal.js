// The page of an animal: the map of its way.
const place = document.querySelector("[data-way]");
const { wayMap } = await import("./leaflet.js");
await wayMap(place, JSON.parse(place.dataset.way), place.dataset.status);
