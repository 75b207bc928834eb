// Keeps listings that wait to be sent, and the draft of the form, on the device (IndexedDB).

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

/** Keeps a form and its photos until it can be sent. Its `key` makes the server create the listing only once. */
export const keep = (form) => on("outbox", "readwrite", (store) => store.put({ id: form.get("key"), fields: [...form] }));

export const waiting = () => on("outbox", "readonly", (store) => store.count()).catch(() => 0);

export const saveDraft = (draft) => on("draft", "readwrite", (store) => store.put(draft, "post")).catch(() => {});
export const loadDraft = () => on("draft", "readonly", (store) => store.get("post")).catch(() => undefined);
export const dropDraft = () => on("draft", "readwrite", (store) => store.delete("post")).catch(() => {});

/** Posts a form. Resolves with the server's response; rejects if there is no connection. */
export function post(base, form) {
  return fetch(`${base}/post`, { method: "POST", body: form, redirect: "follow", headers: { Accept: "text/html" } });
}

/** The status codes for a form that the user has to correct. */
const refusals = [400, 409, 413, 415, 422];

// Browsers provide locks only in secure contexts; in other contexts there are no service workers either.
const once = (work) => (navigator.locks ? navigator.locks.request("outbox", { ifAvailable: true }, work) : work(true));

/** Sends the waiting forms one by one, in one tab only. Resolves with the URLs of the new listings and the number of
 * refused forms. */
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
        // This request sets the cookie that assigns all listings of one device to the same guest.
        await fetch(`${base}/post`, { headers: { Accept: "text/html" } });
        answer = await post(base, form);
      } catch {
        return;
      }
      if (answer.redirected) outcome.sent.push(answer.url);
      else if (refusals.includes(answer.status)) {
        // The form becomes the draft, so that the user can correct it; the errors appear when it is sent again.
        await saveDraft(fields);
        outcome.refused += 1;
      } else continue;
      await on("outbox", "readwrite", (store) => store.delete(id));
    }
  });
  return outcome;
}
