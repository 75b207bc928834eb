// Messages: the sender's place, and maps of the places in a conversation.
import { devicePosition, say } from "./app.js";
import "./photo-field.js";

const form = document.querySelector("[data-message]");
if (form && "geolocation" in navigator) offerPlace(form.elements, form.querySelector("[data-place-status]"));

function offerPlace({ lon, lat }, status) {
  const add = form.querySelector("[data-place-add]");
  const remove = form.querySelector("[data-place-remove]");
  const set = (x, y) => {
    [lon.value, lat.value] = [x, y];
    status.textContent = x ? status.dataset.set : "";
    [add.hidden, remove.hidden] = [Boolean(x), !x];
  };
  set(lon.value, lat.value);
  form.querySelector("[data-place]").hidden = false;
  add.addEventListener("click", async () => {
    add.disabled = true;
    status.textContent = say("locating");
    try {
      const { longitude, latitude } = await devicePosition({ enableHighAccuracy: true, timeout: 20_000 });
      set(longitude.toFixed(6), latitude.toFixed(6));
    } catch {
      status.textContent = status.dataset.failed;
    }
    add.disabled = false;
  });
  remove.addEventListener("click", () => {
    set("", "");
    add.focus();
  });
}

// A map is loaded when it comes into view.
const observer = new IntersectionObserver(async (entries) => {
  for (const { target } of entries.filter(({ isIntersecting }) => isIntersecting)) {
    observer.unobserve(target);
    const place = target.querySelector("[data-map]");
    const { smallMap } = await import("./leaflet.js");
    await smallMap(place, Number(place.dataset.lon), Number(place.dataset.lat), "sighted", false);
  }
}, { rootMargin: "300px" });
for (const place of document.querySelectorAll(".letters [data-map]")) observer.observe(place.parentElement);
