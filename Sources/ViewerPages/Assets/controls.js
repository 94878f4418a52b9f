// The toolbar, its keyboard shortcuts, and the status text.

/** Milliseconds without input after which the overlays fade, unless they are hovered or focused. */
const CALM = 4000;

export class Controls {
  #pyramid;
  #scale = document.querySelector("#scale");
  #status = document.querySelector("#status");
  #save = document.querySelector("#save");
  #calming;

  /** `actions` are the buttons' actions on the view: press(key), actual(), turn(), record(), copy(), changed(). */
  constructor(pyramid, actions) {
    this.#pyramid = pyramid;
    const { width, height } = pyramid.size;
    document.querySelector("#size").textContent = `${width} × ${height}`;
    document.querySelector("#controls").hidden = false;
    this.#save.hidden = pyramid.info.profile === "level0";
    const help = document.querySelector("#help");
    if (!pyramid.address) {
      const canvas = document.querySelector("#picture");
      this.#save.addEventListener("click", () => { this.#save.href = canvas.toDataURL(); });
    }
    const handlers = {
      in: () => actions.press("+"),
      out: () => actions.press("-"),
      fit: () => actions.press("0"),
      actual: actions.actual,
      turn: actions.turn,
      full: toggleFullScreen,
      help: () => help.showModal(),
      save: () => this.#save.hidden || this.#save.click(),
    };
    for (const button of document.querySelectorAll("button[data-do]")) {
      button.addEventListener("click", () => {
        handlers[button.dataset.do]();
        actions.changed();
      });
    }
    const byKey = {
      1: handlers.actual, r: handlers.turn, f: handlers.full, s: handlers.save, "?": handlers.help,
      k: (event) => event.shiftKey ? actions.copy() : actions.record(),
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("dialog")) return;
      const handler = byKey[event.key.toLowerCase()];
      if (!handler) return;
      event.preventDefault();
      handler(event);
      actions.changed();
    });
    this.#followFullScreen();
    for (const type of ["pointermove", "pointerdown", "keydown", "focusin"]) {
      document.addEventListener(type, () => this.#wake(), { passive: true });
    }
    this.#wake();
  }

  /** Updates the display while the view moves. */
  update(view, part) {
    this.#scale.textContent = `${percent(view)} %`;
    this.#scale.title = `${pixels(part)} pixels of the image are visible`;
  }

  /** Updates the link and the status text when the view has come to rest. */
  settle(picture, part) {
    const { width, height } = this.#pyramid.size;
    const [x, y] = [Math.round(part.x), Math.round(part.y)];
    if (picture) this.#save.href = picture;
    this.#save.download = `${document.title} ${x},${y} ${pixels(part)}.png`;
    const words = `${this.#scale.textContent}, ${pixels(part)} of ${width} × ${height} pixels, from ${x}, ${y}`;
    if (this.#status.textContent !== words) this.#status.textContent = words;
  }

  #followFullScreen() {
    const button = document.querySelector("[data-do=full]");
    button.hidden = !document.fullscreenEnabled;
    document.addEventListener("fullscreenchange", () => {
      button.ariaPressed = String(document.fullscreenElement !== null);
    });
  }

  #wake() {
    document.body.classList.remove("calm");
    clearTimeout(this.#calming);
    this.#calming = setTimeout(() => document.body.classList.add("calm"), CALM);
  }
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
