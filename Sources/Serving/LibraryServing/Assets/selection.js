// Photos that are selected to do something with all of them: shift and a click select a range, a long press begins.

import { post, say, sentence } from "./edits.js";
import { countOf } from "./titles.js";

/** Milliseconds of a long press, and the points that a finger may move meanwhile. */
const LONG_PRESS = 450;
const STILL = 10;

export class Selection {
  #ids = new Set();
  #anchor;
  #isOn = false;
  /** Whether the next click is the end of a long press. */
  #hasPressed = false;
  #grid;
  #bar = document.getElementById("selection");
  #button = document.getElementById("select");

  /**
   * `grid` has place, edits, allowsEdits, number(element), assetAt(number), ids(first, count), count and
   * selectionChanged().
   */
  constructor(grid, element) {
    this.#grid = grid;
    this.#button.addEventListener("click", () => (this.isOn ? this.clear() : this.#turn(true)));
    for (const one of this.#bar.querySelectorAll("[data-edit]")) one.hidden = !grid.allowsEdits;
    this.#bar.addEventListener("click", ({ target }) => this.#do(target.closest("[data-do]")?.dataset.do));
    element.addEventListener("click", (event) => this.#click(event), { capture: true });
    this.#followPresses(element);
  }

  get isOn() { return this.#isOn; }
  get count() { return this.#ids.size; }

  has(id) { return this.#ids.has(id); }

  clear() {
    this.#ids.clear();
    this.#anchor = undefined;
    this.#turn(false);
  }

  /** Selects a photo, or does not any more. */
  toggle(number) {
    const id = this.#grid.assetAt(number)?.id;
    if (id === undefined) return;
    if (!this.#ids.delete(id)) this.#ids.add(id);
    this.#anchor = number;
    this.#turn(this.#isOn || this.#ids.size > 0);
  }

  /** Selects all photos from the last that was selected to another. */
  async extend(number) {
    const from = Math.min(this.#anchor ?? number, number);
    const ids = await this.#read(from, Math.abs((this.#anchor ?? number) - number) + 1);
    this.#anchor ??= number;
    for (const id of ids) this.#ids.add(id);
    this.#turn(true);
  }

  /** The first key of a range selects the photo where it begins. */
  begin(number) { if (this.#anchor === undefined) this.toggle(number); }

  async #read(first, count) {
    try {
      return await this.#grid.ids(first, count);
    } catch (problem) {
      say(problem instanceof Response ? await sentence(problem) : "The server does not answer.");
      return [];
    }
  }

  #turn(isOn) {
    const was = this.#isOn;
    this.#isOn = isOn;
    document.body.classList.toggle("selecting", isOn);
    this.#button.ariaPressed = String(isOn);
    this.#bar.hidden = !isOn;
    document.getElementById("selected").textContent = `${countOf(this.#ids.size, "photo")} selected`;
    for (const one of this.#bar.querySelectorAll("[data-do]")) {
      if (!["clear", "all"].includes(one.dataset.do)) one.disabled = this.#ids.size === 0;
    }
    if (isOn && !was) say(`Selecting. Shift selects a range.`);
    this.#grid.selectionChanged();
  }

  #click(event) {
    if (this.#hasPressed) {
      this.#hasPressed = false;
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const number = this.#grid.number(event.target);
    if (number === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const isCheck = event.target.closest(".check") !== null;
    if (!this.#isOn && !isCheck && !event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.shiftKey && this.#anchor !== undefined) this.extend(number);
    else this.toggle(number);
  }

  #followPresses(element) {
    let press;
    const end = () => { clearTimeout(press?.timer); press = undefined; };
    element.addEventListener("pointerdown", (event) => {
      const number = this.#grid.number(event.target);
      this.#hasPressed = false;
      if (event.pointerType === "mouse" || number === undefined) return;
      const timer = setTimeout(() => {
        this.toggle(number);
        navigator.vibrate?.(15);
        this.#hasPressed = true;
        press = undefined;
      }, LONG_PRESS);
      press = { timer, x: event.clientX, y: event.clientY };
    });
    element.addEventListener("pointermove", (event) => {
      if (press && Math.hypot(event.clientX - press.x, event.clientY - press.y) > STILL) end();
    });
    element.addEventListener("pointerup", end);
    element.addEventListener("pointercancel", end);
    element.addEventListener("contextmenu", (event) => { if (this.#isOn || press) event.preventDefault(); });
  }

  async #do(action) {
    const { edits } = this.#grid;
    const assets = [...this.#ids];
    switch (action) {
      case "clear": return this.clear();
      case "all":
        for (const id of await this.#read(0, this.#grid.count)) this.#ids.add(id);
        return this.#turn(true);
      case "pick": return edits.run({ do: "pick", assets, value: true }, ({ changed }) => `${countOf(changed, "photo")} picked.`);
      case "album": {
        const name = await askForAlbum(this.#grid.place);
        return name && edits.run({ do: "album", assets, name, value: true }, ({ changed }) => `${countOf(changed, "photo")} added to ${name}.`);
      }
      case "rate": {
        const rating = await ask("Rate", "Rate", choices("rating", [[5, "5"], [4, "4"], [3, "3"], [2, "2"], [1, "1"], [0, "None"]], "5"));
        return rating && edits.run({ do: "rate", assets, rating: Number(rating) }, ({ changed }) => `${countOf(changed, "photo")} rated.`);
      }
      case "download": return this.#download(assets);
      default: return undefined;
    }
  }

  /** Downloads the files, or copies of a size without metadata. */
  async #download(assets) {
    const size = await ask("Download", "Download", choices("size", [
      ["", "Originals, as they are"], ["4096", "JPEG copies, 4096 pixels"], ["2048", "JPEG copies, 2048 pixels"],
      ["1024", "JPEG copies, 1024 pixels"],
    ], ""), "Copies contain no metadata: no place, no date, no names.");
    if (size === undefined) return;
    try {
      const { name } = await post(`${this.#grid.place}/choose`, { assets });
      const link = document.createElement("a");
      link.href = `${this.#grid.place}/zip/${name}${size && `?size=${size}`}`;
      link.download = "";
      link.click();
      say(`The download of ${countOf(assets.length, "photo")} begins.`);
    } catch (problem) {
      say(problem instanceof Response ? await sentence(problem) : "The server does not answer.");
    }
  }
}

function choices(name, list, chosen) {
  const group = document.createElement("div");
  group.className = "choices";
  group.append(...list.map(([value, title]) => {
    const label = document.createElement("label");
    const input = Object.assign(document.createElement("input"), { type: "radio", name, value, checked: String(value) === chosen });
    const words = document.createElement("span");
    words.textContent = title;
    label.append(input, words);
    return label;
  }));
  return group;
}

/** Asks for the name of an album, one of those that exist or a new one. */
export async function askForAlbum(place) {
  const answer = await fetch(`${place}/groups`).catch(() => undefined);
  const { groups } = answer?.ok ? await answer.json() : { groups: [] };
  const field = document.createElement("div");
  const input = Object.assign(document.createElement("input"), { name: "name", required: true, maxLength: 200, autocomplete: "off" });
  input.setAttribute("list", "albums");
  input.ariaLabel = "Name of the album";
  const list = Object.assign(document.createElement("datalist"), { id: "albums" });
  list.append(...groups.filter(({ kind }) => kind === "album").map(({ title }) => Object.assign(document.createElement("option"), { value: title })));
  field.append(input, list);
  return (await ask("Add to an album", "Add", field, "A new name makes a new album."))?.trim();
}

/** Asks for one value; undefined if the dialog was left. */
export function ask(title, action, fields, note = "") {
  const dialog = document.getElementById("form");
  document.getElementById("form-title").textContent = title;
  document.getElementById("form-do").textContent = action;
  const words = Object.assign(document.createElement("p"), { textContent: note, className: "faint", hidden: !note });
  document.getElementById("form-fields").replaceChildren(fields, words);
  dialog.returnValue = "";
  dialog.showModal();
  (fields.querySelector("input:checked") ?? fields.querySelector("input, textarea"))?.focus();
  return new Promise((resolve) => dialog.addEventListener("close", () => {
    const field = fields.querySelector("input:checked") ?? fields.querySelector("input:not([type=radio]), textarea");
    resolve(dialog.returnValue === "do" ? field?.value : undefined);
  }, { once: true }));
}
