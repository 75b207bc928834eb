// The section that turns on notifications on this device. It asks for permission only after a tap. In an element with
// `data-push-offer` it is shown only where they are off.
import { base, getJSON, language } from "./app.js";

const section = document.querySelector("[data-push]");
const status = section?.querySelector("[data-push-status]");
const on = section?.querySelector("[data-push-on]");
const off = section?.querySelector("[data-push-off]");
const path = "/v1/me/push-subscriptions";
/** The id of this device's subscription, because the server does not tell the endpoints of subscriptions. */
const known = "push";

if (section && "serviceWorker" in navigator && "PushManager" in window && "Notification" in window) {
  const isOn = await show();
  section.hidden = isOn && section.closest("[data-push-offer]") !== null;
}
// Safari on telephones has this property, and knows notifications only of sites that were added to the home screen.
else if (section && navigator.standalone === false) {
  section.querySelector("[data-push-install]").hidden = false;
  section.hidden = false;
}

async function show() {
  const isOn = await isSubscribed().catch(() => false);
  const isBlocked = Notification.permission === "denied";
  [on.hidden, off.hidden] = [isOn || isBlocked, !isOn];
  tell(isOn ? "on" : isBlocked ? "blocked" : "");
  return isOn;
}

async function isSubscribed() {
  const id = localStorage.getItem(known);
  if (!id || Notification.permission !== "granted") return false;
  const registration = await navigator.serviceWorker.ready;
  if (!(await registration.pushManager.getSubscription())) return false;
  const { push_subscriptions: own } = await getJSON(path, { cache: "no-store" });
  return own.some((device) => device.id === id);
}

function tell(text) {
  status.textContent = text ? status.dataset[text] : "";
}

async function act(button, body) {
  button.disabled = true;
  try {
    await body();
    await show();
  } catch {
    tell("failed");
  }
  button.disabled = false;
}

on?.addEventListener("click", () => act(on, async () => {
  const permission = await Notification.requestPermission();
  if (permission !== "granted") return;
  const registration = await navigator.serviceWorker.ready;
  const { key } = await getJSON("/v1/push/key");
  let subscription = await registration.pushManager.getSubscription();
  // A subscription with another key belongs to a server before this one.
  if (subscription && !hasKey(subscription, key)) {
    await subscription.unsubscribe();
    subscription = null;
  }
  subscription ??= await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const answer = await fetch(base + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Accept-Language": language },
    body: JSON.stringify(subscription),
  });
  if (!answer.ok) throw new Error(`${answer.status}`);
  localStorage.setItem(known, (await answer.json()).id);
}).then(() => {
  if (Notification.permission === "default") tell("dismissed");
}));

off?.addEventListener("click", () => act(off, async () => {
  const id = localStorage.getItem(known);
  const registration = await navigator.serviceWorker.ready;
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  localStorage.removeItem(known);
  await fetch(`${base}${path}/${id}`, { method: "DELETE" });
}));

function hasKey(subscription, key) {
  const bytes = new Uint8Array(subscription.options.applicationServerKey ?? []);
  const text = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return text === key;
}
