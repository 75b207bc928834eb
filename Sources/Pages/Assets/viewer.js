// The photos of a listing in a dialog: by swiping, by the arrow keys and by buttons. Without scripts, links lead to them.
import { say } from "./app.js";

const links = [...document.querySelectorAll(".photos a")];
links.forEach((link, number) => link.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open(number);
}));

function open(first) {
  const dialog = make("dialog", { className: "viewer", ariaLabel: say("photos") });
  const strip = make("div", { className: "strip", tabIndex: 0, role: "group", ariaLabel: say("photos") });
  strip.append(...links.map((link) => make("img", { src: link.href, alt: link.querySelector("img").alt })));
  const counter = make("p", { className: "counter", role: "status" });
  const previous = button("previous", say("previous"), "‹", () => show(current() - 1));
  const next = button("next", say("next"), "›", () => show(current() + 1));
  dialog.append(strip, counter, previous, next, button("close", say("close"), "×", () => dialog.close()));

  const current = () => Math.round(strip.scrollLeft / strip.clientWidth);
  const show = (number) => strip.scrollTo({ left: number * strip.clientWidth, behavior: "instant" });
  const update = () => {
    const number = current();
    const text = `${number + 1} / ${links.length}`;
    if (counter.textContent !== text) counter.textContent = text;
    previous.disabled = number === 0;
    next.disabled = number === links.length - 1;
  };
  strip.addEventListener("scroll", update);
  dialog.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    show(current() + step);
  });
  // The phone's key "Back" closes the dialog, which has an entry of the history of its own.
  const back = () => dialog.close();
  history.pushState({ viewer: true }, "");
  addEventListener("popstate", back);
  // The browser returns the focus to the link.
  dialog.addEventListener("close", () => {
    removeEventListener("popstate", back);
    if (history.state?.viewer) history.back();
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
  strip.focus();
  show(first);
  update();
}

function button(className, label, sign, act) {
  const button = make("button", { type: "button", className, ariaLabel: label, textContent: sign });
  button.addEventListener("click", act);
  return button;
}

function make(name, properties) {
  return Object.assign(document.createElement(name), properties);
}
