// An area that the reader draws on the map, for an alert.

const most = 100;

/**
 * Lets the reader tap corners on the map; the form then has them as `polygon` instead of the box that is shown.
 * @param {HTMLFormElement} form with the fields `bbox` and `polygon`, and the parts of its button
 */
export function drawing(L, map, form) {
  const { bbox, polygon } = form.elements;
  const [toggle, hint] = [form.querySelector("[data-draw]"), form.querySelector("[data-draw-hint]")];
  const shape = L.polygon([], { className: "drawn", interactive: false });
  let corners;
  function update() {
    const isDrawing = corners !== undefined;
    const isArea = corners?.length >= 3;
    shape.setLatLngs(corners ?? []);
    hint.hidden = !isDrawing;
    toggle.setAttribute("aria-pressed", isDrawing);
    bbox.disabled = isArea;
    polygon.disabled = !isArea;
    polygon.value = (corners ?? []).map(({ lng, lat }) => `${lng.toFixed(5)},${lat.toFixed(5)}`).join(",");
    map.getContainer().classList.toggle("is-drawing", isDrawing);
  }
  toggle.addEventListener("click", () => {
    corners = corners ? undefined : [];
    if (corners) shape.addTo(map);
    else shape.remove();
    update();
  });
  map.on("click", ({ latlng }) => {
    if (!corners || corners.length >= most) return;
    corners.push(latlng.wrap());
    update();
  });
  toggle.hidden = false;
}
