// The index: says why an image is not shown, and sorts without the button.

import { sentence } from "./words.js";

const order = document.querySelector("select[name=sort]");
order?.addEventListener("change", () => order.form.requestSubmit());

/** Shows the server's sentence in the place of a picture; a folder without pictures keeps its sign. */
async function explain(image) {
  const link = image.closest("a");
  image.hidden = true;
  if (link.classList.contains("folder")) return;
  const answer = await fetch(image.src, { headers: { Accept: "text/plain" } }).catch(() => undefined);
  if (answer?.ok) return;
  const text = document.createElement("small");
  text.textContent = answer ? await sentence(answer) : "The server does not answer.";
  link.prepend(text);
}

// Errors of pictures do not bubble.
addEventListener("error", ({ target }) => target instanceof HTMLImageElement && explain(target), { capture: true });
for (const image of document.images) {
  if (image.complete && image.currentSrc && image.naturalWidth === 0) explain(image);
}
