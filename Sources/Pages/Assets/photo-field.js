// The photo of a form: it is shrunk, and shown before it is sent.
import { smaller } from "./photos.js";

const input = document.querySelector("[data-photo]");
const previews = document.querySelector("[data-previews]");
input?.addEventListener("change", async () => {
  previews.replaceChildren();
  const [file] = input.files;
  if (!file) return;
  const photo = await smaller(file);
  // Another one may have been chosen meanwhile.
  if (input.files[0] !== file) return;
  if (photo !== file) {
    const list = new DataTransfer();
    list.items.add(photo);
    input.files = list.files;
  }
  const image = new Image();
  image.src = URL.createObjectURL(photo);
  // Shown in place of a photo that the browser cannot decode, such as HEIC.
  image.alt = photo.name;
  previews.append(image);
});
