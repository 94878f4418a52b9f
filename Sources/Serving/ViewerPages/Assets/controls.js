// The toolbar, its panel, their keyboard shortcuts, and the status text.

import { isForPage } from "./gestures.js";
import { lookInWords } from "./sphere-mode.js";
import { say } from "./words.js";

/** Milliseconds without input after which the overlays fade, unless they are hovered or focused. */
const CALM = 4000;

export class Controls {
  #scale = document.querySelector("#scale");
  #angle = document.querySelector("#angle");
  #size;
  #calming;

  /**
   * `actions` are what the buttons and keys do, by the names in `data-do` and in `keys`; each is followed by
   * `changed()`. `keys` has the names of actions by key, with "Shift+" where it is held.
   */
  constructor(actions, keys, changed) {
    const handlers = {
      ...actions,
      full: toggleFullScreen,
      more: () => this.#toggleMore(),
      help: () => document.querySelector("#help").showModal(),
    };
    document.querySelector("#controls").hidden = false;
    for (const button of document.querySelectorAll("[data-do]")) {
      button.addEventListener("click", (event) => {
        handlers[button.dataset.do](event);
        changed();
      });
    }
    document.addEventListener("keydown", (event) => {
      if (!isForPage(event)) return;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const name = (event.shiftKey && keys[`Shift+${key}`]) || keys[key];
      if (!name) return;
      event.preventDefault();
      handlers[name](event);
      changed();
    });
    this.#angle?.addEventListener("input", () => {
      actions.straighten(Number(this.#angle.value));
      changed();
    });
    this.#listenToMore();
    this.#followFullScreen();
    for (const type of ["pointermove", "pointerdown", "wheel", "keydown", "focusin"]) {
      document.addEventListener(type, () => this.#wake(), { passive: true, capture: true });
    }
    this.#wake();
  }

  /** Shows another image. */
  open({ size, info }, name) {
    this.#size = size;
    document.querySelector("#size")?.replaceChildren(`${size.width} × ${size.height}`);
    const save = document.querySelector("#save");
    if (save) save.hidden = info.profile === "level0";
    this.#name = name;
  }

  #name = "";

  /** Updates the display while the view moves; the sphere has no visible part. */
  update(view, part) {
    set(this.#scale, "textContent", `${percent(view)} %`);
    set(this.#scale, "title", part ? `${pixels(part)} pixels of the image are visible` : "Pixels in the middle");
    if (!this.#angle || !part) return;
    const angle = leaning(view.rotation);
    if (Number(this.#angle.value) !== angle) this.#angle.value = angle;
    set(document.querySelector("#degrees"), "textContent", `${Number(angle.toFixed(1))}°`);
  }

  /** Updates the link and the status text when the view has come to rest. */
  settle(view, picture, part) {
    const { width, height } = this.#size;
    const [x, y] = [Math.round(part.x), Math.round(part.y)];
    const save = document.querySelector("#save");
    if (save) {
      save.href = picture ?? "#";
      save.download = `${this.#name} ${x},${y} ${pixels(part)}.png`;
    }
    const turned = [
      view.rotation === 0 ? "" : `, rotated by ${Number(view.rotation.toFixed(1))} degrees`,
      view.isFlipped ? ", flipped" : "",
    ].join("");
    const scale = this.#scale.textContent;
    say(`${scale}, ${pixels(part)} of ${width} × ${height} pixels, from ${x}, ${y}${turned}`);
  }

  /** Updates the link and the status text when a look has come to rest. */
  settleLook(look) {
    const save = document.querySelector("#save");
    save.href = "#";
    save.download = `${this.#name} ${[look.yaw, look.pitch, look.fov].map(Math.round).join()}.png`;
    say(lookInWords(look));
  }

  #listenToMore() {
    const [button, panel] = [document.querySelector("[data-do=more]"), document.querySelector("#more")];
    if (!panel) return;
    const close = () => this.#toggleMore(false);
    document.addEventListener("pointerdown", ({ target }) => {
      if (!panel.contains(target) && !button.contains(target)) close();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || panel.hidden) return;
      event.stopImmediatePropagation();
      close();
      button.focus();
    }, { capture: true });
  }

  #toggleMore(isOpen = document.querySelector("#more").hidden) {
    if (document.querySelector("#more").hidden !== isOpen) return;
    document.querySelector("#more").hidden = !isOpen;
    document.querySelector("[data-do=more]").ariaExpanded = String(isOpen);
    this.#wake();
  }

  #followFullScreen() {
    const button = document.querySelector("[data-do=full]");
    if (!button) return;
    button.hidden = !document.fullscreenEnabled;
    document.addEventListener("fullscreenchange", () => {
      button.ariaPressed = String(document.fullscreenElement !== null);
    });
  }

  #wake() {
    document.body.classList.remove("calm");
    clearTimeout(this.#calming);
    this.#calming = setTimeout(() => {
      if (document.querySelector("#more")?.hidden ?? true) document.body.classList.add("calm");
    }, CALM);
  }
}

/** Sets a property that has another value: the same one would be laid out in each frame, too. */
function set(element, name, value) {
  if (element[name] !== value) element[name] = value;
}

/** The angle to the nearest quarter turn, in degrees, from -45 to 45. */
export function leaning(rotation) {
  const rest = rotation % 90;
  return rest > 45 ? rest - 90 : rest;
}

function toggleFullScreen() {
  if (document.fullscreenElement) return document.exitFullscreen();
  return document.documentElement.requestFullscreen();
}

/** Screen pixels per image pixel, with the significant digits. */
function percent(view) {
  const value = view.zoomScale * devicePixelRatio * 100;
  return value < 10 ? Number(value.toPrecision(2)) : Math.round(value);
}

function pixels({ width, height }) { return `${Math.round(width)} × ${Math.round(height)}`; }
