// A slideshow: leads from photo to photo of a group, at a steady pace, with a bar and keys of its own.

const KEY = "viewport.slideshow";
const PACE = "viewport.pace";
/** The seconds for which a photo may be shown, and those of the first slideshow. */
const PACES = [3, 5, 10, 20, 60];
const USUAL = 5;
/** The seconds for which it waits at most for a photo that loads. */
const PATIENCE = 5;
const PAUSE = "M8 5v14M16 5v14";
const PLAY = "M8 5.500v13l10-6.500z";

/** "on", "paused", or null where no slideshow runs in this tab. */
function state() {
  try { return sessionStorage.getItem(KEY); } catch { return null; }
}

function keep(state) {
  try { sessionStorage.setItem(KEY, state); } catch { /* Without storage, one photo is shown. */ }
}

export function startSlideshow() { keep("on"); }

export function stopSlideshow() {
  try { sessionStorage.removeItem(KEY); } catch { /* Nothing was kept. */ }
}

/** Follows a running slideshow: `go("next")` and `go("previous")` show a photo, or return false at the ends. */
export class Slideshow {
  #go;
  #timer;
  #changed;
  #bar;
  #pace;

  constructor(go, changed) {
    this.#go = go;
    this.#changed = changed;
    this.#make();
    addEventListener("keydown", (event) => this.#press(event), { capture: true });
    addEventListener("pointerdown", ({ target }) => {
      if (this.isOn && !this.#bar.contains(target)) this.#hold(true);
    }, { capture: true });
    document.addEventListener("visibilitychange", () => this.#wait());
    this.#show();
    this.#wait();
  }

  get isOn() { return state() !== null; }
  get #isPaused() { return state() === "paused"; }

  start() {
    startSlideshow();
    this.#show();
    this.#wait();
  }

  stop() {
    stopSlideshow();
    clearTimeout(this.#timer);
    this.#show();
  }

  #make() {
    this.#bar = Object.assign(document.createElement("div"), { id: "show", className: "bar", role: "toolbar" });
    this.#bar.ariaLabel = "Slideshow";
    const add = (name, title, path, action) => {
      const button = Object.assign(document.createElement("button"), { type: "button", title });
      button.dataset.show = name;
      button.ariaLabel = title.replace(/ \(.*/, "");
      button.innerHTML = `<svg viewBox="0 0 24 24"><path d="${path}"/></svg>`;
      button.addEventListener("click", action);
      this.#bar.append(button);
    };
    add("previous", "Previous photo (←)", "M15 5l-7 7 7 7", () => this.#step("previous"));
    add("pause", "Pause (space)", PAUSE, () => this.#hold(!this.#isPaused));
    add("next", "Next photo (→)", "M9 5l7 7-7 7", () => this.#step("next"));
    this.#pace = Object.assign(document.createElement("select"), { title: "Seconds for a photo (+ −)" });
    this.#pace.ariaLabel = "Seconds for a photo";
    this.#pace.append(...PACES.map((seconds) => new Option(`${seconds} s`, seconds)));
    this.#pace.value = recallPace();
    this.#pace.addEventListener("change", () => this.#setPace(Number(this.#pace.value)));
    this.#bar.append(this.#pace);
    add("exit", "End the slideshow (Esc)", "M6 6l12 12M18 6L6 18", () => this.stop());
    document.querySelector("header").after(this.#bar);
  }

  #show() {
    this.#bar.hidden = !this.isOn;
    const button = this.#bar.querySelector("[data-show=pause]");
    button.title = this.#isPaused ? "Continue (space)" : "Pause (space)";
    button.ariaLabel = button.title.replace(/ \(.*/, "");
    button.querySelector("path").setAttribute("d", this.#isPaused ? PLAY : PAUSE);
    document.body.classList.toggle("paused", this.#isPaused);
    this.#changed(this.isOn);
  }

  #hold(isPaused) {
    keep(isPaused ? "paused" : "on");
    this.#show();
    this.#wait();
  }

  #step(direction) {
    this.#go(direction);
    this.#wait();
  }

  #setPace(seconds) {
    this.#pace.value = seconds;
    try { localStorage.setItem(PACE, seconds); } catch { /* For this page only. */ }
    this.#wait();
  }

  #press(event) {
    if (!this.isOn || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("dialog, input, select")) return;
    const isButton = event.target.closest?.("button, a") && [" ", "Enter"].includes(event.key);
    const pace = (by) => this.#setPace(PACES[Math.min(PACES.length - 1, Math.max(0, PACES.indexOf(Number(this.#pace.value)) + by))]);
    const action = {
      " ": () => this.#hold(!this.#isPaused), Escape: () => this.stop(),
      ArrowRight: () => this.#step("next"), ArrowLeft: () => this.#step("previous"),
      "+": () => pace(1), "-": () => pace(-1),
    }[event.key];
    if (!action || isButton) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    action();
  }

  /** Begins the time of a photo, once it is seen. */
  #wait(seconds = Number(this.#pace.value), patience = PATIENCE) {
    clearTimeout(this.#timer);
    if (state() !== "on" || document.hidden) return;
    this.#timer = setTimeout(() => {
      const isLoading = document.querySelector("#picture")?.ariaBusy === "true";
      if (isLoading && patience > 0) return this.#wait(1, patience - 1);
      if (this.#go("next") === false) this.stop();
      else this.#wait();
    }, seconds * 1000);
  }
}

function recallPace() {
  try {
    const kept = Number(localStorage.getItem(PACE));
    return PACES.includes(kept) ? kept : USUAL;
  } catch { return USUAL; }
}
