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
    // Of each as much as can be had: without one of them the others still serve.
    await Promise.allSettled(["/offline", "/board", "/post", "/map"].map((path) => offline.add(new Request(base + path, { headers: { Accept: "text/html" } }))));
    await self.skipWaiting();
  })());
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith("shell-") && name !== shellName) await caches.delete(name);
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
  return ["/map", "/post", "/my"].includes(path) || /^\/listings\/[0-9a-f-]{36}$/.test(path) ? path : undefined;
}

/** What may show more to one reader than to another. */
async function forgetOwn(cache) {
  const common = ["/offline", "/board", "/map"].map((path) => base + path);
  for (const key of await cache.keys()) if (!common.includes(new URL(key.url).pathname)) await cache.delete(key);
}

async function page(request, path) {
  const cache = await caches.open(pages);
  const kept = keptAs(path);
  try {
    const answer = await fetch(request);
    // A search is not the board.
    if (answer.ok && !answer.redirected && kept && !new URL(request.url).search) await cache.put(base + kept, answer.clone());
    // Whoever signs out or in on this device leaves no pages of another behind.
    if (path.startsWith("/account")) {
      await forgetOwn(cache);
      // As they are for whoever is here now: the form is of use without a connection, and every page counts what one's inbox has new.
      for (const one of ["/post", "/board", "/map"]) cache.add(new Request(base + one, { headers: { Accept: "text/html" } })).catch(() => {});
    }
    return answer;
  } catch {
    return (kept && (await cache.match(base + kept))) ?? (await cache.match(`${base}/offline`)) ?? Response.error();
  }
}
