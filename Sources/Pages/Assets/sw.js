// The service worker: caches the last board and the assets of pages. The server prepends `base`, `version` and `shell`.
const pages = "pages";
const photos = "photos";
const shellName = `shell-${version}`;
const mostPhotos = 300;
const sharedPhotos = "shared";
/** The server takes no larger photo. */
const largestPhoto = 16 << 20;
const maps = "maps";
const mostMaps = 20;
const tiles = "tiles";
const mostTiles = 400;
const world = "/map/outlines?bbox=-180,-90,180,90&zoom=0";
/** After this time, a page that is cached is shown from the cache. */
const patienceSeconds = 10;

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(shellName);
    await cache.addAll([...shell.map((name) => `${base}/assets/${version}/${name}`), ...["leaflet.css", "MarkerCluster.css", "leaflet.js", "leaflet.markercluster.js"].map((name) => `${base}/leaflet/${name}`)]);
    const outlines = await caches.open(maps);
    await Promise.allSettled([world, "/map/settings"].map((path) => outlines.add(base + path)));
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
  if (url.origin !== location.origin) return;
  const path = url.pathname.slice(base.length);
  if (request.method === "POST" && path === "/photo-search" && url.searchParams.has("shared")) event.respondWith(shared(request));
  if (request.method !== "GET") return;
  if (path.startsWith("/assets/") || path.startsWith("/leaflet/")) event.respondWith(fromShell(request));
  else if (path.startsWith("/photos/")) event.respondWith(fromPhotos(event));
  else if (path.startsWith("/basemap/")) event.respondWith(fromTiles(event));
  else if (path === "/map/outlines" || path === "/map/settings") event.respondWith(forMap(event, path));
  else if (request.mode === "navigate") event.respondWith(page(request, path));
});

async function fromShell(request) {
  return (await caches.match(request)) ?? fetch(request);
}

/** A photo never changes at its URL. */
async function fromPhotos(event) {
  const cache = await caches.open(photos);
  const known = await cache.match(event.request);
  if (known) return known;
  const answer = await fetch(event.request);
  if ((answer.headers.get("cache-control") ?? "").includes("public")) keepLatest(cache, event, answer, mostPhotos);
  return answer;
}

/** A tile never changes at its URL, which names the version of the map. Without a connection, a tile that is not cached is cut
 * out of a cached one that contains it. */
async function fromTiles(event) {
  const cache = await caches.open(tiles);
  const known = await cache.match(event.request);
  if (known) return known;
  try {
    const answer = await fetch(event.request);
    keepLatest(cache, event, answer, mostTiles);
    return answer;
  } catch {
    return (await enlarged(cache, event.request.url)) ?? Response.error();
  }
}

/** Returns the part of a cached tile of a lower zoom level. */
async function enlarged(cache, url) {
  const [start, zoom, column, row, end] = url.match(/^(.*\/basemap\/)(\d+)\/(\d+)\/(\d+)(.*)$/)?.slice(1) ?? [];
  for (let up = 1; up <= Math.min(6, zoom); up += 1) {
    const known = await cache.match(`${start}${zoom - up}/${column >> up}/${row >> up}${end}`);
    if (known) {
      const whole = await createImageBitmap(await known.blob());
      const side = whole.width / 2 ** up;
      const canvas = new OffscreenCanvas(whole.width, whole.height);
      const part = [(column % 2 ** up) * side, (row % 2 ** up) * side, side, side];
      canvas.getContext("2d").drawImage(whole, ...part, 0, 0, whole.width, whole.height);
      return new Response(await canvas.convertToBlob());
    }
  }
}

/** Returns the settings or outlines of the map. Without a connection, these are the finest cached outlines of the area, at
 * least those of the world. */
async function forMap(event, path) {
  const { request } = event;
  const cache = await caches.open(maps);
  try {
    const answer = await fetch(request);
    keepLatest(cache, event, answer, mostMaps);
    return answer;
  } catch {
    return (await cache.match(request)) ?? (path === "/map/outlines" && (await covering(cache, request))) ?? Response.error();
  }
}

/** Caches a response as the newest one and removes the oldest ones. The page does not wait for it, and gets its response even
 * if the device has no space left. */
function keepLatest(cache, event, answer, most) {
  if (answer.ok) event.waitUntil(store(cache, event.request, answer.clone(), most).catch(() => {}));
}

async function store(cache, request, answer, most) {
  await cache.delete(request);
  await cache.put(request, answer);
  const keys = await cache.keys();
  for (const old of keys.slice(0, Math.max(0, keys.length - most))) await cache.delete(old);
}

/** Returns the smallest cached area that contains the requested one. */
async function covering(cache, request) {
  const box = (url) => (new URL(url).searchParams.get("bbox") ?? "").split(",").map(Number);
  const [west, south, east, north] = box(request.url);
  const areas = (await cache.keys()).filter(({ url }) => {
    const [w, s, e, n] = box(url);
    return w <= west && s <= south && e >= east && n >= north;
  });
  const width = ({ url }) => box(url)[2] - box(url)[0];
  areas.sort((one, other) => width(one) - width(other));
  return areas[0] && cache.match(areas[0]);
}

/** Returns the path under which a page is cached, if the page is useful without a connection. */
function keptAs(path) {
  if (["/", "/board"].includes(path)) return "/board";
  return ["/map", "/post"].includes(path) || /^\/listings\/[0-9a-f-]{36}(\/sighting)?$/.test(path) ? path : undefined;
}

/** Whether a response may be cached: one with `no-store` is for one reader only. */
const isForAll = (answer) => answer.ok && !answer.redirected && !(answer.headers.get("cache-control") ?? "").includes("no-store");

async function keep(cache, path, answer) {
  if (isForAll(answer)) await cache.put(base + path, answer.clone());
}

/** Caches the anonymous form to say where the animal of a listing was seen, because who has read the listing may meet the
 * animal where there is no connection. */
async function keepSightingForm(cache, path, answer) {
  if (!(await answer.text()).includes(`${path}/sighting"`)) return;
  const language = answer.headers.get("content-language") ?? "en";
  const form = await fetch(asPage(`${path}/sighting?lang=${language}`, { credentials: "omit" }));
  if (form.ok && !form.redirected) await cache.put(`${base}${path}/sighting`, form);
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
    const answer = await fetchInTime(request, kept && (await cache.match(base + kept)));
    // A search result must not be cached as the board.
    if (kept && !search) await keep(cache, kept, answer);
    if (/^\/listings\/[^/]*$/.test(kept) && isForAll(answer)) keepSightingForm(cache, kept, answer.clone()).catch(() => {});
    // After a login or logout on this device, no pages of another account may remain.
    if (path.startsWith("/account")) {
      await forgetOwn(cache);
      // The pages are cached again for the present account, because every page shows the number of its unread messages.
      for (const one of ["/board", "/map"]) cache.add(asPage(one)).catch(() => {});
    }
    if (path.startsWith("/account") || searchParams.has("lang")) keepForm(cache).catch(() => {});
    return answer;
  } catch {
    const cached = (kept && (await cache.match(base + kept))) ?? (await cache.match(`${base}/offline`));
    return cached ? marked(cached) : Response.error();
  }
}

/** Fetches a page. If it is cached, waits for a limited time only. */
async function fetchInTime(request, cached) {
  if (!cached) return fetch(request);
  return Promise.race([fetch(request), new Promise((_, reject) => setTimeout(reject, patienceSeconds * 1000))]);
}

/** Marks a page as taken from the cache, which its scripts cannot know otherwise. */
async function marked(cached) {
  const html = await cached.text();
  return new Response(html.replace("<html ", "<html data-cached "), { status: cached.status, headers: cached.headers });
}

/** Opens the search by photo with a photo that another app has shared. There the reader says what happened and where, and
 * the photo is shrunk before it is sent. What cannot be kept goes to the server, which searches at once. */
async function shared(request) {
  const sent = request.clone();
  try {
    const photo = (await request.formData()).get("photo");
    if (photo.size > largestPhoto) return fetch(sent);
    const cache = await caches.open(sharedPhotos);
    await cache.put(`${base}/shared-photo`, new Response(photo, { headers: { "Content-Type": photo.type } }));
    return Response.redirect(`${base}/photo-search?shared`, 303);
  } catch {
    return fetch(sent);
  }
}

self.addEventListener("push", (event) => {
  let message;
  try {
    message = event.data.json();
  } catch {
    return;
  }
  const { title, body, tag, lang, path } = message;
  const icon = `${base}/assets/${version}/icon-192.png`;
  event.waitUntil(self.registration.showNotification(String(title ?? ""), { body, tag, lang, icon, renotify: Boolean(tag), data: { path } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const address = new URL(base + (event.notification.data?.path ?? "/board"), location.origin);
  // A notification opens only this site.
  if (address.origin === location.origin && address.pathname.startsWith(`${base}/`)) event.waitUntil(openPage(address.href));
});

// The browser has ended the subscription, for example because its push service changed.
self.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil((async () => {
    const answer = await fetch(`${base}/v1/push/key`);
    if (!answer.ok) return;
    const { key } = await answer.json();
    const subscription = event.newSubscription ?? await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
    // The server deletes the old one when its push service says that it has ended.
    await fetch(`${base}/v1/me/push-subscriptions`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(subscription),
    });
  })());
});

/** Shows the page in a window that has it open already, else in a new one. */
async function openPage(address) {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = windows.find(({ url }) => url.split("#")[0] === address.split("#")[0]);
  return open ? open.focus() : self.clients.openWindow(address);
}
