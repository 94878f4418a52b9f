// The date scrubber at the right edge: years along the whole grid, and the month under the finger or in view.

import { monthTitle } from "./titles.js";

/** The least space between two years, in points. */
const APART = 22;

export class Scrubber {
  #element = document.getElementById("scrubber");
  #years = document.getElementById("years");
  #month = document.getElementById("month");
  #layout;
  #scroll;
  #hiding;
  /** Where a key has led: several months may share a row. */
  #at;

  /** `scroll` has top, view and height, and go(top). */
  constructor(scroll) {
    this.#scroll = scroll;
    const element = this.#element;
    const drag = (event) => {
      const { top, height } = element.getBoundingClientRect();
      this.#go((event.clientY - top) / height);
    };
    element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      element.setPointerCapture(event.pointerId);
      element.classList.add("held");
      drag(event);
    });
    element.addEventListener("pointermove", (event) => { if (element.hasPointerCapture(event.pointerId)) drag(event); });
    const release = () => { element.classList.remove("held"); this.#fade(); };
    element.addEventListener("pointerup", release);
    element.addEventListener("pointercancel", release);
    element.addEventListener("keydown", (event) => this.#press(event));
  }

  get #most() { return Math.max(1, this.#layout.height - this.#scroll.view); }

  /** Takes another arrangement; without dates there is nothing to scrub. */
  reset(layout, by) {
    this.#layout = layout;
    this.#at = undefined;
    const hasDates = by !== "all" && by !== "place" && layout.height > 2 * this.#scroll.view && layout.entries.length > 1;
    this.#element.hidden = !hasDates;
    this.#years.replaceChildren();
    if (!hasDates) return;
    const height = this.#element.clientHeight;
    let [last, lastY] = [undefined, -Infinity];
    layout.entries.forEach(([key], entry) => {
      const year = key === null ? "–" : String(key).slice(0, 4);
      if (year === last) return;
      last = year;
      const y = layout.topWithHeading(layout.starts[entry]) / layout.height * height;
      if (y - lastY < APART || y > height - APART) return;
      lastY = y;
      const mark = Object.assign(document.createElement("span"), { textContent: year });
      mark.style.top = `${y}px`;
      this.#years.append(mark);
    });
  }

  /** Follows the scrolling: says the month at the top of what is seen. */
  update(isMoving) {
    if (this.#element.hidden || this.#layout.count === 0) return;
    const { top } = this.#scroll;
    const share = Math.min(1, Math.max(0, top / this.#most));
    const title = monthTitle(this.#layout.entries[this.#here][0]);
    if (this.#month.textContent !== title) this.#month.textContent = title;
    this.#month.style.top = `${share * 100}%`;
    this.#element.ariaValueNow = String(Math.round(share * 100));
    this.#element.ariaValueText = title;
    if (isMoving) {
      this.#element.classList.add("moving");
      this.#fade();
    }
  }

  /** The entry that is seen first, or to which a key has led. */
  get #here() {
    const { top } = this.#scroll;
    return this.#at && Math.abs(this.#at.top - top) < 1 ? this.#at.entry : this.#layout.entryAt(top + 1);
  }

  #fade() {
    clearTimeout(this.#hiding);
    this.#hiding = setTimeout(() => this.#element.classList.remove("moving"), 1200);
  }

  #go(share) { this.#scroll.go(Math.min(1, Math.max(0, share)) * this.#most); }

  /** Arrows lead to the next month, Page Up and Down to the next year. */
  #press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { entries, starts } = this.#layout;
    const here = this.#here;
    const digits = { ArrowDown: 6, ArrowUp: 6, PageDown: 4, PageUp: 4 }[event.key];
    const isDown = event.key.endsWith("Down");
    let entry = here;
    if (event.key === "Home") entry = 0;
    else if (event.key === "End") entry = entries.length - 1;
    else if (!digits) return;
    else {
      const part = (index) => String(entries[index][0]).slice(0, digits);
      const step = isDown ? 1 : -1;
      const own = part(here);
      while (entries[entry + step] && part(entry) === own) entry += step;
      // Upwards: to the beginning of that month.
      if (!isDown) {
        const other = part(entry);
        while (entry > 0 && part(entry - 1) === other) entry--;
      }
    }
    event.preventDefault();
    this.#scroll.go(this.#layout.topWithHeading(starts[entry]));
    this.#at = { entry, top: this.#scroll.top };
    this.update(true);
  }
}
