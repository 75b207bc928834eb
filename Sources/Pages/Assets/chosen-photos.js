// The photos that are chosen in the form of a listing: they are shrunk and shown, and can be put first or removed before they are sent.
import { say } from "./app.js";
import { smallerPhoto } from "./photos.js";

const most = 6;
const input = document.querySelector("[data-photos]");
const previews = document.querySelector("[data-previews]");
const notice = document.querySelector("[data-photo-notice]");

/** Calls `changed` when the reader adds, moves or removes photos, with whether another photo is the first one now. */
export function choosePhotos(changed) {
  let photos = [];

  function button(label, number, list) {
    const element = document.createElement("button");
    element.type = "button";
    element.textContent = label;
    element.setAttribute("aria-label", `${label}: ${say("photo", { n: number })}`);
    element.addEventListener("click", () => {
      change(list);
      // The button is gone, and the next one would remove a photo.
      input.focus();
    });
    return element;
  }

  function preview(photo, index) {
    const image = new Image();
    image.src = URL.createObjectURL(photo);
    image.alt = say("photo", { n: index + 1 });
    const others = photos.filter((other) => other !== photo);
    const figure = document.createElement("figure");
    figure.append(image);
    if (index > 0) figure.append(button(say("firstPhoto"), index + 1, [photo, ...others]));
    figure.append(button(say("removePhoto"), index + 1, others));
    return figure;
  }

  function set(list) {
    photos = list;
    for (const image of previews.querySelectorAll("img")) URL.revokeObjectURL(image.src);
    previews.replaceChildren(...photos.map(preview));
  }

  function change(list) {
    const first = photos[0];
    set(list);
    changed(photos[0] !== first);
  }

  input.addEventListener("change", async () => {
    const chosen = [...input.files];
    // The same file can be chosen again after it was removed.
    input.value = "";
    const some = await Promise.all(chosen.slice(0, most).map((file) => smallerPhoto(file)));
    const readable = some.filter(Boolean);
    const isTooMany = chosen.length > most || photos.length + readable.length > most;
    notice.textContent = readable.length < some.length ? say("noPhoto") : isTooMany ? say("tooMany") : "";
    change([...photos, ...readable].slice(0, most));
  });

  return { get list() { return photos; }, set };
}
