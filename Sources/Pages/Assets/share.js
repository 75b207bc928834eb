// Sharing the address of a listing with the device's share dialog, and copying it.
import { say, tell } from "./app.js";

const address = document.querySelector(".address input").value;

const share = document.querySelector("[data-share]");
share.hidden = !navigator.share;
share.addEventListener("click", () => {
  // The promise is rejected if the user cancels the dialog.
  navigator.share({ title: share.dataset.title, url: address }).catch(() => {});
});

const copy = document.querySelector("[data-copy]");
// Browsers without a secure connection have no clipboard.
copy.hidden = !navigator.clipboard;
copy.addEventListener("click", async () => {
  await navigator.clipboard.writeText(address);
  tell(say("copied"));
});
