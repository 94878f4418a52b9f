// A slideshow: leads from photo to photo of a group, at a steady pace, until something is pressed.

const KEY = "viewport.slideshow";
/** Seconds for which a photo is shown. */
const PACE = 5;
/** The seconds for which it waits at most for a photo that loads. */
const PATIENCE = 5;

/** Whether a slideshow is running in this tab. */
function isRunning() {
  try { return sessionStorage.getItem(KEY) === "on"; } catch { return false; }
}

export function startSlideshow() {
  try { sessionStorage.setItem(KEY, "on"); } catch { /* Without storage, one photo is shown. */ }
}

export function stopSlideshow() {
  try { sessionStorage.removeItem(KEY); } catch { /* Nothing was kept. */ }
}

/** Follows a running slideshow: `next()` shows the next photo, or returns false at the end. */
export class Slideshow {
  #next;
  #timer;
  #changed;

  constructor(next, changed) {
    this.#next = next;
    this.#changed = changed;
    addEventListener("keydown", ({ key }) => { if (key !== "F11" && this.isOn) this.stop(); }, { capture: true });
    addEventListener("pointerdown", () => this.isOn && this.stop(), { capture: true });
    document.addEventListener("visibilitychange", () => this.#wait());
    if (isRunning()) this.#wait();
    this.#changed(this.isOn);
  }

  get isOn() { return isRunning(); }

  start() {
    startSlideshow();
    this.#changed(true);
    this.#wait();
  }

  stop() {
    stopSlideshow();
    clearTimeout(this.#timer);
    this.#changed(false);
  }

  /** Begins the time of a photo, once it is seen. */
  #wait(seconds = PACE, patience = PATIENCE) {
    clearTimeout(this.#timer);
    if (!this.isOn || document.hidden) return;
    this.#timer = setTimeout(() => {
      const isLoading = document.querySelector("#picture")?.ariaBusy === "true";
      if (isLoading && patience > 0) return this.#wait(1, patience - 1);
      if (this.#next() === false) this.stop();
      else this.#wait();
    }, seconds * 1000);
  }
}
