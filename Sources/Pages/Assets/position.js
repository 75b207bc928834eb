// The position in a form: by GPS, on the map, or by the name of a town.
import { base, devicePosition, language, say } from "./app.js";

/** Returns the centre of the cell that is published, computed as on the server (`Coordinate.cellCentre`). */
function cellCentre(lon, lat) {
  const height = 0.0045;
  const middle = (Math.min(Math.floor((lat + 90) / height), 180 / height - 1) + 0.5) * height - 90;
  const columns = Math.max(1, Math.round((360 * Math.cos((middle * Math.PI) / 180)) / height));
  return [((Math.min(Math.floor(((lon + 180) * columns) / 360), columns - 1) + 0.5) * 360) / columns - 180, middle];
}

/** Makes the buttons of a form choose the position, and calls `changed` after each choice. Returns the element that says
 * what was chosen. */
export function choosePosition(form, changed) {
  const field = (name) => form.elements[name];
  const position = form.querySelector("[data-position]");
  const locate = form.querySelector("[data-locate]");
  const picker = form.querySelector("[data-picker]");
  let picked;

  async function setPosition(lon, lat) {
    field("lon").value = lon.toFixed(6);
    field("lat").value = lat.toFixed(6);
    position.textContent = position.dataset.set ?? say("positionSet");
    picked?.(lon, lat);
    // Points to choose from are those of the previous position.
    form.querySelector("[data-towns]")?.replaceChildren();
    changed();
    try {
      // The exact position is not put into a URL, because proxies and servers log URLs.
      const [x, y] = cellCentre(lon, lat);
      const response = await fetch(`${base}/v1/places/reverse?lon=${x.toFixed(6)}&lat=${y.toFixed(6)}&lang=${language}`);
      const place = await response.json();
      if (place.comune) field("place").value = place.province_code ? `${place.comune} (${place.province_code})` : place.comune;
      changed();
    } catch {
      // The server determines the place when it receives the form.
    }
  }

  if ("geolocation" in navigator) {
    locate.hidden = false;
    locate.addEventListener("click", async () => {
      locate.disabled = true;
      position.textContent = say("locating");
      try {
        const { longitude, latitude } = await devicePosition({ enableHighAccuracy: true, timeout: 20_000 });
        setPosition(longitude, latitude);
      } catch {
        position.textContent = say("noPosition");
      }
      locate.disabled = false;
    });
  }
  picker.hidden = false;
  picker.addEventListener("toggle", async () => {
    if (!picker.open || picked) return;
    const { pickMap } = await import("./leaflet.js");
    const start = picker.dataset.lon ? [Number(picker.dataset.lat), Number(picker.dataset.lon)] : undefined;
    picked = await pickMap(picker.querySelector("[data-pick]"), Number(field("lon").value) || undefined, Number(field("lat").value) || undefined, setPosition, start);
  });
  // A typed town replaces the point that was set before.
  field("place").addEventListener("input", () => {
    field("lon").value = "";
    field("lat").value = "";
    position.textContent = "";
  });
  return position;
}
