// Key poses of a film: visible parts that the user records, copied as keyframes of `viewport fly`.

import { visiblePart } from "./place.js";

export class KeyPoses {
  #poses = [];
  #output = document.querySelector("#poses");

  /** Records the visible part of the image. */
  record(view, size) {
    const { x, y, width, height } = visiblePart(view.visibleRect, size);
    if (width <= 0 || height <= 0) return;
    this.#poses.push([x, y, width, height].map((number) => Number(number.toFixed(4))));
    this.#say("");
  }

  /** Copies the poses to the clipboard, and shows whether that worked. */
  async copy() {
    if (this.#poses.length === 0) return;
    this.#say((await copy(this.#text)) ? "copied" : "not copied: this browser denies it");
  }

  /** The poses as JSON, one per line. */
  get #text() {
    const lines = this.#poses.map((rect) => `  {"rect": [${rect.join(", ")}]}`);
    return `{"poses": [\n${lines.join(",\n")}\n]}\n`;
  }

  #say(words) {
    const count = this.#poses.length;
    this.#output.hidden = false;
    this.#output.textContent = `${count} key ${count === 1 ? "pose" : "poses"}${words && ` ${words}`}`;
  }
}

/** Copies a text; returns whether that worked. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages that were not loaded over HTTPS have no such clipboard.
    const area = Object.assign(document.createElement("textarea"), { value: text, className: "unseen" });
    document.body.append(area);
    const focused = document.activeElement;
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    focused?.focus();
    return done;
  }
}
