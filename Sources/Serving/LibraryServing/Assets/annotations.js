// The named parts of a photo over the viewer's picture: W3C annotations of the library, drawn and named where it may be edited.

import { ask } from "./ask.js";
import { fail, post, say } from "./edits.js";
import { sentence } from "./words.js";

/** The points that a finger moves at least to draw a box; less is a point. */
const STEADY = 8;
/** The smallest mark of a part, in points. */
const LEAST = 24;
const PART = /^xywh=pixel:(\d+),(\d+),(\d+),(\d+)$/;

export class Annotations {
  #place;
  #asset;
  #items = [];
  #run = 0;
  #canvas = document.querySelector("#picture");
  #layer = Object.assign(document.createElement("ul"), { id: "annotations" });
  #board = Object.assign(document.createElement("div"), { id: "board", hidden: true, tabIndex: -1 });
  #frame = Object.assign(document.createElement("div"), { id: "drawn", hidden: true });
  #toggled;
  #start;
  #allowsEdits = false;
  #isHidden = false;

  /** `place` is the address of the library; `toggled(isDrawing)` follows the mode in which a part is drawn. */
  constructor(place, toggled) {
    this.#place = place;
    this.#toggled = toggled;
    this.#layer.ariaLabel = "Annotations";
    this.#board.role = "application";
    this.#board.ariaLabel = "Draw a box, or tap a point. Enter marks what is seen, Escape ends.";
    this.#canvas.after(this.#layer, this.#board);
    this.#board.append(this.#frame);
    this.#canvas.addEventListener("viewmove", () => this.#arrange());
    addEventListener("focus", () => this.#load());
    this.#listen();
  }

  /** Shows the annotations of a photo. */
  open(asset, allowsEdits) {
    this.#allowsEdits = allowsEdits;
    this.draws(false);
    if (asset !== this.#asset) this.#show([]);
    this.#asset = asset;
    this.#load();
  }

  get isDrawing() { return !this.#board.hidden; }
  get count() { return this.#items.length; }

  /** Begins to draw a part, or ends it without one. */
  draws(isDrawing) {
    const isOn = isDrawing && this.#allowsEdits;
    this.#start = undefined;
    this.#frame.hidden = true;
    if (this.#board.hidden === !isOn) return;
    this.#board.hidden = !isOn;
    this.#toggled(isOn);
    if (isOn) {
      this.#board.focus({ focusVisible: false });
      say(matchMedia("(hover: hover)").matches
        ? "Draw a box, or click a point. Enter marks what is seen." : "Draw a box, or tap a point.");
    } else this.#canvas.focus({ focusVisible: false });
  }

  /** Hides the annotations, or shows them again. */
  toggle() {
    this.#isHidden = !this.#isHidden;
    this.#layer.hidden = this.#isHidden;
    say(this.#isHidden ? "Annotations are hidden." : "Annotations are shown.");
  }

  async #load() {
    const [run, asset] = [++this.#run, this.#asset];
    if (asset === undefined) return;
    const answer = await fetch(`${this.#place}/annotations/${asset}`).catch(() => undefined);
    const page = answer?.ok ? await answer.json() : { items: [] };
    if (run === this.#run) this.#show(page.items);
  }

  #show(items) {
    const focused = document.activeElement?.closest("#annotations li")?.dataset.number;
    this.#items = items.map((item) => ({
      number: item["viewport:number"], version: item["viewport:version"], name: item.body.value,
      rect: PART.exec(item.target.selector.value)?.slice(1).map(Number),
    })).filter(({ rect }) => rect);
    this.#layer.replaceChildren(...this.#items.map((item) => this.#make(item)));
    this.#arrange();
    if (focused) this.#layer.querySelector(`[data-number="${focused}"] button`)?.focus();
  }

  #make(item) {
    const mark = document.createElement("li");
    mark.dataset.number = item.number;
    const button = Object.assign(document.createElement("button"), { type: "button" });
    button.append(Object.assign(document.createElement("span"), { textContent: item.name }));
    button.addEventListener("click", () => this.#open(item));
    mark.append(button);
    return mark;
  }

  /** Puts the marks where their parts are. */
  #arrange() {
    const { view } = this.#canvas;
    if (!view) return;
    [...this.#layer.children].forEach((mark, index) => {
      const [x, y, width, height] = this.#items[index].rect;
      const corners = [[x, y], [x + width, y], [x + width, y + height], [x, y + height]].map(([x, y]) => view.viewPoint(x, y));
      const [across, down] = [corners.map((point) => point.x), corners.map((point) => point.y)];
      let [left, top, right, bottom] = [Math.min(...across), Math.min(...down), Math.max(...across), Math.max(...down)];
      const isPoint = width === 1 && height === 1;
      mark.classList.toggle("point", isPoint);
      const extra = (length) => Math.max(0, LEAST - length) / 2;
      [left, right] = [left - extra(right - left), right + extra(right - left)];
      [top, bottom] = [top - extra(bottom - top), bottom + extra(bottom - top)];
      const isSeen = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
      mark.hidden = !isSeen;
      Object.assign(mark.style, { transform: `translate(${left}px, ${top}px)`, width: `${right - left}px`, height: `${bottom - top}px` });
    });
  }

  /** Shows what an annotation says, with what can be done with it. */
  #open(item) {
    if (!this.#allowsEdits) return say(item.name);
    const input = Object.assign(document.createElement("input"), { defaultValue: item.name, maxLength: 500, autocomplete: "off" });
    input.ariaLabel = "Name";
    const fields = document.createElement("div");
    const remove = Object.assign(document.createElement("button"), { type: "button", textContent: "Remove", className: "remove" });
    remove.addEventListener("click", async () => {
      if (!await this.#change({ do: "remove", number: item.number, version: item.version }, "Annotation removed.")) return;
      // Nothing that was typed is of use any more.
      input.value = input.defaultValue;
      fields.closest("dialog").dispatchEvent(new Event("cancel", { cancelable: true }));
    });
    fields.append(input, remove);
    ask("Annotation", "Save", fields, (name) => !name.trim() || name.trim() === item.name ||
      this.#change({ do: "change", number: item.number, version: item.version, name: name.trim() }, "Annotation saved."));
  }

  /** Asks for the name of a part, and saves it. */
  #name(rect) {
    const input = Object.assign(document.createElement("input"), { maxLength: 500, autocomplete: "off", required: true });
    input.ariaLabel = "Name";
    const fields = document.createElement("div");
    fields.append(input);
    this.draws(false);
    ask("Name of this part", "Save", fields, (name) =>
      name.trim() && this.#change({ do: "add", rect, name: name.trim() }, "Annotation saved."));
  }

  async #change(body, words) {
    try {
      await post(`${this.#place}/annotate`, { ...body, assets: [this.#asset] });
      say(words);
      return true;
    } catch (problem) {
      return fail(problem instanceof Response ? await sentence(problem) : "The server does not answer; nothing was changed.");
    } finally {
      this.#load();
    }
  }

  #listen() {
    const board = this.#board;
    const rect = ({ clientX, clientY }) => {
      const [x, y] = this.#start;
      return [Math.min(x, clientX), Math.min(y, clientY), Math.abs(x - clientX), Math.abs(y - clientY)];
    };
    board.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      // A second finger ends what the first has begun.
      if (this.#start || !event.isPrimary) {
        this.#start = undefined;
        this.#frame.hidden = true;
        return;
      }
      board.setPointerCapture(event.pointerId);
      this.#start = [event.clientX, event.clientY];
    });
    board.addEventListener("pointermove", (event) => {
      if (!this.#start) return;
      const [left, top, width, height] = rect(event);
      this.#frame.hidden = Math.max(width, height) < STEADY;
      Object.assign(this.#frame.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
    });
    board.addEventListener("pointerup", (event) => {
      if (!this.#start) return;
      const [left, top, width, height] = rect(event);
      const isPoint = Math.max(width, height) < STEADY;
      const part = isPoint ? this.#part(event.clientX, event.clientY, 0, 0) : this.#part(left, top, width, height);
      this.#start = undefined;
      if (part) this.#name(part);
      else this.draws(false);
    });
    // Else a click would follow, on the button of the dialog that lies there then.
    board.addEventListener("touchend", (event) => { if (event.cancelable) event.preventDefault(); });
    board.addEventListener("pointercancel", () => this.draws(true));
    board.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.draws(false);
      else if (event.key === "Enter") {
        const part = this.#part(0, 0, this.#canvas.clientWidth, this.#canvas.clientHeight);
        if (part) this.#name(part);
      } else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** The pixels of the picture below a rectangle of the window; undefined outside of the picture. */
  #part(left, top, width, height) {
    const { view, imageSize } = this.#canvas;
    const corners = [[left, top], [left + width, top], [left + width, top + height], [left, top + height]]
      .map(([x, y]) => view.imagePoint(x, y));
    const range = (axis, most) => {
      const values = corners.map((point) => point[axis]);
      const start = Math.max(0, Math.floor(Math.min(...values)));
      const end = Math.min(most, Math.max(Math.ceil(Math.max(...values)), start + 1));
      return [start, end - start];
    };
    const [[x, across], [y, down]] = [range("x", imageSize.width), range("y", imageSize.height)];
    return across > 0 && down > 0 ? [x, y, across, down] : undefined;
  }
}
