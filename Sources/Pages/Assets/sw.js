// The service worker: caches the last board and the assets of pages. The server prepends `base`, `version` and `shell`.
const pages = "pages";
const photos = "photos";
const shellName = `shell-${version}`;
const mostPhotos = 300;

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(shellName);
    await cache.addAll([...shell.map((name) => `${base}/assets/${version}/${name}`), ...["leaflet.css", "MarkerCluster.css", "leaflet.js", "leaflet.markercluster.js"].map((name) => `${base}/leaflet/${name}`)]);
    const offline = await caches.open(pages);
    // The previous version cached the reader's own form.
    await offline.delete(`${base}/post`);
    // Each page is cached independently, so that a failure of one does not affect the others.
    await Promise.allSettled([...["/offline", "/board", "/map"].map((path) => offline.add(asPage(path))), keepForm(offline)]);
    await self.skipWaiting();
  })());
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith("shell-") && name !== shellName) await caches.delete(name);
    // The pages cached by the previous version may be specific to one reader.
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

/** A photo never changes at its URL. */
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

/** Returns the path under which a page is cached, if the page is useful without a connection. */
function keptAs(path) {
  if (["/", "/board"].includes(path)) return "/board";
  return ["/map", "/post"].includes(path) || /^\/listings\/[0-9a-f-]{36}$/.test(path) ? path : undefined;
}

/** Caches a response unless it has `no-store`, which marks responses for one reader only. */
async function keep(cache, path, answer) {
  if (answer.ok && !answer.redirected && !(answer.headers.get("cache-control") ?? "").includes("no-store")) await cache.put(base + path, answer.clone());
}

function asPage(path, more) {
  return new Request(base + path, { headers: { Accept: "text/html" }, ...more });
}

/** Caches the anonymous form, because the form of a logged-in reader contains the contacts in the profile. */
async function keepForm(cache) {
  // The reader's own form sets the cookie that makes all attempts sent offline belong to the same guest, and gives the
  // language.
  const own = await fetch(asPage("/post"));
  const form = await fetch(asPage(`/post?lang=${own.headers.get("content-language") ?? "en"}`, { credentials: "omit" }));
  if (form.ok) await cache.put(`${base}/post`, form);
}

/** Removes pages whose content may depend on the reader. */
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
    // A search result must not be cached as the board.
    if (kept && !search) await keep(cache, kept, answer);
    // After a login or logout on this device, no pages of another account may remain.
    if (path.startsWith("/account")) {
      await forgetOwn(cache);
      // The pages are cached again for the present account, because every page shows the number of its unread messages.
      for (const one of ["/board", "/map"]) cache.add(asPage(one)).catch(() => {});
    }
    if (path.startsWith("/account") || searchParams.has("lang")) keepForm(cache).catch(() => {});
    return answer;
  } catch {
    return (kept && (await cache.match(base + kept))) ?? (await cache.match(`${base}/offline`)) ?? Response.error();
  }
}
