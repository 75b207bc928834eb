// Asks the server what a photo shows.
import { base, language, say } from "./app.js";

/** Returns what the photo shows: `id`, the `species` and `breed` to fill in, where it is sure of them, and a `text` for
 * people. Throws where the server does not answer. */
export async function recognise(photo) {
  const response = await fetch(`${base}/v1/classifications?lang=${language}`, { method: "POST", body: photo, headers: { "Content-Type": photo.type } });
  if (!response.ok) throw new Error(`${response.status}`);
  const { id, outcome, predictions } = await response.json();
  const [first] = predictions;
  if (first?.label === "cat") return { species: "cat", text: say("isCat") };
  if (outcome === "not_the_subject") return { text: say("notDog") };
  // A probability is never shown as certainty.
  const percent = new Intl.NumberFormat(language, { style: "percent" });
  const share = ({ confidence }) => percent.format(Math.min(confidence, 0.99));
  if (outcome === "accepted") return { id, species: "dog", breed: first.name, text: say("recognised", { breed: first.name, share: share(first) }) };
  const likely = predictions.slice(0, 3).map((prediction) => `${prediction.name} (${share(prediction)})`);
  return { id, species: "dog", text: likely.length ? say("unsure", { breed: likely.join(", ") }) : "" };
}
