// Keeps listings and sightings that wait to be sent, and the draft of the form of a listing, on the device (IndexedDB).

function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("doggofinder", 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("outbox", { keyPath: "id" });
      request.result.createObjectStore("draft");
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Runs one step on a store; resolves with its result when the transaction is complete. */
async function on(store, mode, step) {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(store, mode);
      const request = step(transaction.objectStore(store));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

/** Keeps a form and its photos until it can be sent. Its `key` makes the server store its content only once. */
export const keep = (form, path = "/post") => on("outbox", "readwrite", (store) => store.put({ id: form.get("key"), path, fields: [...form] }));

const forms = () => on("outbox", "readonly", (store) => store.getAll()).catch(() => []);
// Forms that were kept by an earlier version have no path.
const isListing = ({ path }) => (path ?? "/post") === "/post";

/** Resolves with the numbers of forms that wait to be sent. */
export async function waiting() {
  const kept = (await forms()).filter(({ refusal }) => !refusal);
  const listings = kept.filter(isListing).length;
  return { listings, sightings: kept.length - listings };
}

/** Resolves with the sightings that the server has refused. They stay on the device until the reader removes them. */
export const refused = async () => (await forms()).filter(({ refusal }) => refusal);
export const remove = (id) => on("outbox", "readwrite", (store) => store.delete(id));

/** Returns a new idempotency key. A cached page needs one, or its next listing would count as a repetition of the
 * previous one. */
export function newKey() {
  // Browsers provide this function only in secure contexts.
  if (crypto.randomUUID) return crypto.randomUUID();
  const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join("-");
}

export const saveDraft = (draft) => on("draft", "readwrite", (store) => store.put(draft, "post")).catch(() => {});
export const loadDraft = () => on("draft", "readonly", (store) => store.get("post")).catch(() => undefined);
export const dropDraft = () => on("draft", "readwrite", (store) => store.delete("post")).catch(() => {});

// The photo of the last search by photo, for whoever then posts a listing of it.
const searched = "photo-search";
export const keepPhoto = (photo) => on("draft", "readwrite", (store) => store.put(photo, searched)).catch(() => {});
/** Resolves with the photo, and forgets it. */
export async function takePhoto() {
  const photo = await on("draft", "readonly", (store) => store.get(searched)).catch(() => undefined);
  await on("draft", "readwrite", (store) => store.delete(searched)).catch(() => {});
  return photo;
}

/** Posts a form. Resolves with the server's response; rejects if there is no connection. */
export function post(address, form) {
  return fetch(address, { method: "POST", body: form, redirect: "follow", headers: { Accept: "text/html" } });
}

/** The status codes for a form that the user has to correct. */
const refusals = [400, 409, 413, 415, 422];

// Browsers provide locks only in secure contexts; in other contexts there are no service workers either.
const once = (work) => (navigator.locks ? navigator.locks.request("outbox", { ifAvailable: true }, work) : work(true));

/** A sighting is also refused if its listing is gone or closed. */
const finalRefusals = [...refusals, 403, 404];

/** Sends the waiting forms one by one, in one tab only. Resolves with the URLs of the new listings and sightings, the
 * number of refused listings, and whether sightings wait because there were too many. */
export async function sendWaiting(base) {
  const outcome = { sent: [], sightings: [], refused: 0, refusedSightings: 0, isDelayed: false };
  if (!(await forms()).some(({ refusal }) => !refusal)) return outcome;
  await once(async (lock) => {
    if (!lock) return;
    for (const kept of await forms()) {
      if (kept.refusal) continue;
      const form = new FormData();
      for (const [name, value] of kept.fields) form.append(name, value);
      let answer;
      try {
        // This request sets the cookie that assigns all forms of one device to the same guest.
        await fetch(`${base}/post`, { headers: { Accept: "text/html" } });
        answer = await post(base + (kept.path ?? "/post"), form);
        if (isListing(kept) ? !(await settleListing(kept, answer, outcome)) : !(await settleSighting(kept, answer, outcome))) continue;
      } catch {
        return;
      }
      await remove(kept.id);
    }
  });
  return outcome;
}

/** Returns whether the form is done with. */
async function settleListing({ fields }, answer, outcome) {
  if (answer.redirected) outcome.sent.push(answer.url);
  else if (refusals.includes(answer.status)) {
    // The form becomes the draft, so that the user can correct it; the errors appear when it is sent again.
    await saveDraft(fields);
    outcome.refused += 1;
  } else return false;
  return true;
}

/** Returns whether the form is done with. A refused one is kept with the reason, which the pages show. */
async function settleSighting(kept, answer, outcome) {
  if (answer.redirected) {
    outcome.sightings.push(answer.url);
    return true;
  }
  outcome.isDelayed ||= answer.status === 429;
  if (!finalRefusals.includes(answer.status)) return false;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const refusal = (page.querySelector(".notice.problem[role=alert]") ?? page.querySelector("h1"))?.textContent.trim();
  await on("outbox", "readwrite", (store) => store.put({ ...kept, refusal: refusal || `${answer.status}` }));
  outcome.refusedSightings += 1;
  return false;
}
