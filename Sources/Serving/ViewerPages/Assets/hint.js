// A line that tells once in a browser how to move.

import { recall, remember } from "./last-place.js";

const KEY = "hint";
/** Milliseconds after which the line goes. */
const LONG = 8000;

/** Shows the line until the first input, unless it was shown before. */
export function hint() {
  const element = document.querySelector("#hint");
  if (recall(KEY)) return;
  const isTouched = matchMedia("(pointer: coarse)").matches;
  element.textContent = isTouched
    ? "Pinch or double tap to zoom, drag to move" : "Scroll to zoom, drag to move, ? for all keys";
  element.hidden = false;
  const events = ["pointerdown", "wheel", "keydown"];
  const end = () => {
    element.hidden = true;
    clearTimeout(timer);
    for (const type of events) removeEventListener(type, end, true);
    remember(KEY, {});
  };
  const timer = setTimeout(end, LONG);
  for (const type of events) addEventListener(type, end, { capture: true, passive: true });
}
