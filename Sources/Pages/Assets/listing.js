// The page of a listing: the small map, and sharing with the device's share dialog.
import { say, tell } from "./app.js";

const button = document.querySelector("[data-share]");
if (button) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const url = document.querySelector("link[rel=canonical]").href;
    try {
      if (navigator.share) await navigator.share({ title: button.dataset.title, url });
      else {
        await navigator.clipboard.writeText(url);
        tell(say("copied"));
      }
    } catch {
      // The user cancelled the dialog.
    }
  });
}

const place = document.querySelector("[data-map]");
new IntersectionObserver(async (entries, observer) => {
  if (!entries.some((entry) => entry.isIntersecting)) return;
  observer.disconnect();
  const { smallMap } = await import("./leaflet.js");
  await smallMap(place, Number(place.dataset.lon), Number(place.dataset.lat), place.dataset.status, "area" in place.dataset);
}, { rootMargin: "300px" }).observe(place.parentElement);
