// The search field: a combobox with suggestions while the reader types, and with the reader's last searches while it is empty.
// https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
import { base, count, language, say } from "./app.js";

// The last searches, on the device only.
const key = "searches";
const maxRecent = 5;
const recent = () => JSON.parse(localStorage.getItem(key) ?? "[]");

/** Remembers a text, unless it contains the number of a microchip. */
function remember(text) {
  if (!text || text.replace(/\D/g, "").length > 8) return;
  const others = recent().filter((one) => one.toLowerCase() !== text.toLowerCase());
  localStorage.setItem(key, JSON.stringify([text, ...others].slice(0, maxRecent)));
}

/** Further parameters of the suggestions: addresses near the middle of a map. */
function options() {
  if (!("addresses" in input.dataset)) return {};
  const { lon, lat } = JSON.parse(sessionStorage.getItem("map") ?? "{}");
  return { addresses: "true", ...(lon === undefined ? {} : { lon, lat }) };
}

/** The answers by what was typed. */
const answers = new Map();
let request;

/** Returns the suggestions for a text; undefined if another request has replaced this one. */
async function suggestions(text) {
  if (answers.has(text)) return answers.get(text);
  request?.abort();
  request = new AbortController();
  try {
    const values = new URLSearchParams({ lang: language, q: text, ...options() });
    const address = `${base}/v1/search/suggestions?${values}`;
    const response = await fetch(address, { signal: request.signal });
    if (!response.ok) return [];
    const found = (await response.json()).suggestions.map(({ q }) => q);
    answers.set(text, found);
    return found;
  } catch (error) {
    return error.name === "AbortError" ? undefined : [];
  }
}

const input = document.querySelector("[data-search]");
const popup = document.createElement("div");
const list = document.createElement("ul");
const forget = document.createElement("button");
const status = document.createElement("p");
let active = -1;

function build() {
  popup.className = "suggestions";
  popup.hidden = true;
  Object.assign(list, { id: "suggestions", role: "listbox", ariaLabel: say("suggestions") });
  Object.assign(forget, { type: "button", textContent: say("forgetRecent"), hidden: true });
  Object.assign(status, { role: "status", className: "visually-hidden" });
  popup.append(list, forget);
  input.closest(".combo").append(popup, status);
  input.autocomplete = "off";
  for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-controls": list.id, "aria-expanded": "false" }))
    input.setAttribute(name, value);
}

const isOpen = () => !popup.hidden;

function show(texts, areRecent) {
  list.replaceChildren(...texts.map((text, index) => {
    const option = document.createElement("li");
    Object.assign(option, { id: `suggestion-${index}`, role: "option", ariaSelected: "false", textContent: text });
    return option;
  }));
  list.ariaLabel = areRecent ? say("recent") : say("suggestions");
  forget.hidden = !areRecent;
  popup.hidden = !texts.length;
  input.setAttribute("aria-expanded", String(isOpen()));
  status.textContent = texts.length ? count("suggested", texts.length) : "";
  mark(-1);
}

const close = () => show([], false);

/** Marks the option that the enter key takes; -1 for the text itself. */
function mark(index) {
  list.children[active]?.setAttribute("aria-selected", "false");
  active = index;
  const option = list.children[index];
  option?.setAttribute("aria-selected", "true");
  option?.scrollIntoView({ block: "nearest" });
  if (option) input.setAttribute("aria-activedescendant", option.id);
  else input.removeAttribute("aria-activedescendant");
}

async function open() {
  const text = input.value.trimStart();
  if (!text) return show(recent(), true);
  const found = await suggestions(text);
  // The reader may have typed on, chosen, or left.
  if (found && text === input.value.trimStart() && document.activeElement === input) show(found, false);
}

function choose(text) {
  input.value = text;
  close();
  input.form.requestSubmit();
}

/** Moves the mark in a ring that the text itself is part of. */
function move(step) {
  const places = list.children.length + 1;
  mark(((active + 1 + step + places) % places) - 1);
}

/** Does what a key means for the list. Returns false if it means nothing here. */
function press(key) {
  if (key === "ArrowDown" || key === "ArrowUp") {
    if (isOpen()) move(key === "ArrowDown" ? 1 : -1);
    else open();
  } else if (key === "Enter" && active >= 0) choose(list.children[active].textContent);
  else if (key === "Escape" && isOpen()) close();
  else return false;
  return true;
}

if (input) {
  build();
  input.addEventListener("input", open);
  input.addEventListener("focus", () => !input.value && open());
  input.addEventListener("click", () => !isOpen() && open());
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (press(event.key)) event.preventDefault();
  });
  input.form.addEventListener("submit", () => {
    remember(input.value.trim());
    close();
  });
  input.addEventListener("change", () => remember(input.value.trim()));
  // The field keeps the focus while an option is pressed.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", ({ target }) => target.matches("[role=option]") && choose(target.textContent));
  forget.addEventListener("click", () => {
    localStorage.removeItem(key);
    input.focus();
    close();
  });
  input.closest(".combo").addEventListener("focusout", ({ relatedTarget }) => popup.contains(relatedTarget) || relatedTarget === input || close());
}
