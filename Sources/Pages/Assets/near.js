// The position near which the reader searches. It is remembered on the device only.
import { devicePosition, say, tell } from "./app.js";

const key = "near";

/** The remembered position, or null. */
export const remembered = () => JSON.parse(localStorage.getItem(key) ?? "null");

export const forget = () => localStorage.removeItem(key);

/** Makes a button that asks for the position and remembers it.
 *
 * `choose` receives the position, or undefined when the reader presses the button again, which forgets the position.
 * Returns a function that shows whether the button is pressed. */
export function nearMe(button, choose) {
  const show = (isPressed) => button.setAttribute("aria-pressed", String(isPressed));
  if (!("geolocation" in navigator)) return show;
  button.hidden = false;
  button.addEventListener("click", async () => {
    if (button.getAttribute("aria-pressed") === "true") {
      forget();
      show(false);
      return choose(undefined);
    }
    button.disabled = true;
    try {
      const { longitude, latitude } = await devicePosition({ timeout: 15_000, maximumAge: 60_000 });
      // Three decimals are about 100 m: enough for a search, and less than an address.
      const position = { lon: longitude.toFixed(3), lat: latitude.toFixed(3) };
      localStorage.setItem(key, JSON.stringify(position));
      show(true);
      choose(position);
    } catch {
      tell(say("noPosition"));
    }
    button.disabled = false;
  });
  return show;
}
