// Edits of a library by the server, and the message that follows each, with a way to undo it.

import { sentence } from "./words.js";

const SHOWN = 6000;

let fading;

/** Says something in the live region of the page, for a while unless `stays`; `action` is [name, function]. */
export function say(words, { action, stays = false } = {}) {
  const status = document.getElementById("status");
  // Beside a picture, the live region itself is not seen.
  const region = document.getElementById("said") ?? status;
  clearTimeout(fading);
  if (words && region !== status) status.textContent = words;
  region.replaceChildren();
  region.classList.toggle("seen", Boolean(words));
  if (!words) return;
  region.append(Object.assign(document.createElement("span"), { textContent: words }));
  if (action) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: action[0] });
    button.addEventListener("click", action[1]);
    region.append(button);
  }
  if (!stays) fading = setTimeout(() => say(""), SHOWN);
}

/** Says what went wrong, in the dialog that waits for it if there is one; returns false. */
export function fail(words) {
  const region = document.querySelector("#form .problem");
  if (region) region.textContent = words;
  else say(words);
  return false;
}

/** Sends JSON to the server; other websites cannot send the header. */
export async function post(url, body) {
  const answer = await fetch(url, {
    method: "POST", headers: { "Content-Type": "application/json", "X-Viewport-Request": "page" }, body: JSON.stringify(body),
  });
  if (!answer.ok) throw answer;
  return answer.json();
}

export class Edits {
  #place;
  #changed;
  /** The operation that Ctrl+Z undoes. */
  #last;

  /** `place` is the address of the library; `changed()` follows every edit and its undoing. */
  constructor(place, changed) {
    this.#place = place;
    this.#changed = changed;
  }

  /** Carries out an edit and says what was done; returns whether it was. */
  async run(body, words) {
    const done = await this.#send(body);
    if (!done) return false;
    const [failure] = done.failures;
    const lost = failure ? ` ${failure.path}: ${failure.reason}.` : "";
    const undo = done.operation === undefined ? undefined : ["Undo", () => this.undo(done.operation)];
    this.#last = done.operation ?? this.#last;
    say(`${typeof words === "function" ? words(done) : words}${lost}`, { action: undo });
    this.#changed();
    return true;
  }

  /** Undoes the last edit of this page; returns whether there is one. */
  undoLast() {
    if (this.#last === undefined) return false;
    this.undo(this.#last);
    return true;
  }

  /** Undoes an operation, if nothing has followed it. */
  async undo(operation) {
    this.#last = undefined;
    if (!await this.#send({ do: "undo", operation })) return;
    say("Undone.");
    this.#changed();
  }

  async #send(body) {
    try {
      return await post(`${this.#place}/edit`, body);
    } catch (problem) {
      fail(problem instanceof Response ? await sentence(problem) : "The server does not answer; nothing was changed.");
      return undefined;
    }
  }
}
