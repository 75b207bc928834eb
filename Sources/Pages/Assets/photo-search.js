// The search by photo: the photo is shrunk, and the position is that of the device, the remembered one, or a town.
import { base, say, tell } from "./app.js";
import { nearMe, remembered } from "./near.js";
import { keepPhoto } from "./outbox.js";
import { smaller } from "./photos.js";
import { recognise } from "./recognition.js";

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

async function usePhoto(photo) {
  const files = new DataTransfer();
  files.items.add(await smaller(photo));
  input.files = files.files;
  const image = new Image();
  image.src = URL.createObjectURL(input.files[0]);
  // Shown in place of a photo that the browser cannot decode, such as HEIC.
  image.alt = photo.name;
  document.querySelector("[data-previews]").replaceChildren(image);
  await Promise.all([keepPhoto(input.files[0]), recogniseChosen(input.files[0])]);
}
input.addEventListener("change", () => input.files.length && usePhoto(input.files[0]));

/** Uses a photo that another app has shared, which the service worker has kept. */
async function useShared() {
  const cache = await caches.open("shared");
  const kept = await cache.match(`${base}/shared-photo`);
  await cache.delete(`${base}/shared-photo`);
  if (!kept) return;
  const photo = await kept.blob();
  await usePhoto(new File([photo], "photo", { type: photo.type }));
}

// The breed is shown before the search, and can be corrected.
const { classification, breed } = form.elements;
const recognised = document.querySelector("[data-recognised]");
function show(text, id = "", name = "") {
  recognised.textContent = text;
  recognised.hidden = !text;
  classification.value = id;
  breed.value = name;
  breed.closest("label").hidden = !id;
}

async function recogniseChosen(photo) {
  show(say("recognising"));
  let found = { text: "" };
  try {
    found = await recognise(photo);
  } catch {
    // The server looks at the photo again when it is sent.
  }
  // Another photo may have been chosen meanwhile.
  if (input.files[0] === photo) show(found.text, found.id, found.breed);
}

form.addEventListener("submit", () => {
  // A photo that is recognised already need not be sent again.
  input.disabled = Boolean(classification.value);
  tell(say("recognising"));
});
window.addEventListener("pageshow", () => (input.disabled = false));

if (new URLSearchParams(location.search).has("shared") && "caches" in window) useShared();
