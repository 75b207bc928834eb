// The list of the board: further pages while the reader scrolls, and live updates.
import { base, count, getPage } from "./app.js";

export const list = () => document.getElementById("cards");
const fresh = () => document.querySelector("[data-fresh]");
const cardOf = (item) => item.querySelector("[data-id]");
const idOf = (item) => cardOf(item).dataset.id;
const known = (id) => list().querySelector(`[data-id="${CSS.escape(id)}"]`)?.closest("li");

// The next page is loaded when its link comes near the viewport. After some pages the reader has to press the link, so
// that the footer can be reached.
const maxAutomaticPages = 3;
let automaticPages = 0;
let loading;
const nextLink = () => document.querySelector("[data-next]");
const follow = () => (loading ??= append().finally(() => (loading = undefined)));
async function append() {
  const link = nextLink();
  // Without a connection the link remains, so that the reader can follow it.
  const page = link && (await getPage(link.href).catch(() => undefined));
  if (!page || !link.isConnected) return;
  for (const item of page.querySelectorAll("#cards > li")) if (!known(idOf(item))) list().append(item);
  changed();
  const next = page.querySelector("[data-next]");
  if (!next) return link.closest(".more").remove();
  link.replaceWith(next);
  observe();
}
const watchEnd = new IntersectionObserver((entries) => {
  if (automaticPages >= maxAutomaticPages || !entries.some((entry) => entry.isIntersecting)) return;
  automaticPages += 1;
  follow();
}, { rootMargin: "600px" });
function observe() {
  const link = nextLink();
  if (!link) return;
  watchEnd.observe(link);
  link.addEventListener("click", (event) => {
    event.preventDefault();
    automaticPages = 0;
    follow();
  });
}
observe();

/** Runs when cards have been added or replaced. */
const changed = () => document.dispatchEvent(new CustomEvent("cards"));

// Browsers do not always keep a page that the reader goes back to. It is then loaded again as far as it was and scrolled.
// The limit keeps a long board from being requested page by page.
const maxRestored = 200;
addEventListener("pagehide", () => history.replaceState({ ...history.state, cards: list().children.length, top: scrollY }, ""));
async function restore({ cards: shown = 0, top = 0 }) {
  const wanted = Math.min(shown, maxRestored);
  if (list().children.length >= wanted) return;
  for (let count = -1; count < list().children.length && list().children.length < wanted; ) {
    count = list().children.length;
    await follow();
  }
  scrollTo(0, top);
}
restore(history.state ?? {});

/** Shows the results, heading and filters of another page of the board. */
export function replace(page) {
  for (const part of ["#results", ".heading", "[data-reading]", "[data-chosen]", "[data-clear]"]) {
    const [old, fresh] = [document.querySelector(part), page.querySelector(part)];
    if (old && fresh) old.replaceWith(document.adoptNode(fresh));
  }
  const feed = 'link[type="application/atom+xml"]';
  document.querySelector(feed)?.remove();
  if (page.querySelector(feed)) document.head.append(document.adoptNode(page.querySelector(feed)));
  document.title = page.title;
  waiting = [];
  automaticPages = 0;
  observe();
  changed();
  stream?.close();
  stream = undefined;
  if (list().dataset.live !== undefined) listen();
}

// Live updates: new listings wait above if the reader has scrolled down.
let waiting = [];
let timer;
function refreshSoon({ lastEventId }) {
  // The stream is resumed from this id if the page was hidden in the meantime.
  list().dataset.live = lastEventId;
  clearTimeout(timer);
  // A random delay spreads the requests of all clients.
  timer = setTimeout(refresh, 150 + Math.random() * 350);
}

async function refresh() {
  const page = await getPage(location.href).catch(() => undefined);
  if (!page) return;
  const items = [...page.querySelectorAll("#cards > li")];
  const order = items.map(idOf);
  const isLast = !page.querySelector("[data-next]");
  waiting = [];
  items.forEach((item, index) => {
    const old = known(order[index]);
    if (!old) waiting.push({ item, index });
    else if (cardOf(old).dataset.version !== cardOf(item).dataset.version) old.replaceWith(item);
  });
  // Listings that are no longer among the first ones were removed or moved down.
  const first = new Set(order);
  if (isLast) for (const item of [...list().children]) if (!first.has(idOf(item))) item.remove();
  document.querySelector(".empty")?.toggleAttribute("hidden", items.length > 0);
  changed();
  if (!waiting.length) fresh().hidden = true;
  else if (scrollY < 200) arrive(order);
  else {
    fresh().textContent = count("fresh", waiting.length);
    fresh().hidden = false;
    fresh().onclick = () => {
      arrive(order);
      scrollTo({ top: 0, behavior: "smooth" });
      list().querySelector("a")?.focus({ preventScroll: true });
    };
  }
}

/** Puts the waiting cards where the order of the board has them. */
function arrive(order) {
  for (const { item, index } of waiting.reverse()) {
    cardOf(item).classList.add("is-new");
    document.adoptNode(item);
    const after = order.slice(index + 1).map(known).find(Boolean);
    const before = order.slice(0, index).reverse().map(known).find(Boolean);
    if (after) after.before(item);
    else if (before) before.after(item);
    else list().prepend(item);
  }
  waiting = [];
  fresh().hidden = true;
  changed();
}

// The event may concern listings that are not on the page.
function removed(event) {
  const { id } = JSON.parse(event.data);
  list().dataset.live = event.lastEventId;
  known(id)?.remove();
  if (waiting.some(({ item }) => idOf(item) === id)) refreshSoon(event);
}

let stream;
function listen() {
  if (document.hidden) {
    stream?.close();
    stream = undefined;
    return;
  }
  if (stream) return;
  // The link of the page's feed contains the search parameters.
  const feed = document.querySelector('link[type="application/atom+xml"]');
  const search = new URLSearchParams(feed ? new URL(feed.href).search : "");
  search.set("last_event_id", list().dataset.live);
  stream = new EventSource(`${base}/v1/listings/stream?${search}`);
  for (const type of ["listing.created", "listing.updated", "reset"]) stream.addEventListener(type, refreshSoon);
  stream.addEventListener("listing.removed", removed);
}
if (list().dataset.live !== undefined) {
  let wasHidden = false;
  document.addEventListener("visibilitychange", () => {
    listen();
    if (!document.hidden && wasHidden) refresh();
    wasHidden = document.hidden;
  });
  addEventListener("pageshow", (event) => event.persisted && refresh());
  listen();
}
