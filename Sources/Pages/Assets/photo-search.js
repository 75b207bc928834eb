// Starts the search by photo as soon as a photo is chosen.
import { say, tell } from "./app.js";
import { smaller } from "./photos.js";

const form = document.querySelector("[data-photo-search]");
const input = form.elements.photo;
input.addEventListener("change", async () => {
  if (!input.files.length) return;
  tell(say("recognising"));
  const files = new DataTransfer();
  files.items.add(await smaller(input.files[0]));
  input.files = files.files;
  form.requestSubmit();
});
