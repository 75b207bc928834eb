// Listings that wait to be sent, and the draft of the form, kept on the device (IndexedDB).

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

/** Runs one step on a store; resolves with its result once all is on disk. */
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

/** Keeps a form, with its photos, until it can be sent. Its `id` is that of the listing to be: the server posts it once. */
export const keep = (form) => on("outbox", "readwrite", (store) => store.put({ id: form.get("id"), fields: [...form] }));

export const waiting = () => on("outbox", "readonly", (store) => store.count()).catch(() => 0);

export const saveDraft = (draft) => on("draft", "readwrite", (store) => store.put(draft, "post")).catch(() => {});
export const loadDraft = () => on("draft", "readonly", (store) => store.get("post")).catch(() => undefined);
export const dropDraft = () => on("draft", "readwrite", (store) => store.delete("post")).catch(() => {});

/** Posts a form. Resolves with the server's answer; rejects where there is no connection. */
export function post(base, form) {
  return fetch(`${base}/post`, { method: "POST", body: form, redirect: "follow", headers: { Accept: "text/html" } });
}

/** What a server says of a form that has to be put right. */
const refusals = [400, 409, 413, 415, 422];

// Only where the address is trustworthy do browsers lend locks; elsewhere there are no service workers either.
const once = (work) => (navigator.locks ? navigator.locks.request("outbox", { ifAvailable: true }, work) : work(true));

/** Sends what waits, one after the other, in one tab only. Resolves with the addresses of what went out, and how many were refused. */
export async function sendWaiting(base) {
  const outcome = { sent: [], refused: 0 };
  if (!(await waiting())) return outcome;
  await once(async (lock) => {
    if (!lock) return;
    for (const { id, fields } of await on("outbox", "readonly", (store) => store.getAll())) {
      const form = new FormData();
      for (const [name, value] of fields) form.append(name, value);
      let answer;
      try {
        // The cookie that makes all of one device's listings those of one guest.
        await fetch(`${base}/post`, { headers: { Accept: "text/html" } });
        answer = await post(base, form);
      } catch {
        return;
      }
      if (answer.redirected) outcome.sent.push(answer.url);
      else if (refusals.includes(answer.status)) {
        // As a draft it can be put right; the form says what is wrong when it is sent again.
        await saveDraft(fields);
        outcome.refused += 1;
      } else continue;
      await on("outbox", "readwrite", (store) => store.delete(id));
    }
  });
  return outcome;
}
