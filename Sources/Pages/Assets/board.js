// Live updates and infinite scrolling of the board.
import { base, count, say, tell } from "./app.js";

const cards = document.getElementById("cards");
const fresh = document.querySelector("[data-fresh]");

async function load(address) {
  const response = await fetch(address, { headers: { Accept: "text/html" } });
  if (!response.ok) throw new Error(`${response.status}`);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

const cardOf = (item) => item.querySelector("[data-id]");
const known = (id) => cards.querySelector(`[data-id="${CSS.escape(id)}"]`)?.closest("li");

// Infinite scrolling: the next page is loaded when its link comes near the viewport.
let next = document.querySelector("[data-next]");
let loading;
const follow = () => (loading ??= append().finally(() => (loading = undefined)));
async function append() {
  const link = next;
  // Without a connection the link remains, so that the user can follow it.
  const page = link && (await load(link.href).catch(() => undefined));
  if (!page) return;
  for (const item of page.querySelectorAll("#cards > li")) if (!known(cardOf(item).dataset.id)) cards.append(item);
  next = page.querySelector("[data-next]");
  if (next) {
    link.replaceWith(next);
    watchEnd.observe(next);
  } else link.closest(".more").remove();
}
const watchEnd = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && follow(), { rootMargin: "600px" });
if (next) watchEnd.observe(next);

// Browsers do not always keep a page that the user goes back to. It is then loaded again as far as it was and scrolled.
// The limit keeps a long board from being requested page by page.
const maxRestored = 200;
addEventListener("pagehide", () => history.replaceState({ ...history.state, cards: cards.children.length, top: scrollY }, ""));
async function restore({ cards: shown = 0, top = 0 }) {
  const wanted = Math.min(shown, maxRestored);
  if (cards.children.length >= wanted) return;
  for (let count = -1; count < cards.children.length && cards.children.length < wanted; ) {
    count = cards.children.length;
    await follow();
  }
  scrollTo(0, top);
}
restore(history.state ?? {});

// Live updates: new listings wait above if the reader has scrolled down.
let waiting = [];
let timer;
function refreshSoon({ lastEventId }) {
  // The stream is resumed from this id if the page was hidden in the meantime.
  cards.dataset.live = lastEventId;
  clearTimeout(timer);
  // A random delay spreads the requests of all clients.
  timer = setTimeout(refresh, 150 + Math.random() * 350);
}

async function refresh() {
  const page = await load(location.href).catch(() => undefined);
  if (!page) return;
  const items = [...page.querySelectorAll("#cards > li")];
  const isLast = !page.querySelector("[data-next]");
  waiting = [];
  for (const item of items) {
    const card = cardOf(item);
    const old = known(card.dataset.id);
    if (!old) waiting.push(item);
    else if (cardOf(old).dataset.version !== card.dataset.version) old.replaceWith(item);
  }
  // Listings that are no longer among the first ones were removed or moved down.
  const first = new Set(items.map((item) => cardOf(item).dataset.id));
  if (isLast) for (const item of [...cards.children]) if (!first.has(cardOf(item).dataset.id)) item.remove();
  document.querySelector(".empty")?.toggleAttribute("hidden", items.length > 0);
  if (!waiting.length) fresh.hidden = true;
  else if (scrollY < 200) arrive();
  else {
    fresh.textContent = count("fresh", waiting.length);
    fresh.hidden = false;
  }
}

function arrive() {
  for (const item of waiting.reverse()) {
    cardOf(item).classList.add("is-new");
    cards.prepend(document.adoptNode(item));
  }
  waiting = [];
  fresh.hidden = true;
}
fresh.addEventListener("click", () => {
  arrive();
  scrollTo({ top: 0, behavior: "smooth" });
  cards.querySelector("a")?.focus({ preventScroll: true });
});

// The event may concern listings that are not on the page.
function removed(event) {
  const { id } = JSON.parse(event.data);
  cards.dataset.live = event.lastEventId;
  known(id)?.remove();
  if (waiting.some((item) => cardOf(item).dataset.id === id)) refreshSoon(event);
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
  search.set("last_event_id", cards.dataset.live);
  stream = new EventSource(`${base}/v1/listings/stream?${search}`);
  for (const type of ["listing.created", "listing.updated", "reset"]) stream.addEventListener(type, refreshSoon);
  stream.addEventListener("listing.removed", removed);
}
if (cards.dataset.live !== undefined) {
  let wasHidden = false;
  document.addEventListener("visibilitychange", () => {
    listen();
    if (!document.hidden && wasHidden) refresh();
    wasHidden = document.hidden;
  });
  addEventListener("pageshow", (event) => event.persisted && refresh());
  listen();
}

// "Near me" fills in the position and starts the search.
const near = document.querySelector("[data-near]");
if (near && "geolocation" in navigator) {
  near.hidden = false;
  near.addEventListener("click", () => {
    near.disabled = true;
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        const { form } = near;
        form.elements.lon.value = coords.longitude.toFixed(5);
        form.elements.lat.value = coords.latitude.toFixed(5);
        form.elements.place.value = "";
        form.elements.sort.value = "distance";
        if (!form.elements.radius.value) form.elements.radius.value = "25000";
        form.requestSubmit();
      },
      () => {
        near.disabled = false;
        tell(say("noPosition"));
      },
      { timeout: 15_000, maximumAge: 60_000 },
    );
  });
}
// A typed town replaces the position.
const place = document.querySelector(".filters [name=place]");
place?.addEventListener("input", () => {
  for (const name of ["lon", "lat"]) place.form.elements[name].value = "";
});
// Empty fields are left out of the URL.
document.querySelector(".filters")?.addEventListener("formdata", (event) => {
  for (const [name, value] of [...event.formData]) if (!value) event.formData.delete(name);
});
