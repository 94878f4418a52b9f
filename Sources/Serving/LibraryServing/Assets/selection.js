// Photos that are selected to do something with all of them: shift and a click select a range, a long press begins.

import { ask, askForAlbum, askForDate, askForPlace, choices } from "./ask.js";
import { fail, post, say } from "./edits.js";
import { countOf, countTitle } from "./titles.js";
import { sentence } from "./words.js";

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
  #menu = document.getElementById("actions");
  #button = document.getElementById("select");

  /**
   * `grid` has place, edits, allowsEdits, number(element), assetAt(number), ids(first, count), count and
   * selectionChanged().
   */
  constructor(grid, element) {
    this.#grid = grid;
    this.#button.addEventListener("click", () => (this.isOn ? this.clear() : this.#turn(true)));
    for (const one of this.#bar.querySelectorAll("[data-edit]")) one.hidden = !grid.allowsEdits;
    this.#bar.addEventListener("click", ({ target }) => {
      const action = target.closest("[data-do]")?.dataset.do;
      if (!action) return;
      this.#menu.hidePopover();
      this.#do(action);
    });
    element.addEventListener("click", (event) => this.#click(event), { capture: true });
    this.#followPresses(element);
    // A mouse has a check on each photo; below a finger it would be in the way of the photo.
    for (const type of ["pointerover", "pointerdown"]) {
      element.addEventListener(type, ({ pointerType }) => element.classList.toggle("hovered", pointerType === "mouse"), { capture: true });
    }
  }

  get isOn() { return this.#isOn; }
  get count() { return this.#ids.size; }

  /** Moves the selected photos to the trash; returns whether there are some. */
  trash() {
    if (this.count === 0 || !this.#grid.allowsEdits) return false;
    this.#do("trash");
    return true;
  }

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
    const { size } = this.#ids;
    const noun = Object.assign(document.createElement("span"), { textContent: size === 1 ? "photo " : "photos " });
    document.getElementById("selected").replaceChildren(`${countTitle(size)} `, noun, "selected");
    for (const one of this.#bar.querySelectorAll("[data-do]")) {
      if (!["clear", "all"].includes(one.dataset.do)) one.disabled = size === 0;
    }
    if (isOn && !was) say(matchMedia("(pointer: coarse)").matches ? "Tap photos to select them." : "Selecting. Shift selects a range.");
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
      case "album":
        return askForAlbum(this.#grid.place, (name) =>
          edits.run({ do: "album", assets, name, value: true }, ({ changed }) => `${countOf(changed, "photo")} added to ${name}.`));
      case "rate":
        return ask("Rate", "Rate", choices("rating", [[5, "5"], [4, "4"], [3, "3"], [2, "2"], [1, "1"], [0, "None"]], "5"), (rating) =>
          edits.run({ do: "rate", assets, rating: Number(rating) }, ({ changed }) => `${countOf(changed, "photo")} rated.`));
      case "date":
        return askForDate("", (text) =>
          edits.run({ do: "date", assets, text }, ({ changed }) => `${countOf(changed, "photo")} dated.`));
      case "location":
        return askForPlace("", (text) =>
          edits.run({ do: "location", assets, text }, ({ changed }) => `${countOf(changed, "photo")} placed.`));
      case "trash":
        if (await edits.run({ do: "trash", assets }, ({ changed }) => `${countOf(changed, "photo")} moved to the trash.`)) this.clear();
        return undefined;
      case "download":
        return ask("Download", "Download", choices("size", [
          ["", "Originals, as they are"], ["4096", "JPEG copies, 4096 pixels"], ["2048", "JPEG copies, 2048 pixels"],
          ["1024", "JPEG copies, 1024 pixels"],
        ], ""), (size) => this.#download(assets, size), "Copies contain no metadata: no place, no date, no names.");
      default: return undefined;
    }
  }

  /** Downloads the files, or copies of a size without metadata; returns whether the download begins. */
  async #download(assets, size) {
    try {
      const { name } = await post(`${this.#grid.place}/choose`, { assets });
      const link = document.createElement("a");
      link.href = `${this.#grid.place}/zip/${name}${size && `?size=${size}`}`;
      link.download = "";
      link.click();
      say(`The download of ${countOf(assets.length, "photo")} begins.`);
      return true;
    } catch (problem) {
      return fail(problem instanceof Response ? await sentence(problem) : "The server does not answer.");
    }
  }
}
