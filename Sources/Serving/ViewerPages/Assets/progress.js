// A line that grows while the visible part loads.

/** Milliseconds after which it appears: what is fast needs none. */
const SOON = 300;

export class Progress {
  #element = document.querySelector("#progress");
  #timer;

  /** Shows the share that has arrived; 1 hides the line. */
  show(share) {
    this.#element.value = share;
    if (share >= 1) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#element.hidden = true;
    } else {
      this.#timer ??= setTimeout(() => { this.#element.hidden = false; }, SOON);
    }
  }
}
