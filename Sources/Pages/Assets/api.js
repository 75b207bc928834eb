// A button at each example that copies it.
import { say } from "./app.js";

/** How long a button tells that it has copied, in ms. */
const told = 2_000;

function addButton(example) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = say("copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(example.textContent);
    // The focus is on the button, so that screen readers tell its new name.
    button.textContent = say("exampleCopied");
    setTimeout(() => (button.textContent = say("copy")), told);
  });
  example.parentElement.append(button);
}

// Browsers without a secure connection have no clipboard.
if (navigator.clipboard) document.querySelectorAll(".api pre > code").forEach(addButton);
