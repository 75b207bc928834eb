// The account page: a button that shows a new password, so that it need not be typed twice.
import { say } from "./app.js";

for (const input of document.querySelectorAll("[data-reveal]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link";
  button.textContent = say("reveal");
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => {
    const isShown = input.type === "text";
    input.type = isShown ? "password" : "text";
    button.textContent = isShown ? say("reveal") : say("conceal");
    button.setAttribute("aria-pressed", String(!isShown));
  });
  input.closest("label").after(button);
  // Browsers offer to save a password only from an input of this type.
  input.form.addEventListener("submit", () => (input.type = "password"));
}
