// The search by photo: the photo is shrunk, and the position is that of the device, the remembered one, or a town.
import { say, tell } from "./app.js";
import { nearMe, remembered } from "./near.js";
import { smaller } from "./photos.js";

const form = document.querySelector("[data-photo-search]");
const { photo: input, place, lon, lat } = form.elements;
function choose(position) {
  lon.value = position?.lon ?? "";
  lat.value = position?.lat ?? "";
  if (position) place.value = "";
}
const showNear = nearMe(document.querySelector("[data-near]"), choose);
if (remembered() && !place.value) choose(remembered());
showNear(Boolean(lon.value));
place.addEventListener("input", () => {
  choose(undefined);
  showNear(false);
});

input.addEventListener("change", async () => {
  if (!input.files.length) return;
  const files = new DataTransfer();
  files.items.add(await smaller(input.files[0]));
  input.files = files.files;
  const image = new Image();
  image.src = URL.createObjectURL(input.files[0]);
  image.alt = "";
  document.querySelector("[data-previews]").replaceChildren(image);
  // The search begins at once if the page knows where.
  if (lon.value || place.value) form.requestSubmit();
});
form.addEventListener("submit", () => tell(say("recognising")));
