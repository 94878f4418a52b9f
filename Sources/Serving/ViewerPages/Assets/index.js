// The index: says why an image is not shown, marks panoramas, and sorts without the button.

import { sentence } from "./words.js";

/** The least width of a panorama, in heights. */
const WIDE = 1.5;

const order = document.querySelector("select[name=sort]");
order?.addEventListener("change", () => order.form.requestSubmit());

/** The pictures that were loaded twice: a server that was busy has them later. */
const again = new WeakSet();

/** Shows the server's sentence in the place of a picture; a folder without pictures keeps its sign. */
async function explain(image) {
  const link = image.closest("a");
  if (link.classList.contains("folder")) return void (image.hidden = true);
  const answer = await fetch(image.src, { headers: { Accept: "text/plain" } }).catch(() => undefined);
  if (answer?.ok && !again.has(image)) {
    again.add(image);
    return void (image.src = image.src);
  }
  image.hidden = true;
  const text = document.createElement("small");
  text.textContent = answer?.ok ? "The browser cannot show this picture." : answer ? await sentence(answer) : "The server does not answer.";
  link.prepend(text);
}

/** Marks a picture whose metadata states a panorama; those that are not wide are not asked for. */
async function mark({ currentSrc, naturalWidth, naturalHeight, parentElement }) {
  const [service, rest] = currentSrc.split("/full/");
  if (!rest || parentElement.classList.contains("folder") || naturalWidth < WIDE * naturalHeight) return;
  const answer = await fetch(`${service}/info.json`).catch(() => undefined);
  if (answer?.ok && (await answer.json()).panorama) parentElement.classList.add("panorama");
}

// Events of pictures do not bubble; those of success do not reach the window.
addEventListener("error", ({ target }) => target instanceof HTMLImageElement && explain(target), { capture: true });
document.addEventListener("load", ({ target }) => target instanceof HTMLImageElement && mark(target), { capture: true });
for (const image of document.images) {
  if (!image.complete || !image.currentSrc) continue;
  if (image.naturalWidth === 0) explain(image);
  else mark(image);
}
