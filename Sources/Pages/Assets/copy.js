// A button that copies a text which is shown once.
const button = document.querySelector("[data-copy]");

// Browsers without a secure connection have no clipboard.
button.hidden = !navigator.clipboard;
button.addEventListener("click", async () => {
  await navigator.clipboard.writeText(document.querySelector("[data-copied]").textContent);
  button.textContent = button.dataset.done;
});
