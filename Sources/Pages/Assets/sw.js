// The service worker: keeps the last board and all that pages are made of. The server puts `base`, `version` and `shell` before it.
const pages = "pages";
const photos = "photos";
const shellName = `shell-${version}`;
const mostPhotos = 300;

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(shellName);
    await cache.addAll([...shell.map((name) => `${base}/assets/${version}/${name}`), ...["leaflet.css", "MarkerCluster.css", "leaflet.js", "leaflet.markercluster.js"].map((name) => `${base}/leaflet/${name}`)]);
    const offline = await caches.open(pages);
    // The version before kept the reader's own form.
    await offline.delete(`${base}/post`);
    // Of each as much as can be had: without one of them the others still serve.
    await Promise.allSettled([...["/offline", "/board", "/map"].map((path) => offline.add(asPage(path))), keepForm(offline)]);
    await self.skipWaiting();
  })());
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith("shell-") && name !== shellName) await caches.delete(name);
    // What the version before kept may be one reader's own.
    await forgetOwn(await caches.open(pages));
    await self.clients.claim();
  })());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  const path = url.pathname.slice(base.length);
  if (path.startsWith("/assets/") || path.startsWith("/leaflet/")) event.respondWith(fromShell(request));
  else if (path.startsWith("/photos/")) event.respondWith(fromPhotos(request));
  else if (request.mode === "navigate") event.respondWith(page(request, path));
});

async function fromShell(request) {
  return (await caches.match(request)) ?? fetch(request);
}

/** A photo never changes under its address. */
async function fromPhotos(request) {
  const cache = await caches.open(photos);
  const known = await cache.match(request);
  if (known) return known;
  const answer = await fetch(request);
  if (answer.ok && (answer.headers.get("cache-control") ?? "").includes("public")) {
    await cache.put(request, answer.clone());
    const keys = await cache.keys();
    for (const old of keys.slice(0, Math.max(0, keys.length - mostPhotos))) await cache.delete(old);
  }
  return answer;
}

/** Pages that are of use without a connection, by the path they are kept under. */
function keptAs(path) {
  if (["/", "/board"].includes(path)) return "/board";
  return ["/map", "/post"].includes(path) || /^\/listings\/[0-9a-f-]{36}$/.test(path) ? path : undefined;
}

/** An answer that may be kept: one that is for its reader alone says that it may not. */
async function keep(cache, path, answer) {
  if (answer.ok && !answer.redirected && !(answer.headers.get("cache-control") ?? "").includes("no-store")) await cache.put(base + path, answer.clone());
}

function asPage(path, more) {
  return new Request(base + path, { headers: { Accept: "text/html" }, ...more });
}

/** The form as anybody gets it: one's own has the contacts of one's profile. */
async function keepForm(cache) {
  // One's own brings the cookie by which whoever writes offline is the same guest at every try, and tells the language.
  const own = await fetch(asPage("/post"));
  const form = await fetch(asPage(`/post?lang=${own.headers.get("content-language") ?? "en"}`, { credentials: "omit" }));
  if (form.ok) await cache.put(`${base}/post`, form);
}

/** What may show more to one reader than to another. */
async function forgetOwn(cache) {
  const common = ["/offline", "/board", "/map", "/post"].map((path) => base + path);
  for (const key of await cache.keys()) if (!common.includes(new URL(key.url).pathname)) await cache.delete(key);
}

async function page(request, path) {
  const { search, searchParams } = new URL(request.url);
  const cache = await caches.open(pages);
  const kept = keptAs(path);
  try {
    const answer = await fetch(request);
    // A search is not the board.
    if (kept && !search) await keep(cache, kept, answer);
    // Whoever signs out or in on this device leaves no pages of another behind.
    if (path.startsWith("/account")) {
      await forgetOwn(cache);
      // As they are for whoever is here now: every page counts what one's inbox has new.
      for (const one of ["/board", "/map"]) cache.add(asPage(one)).catch(() => {});
    }
    if (path.startsWith("/account") || searchParams.has("lang")) keepForm(cache).catch(() => {});
    return answer;
  } catch {
    return (kept && (await cache.match(base + kept))) ?? (await cache.match(`${base}/offline`)) ?? Response.error();
  }
}
