// Passes pointer, wheel and keyboard events to the scroll view, with their timestamps.

const WHEEL_SECONDS = 0.16;
const KEY_SECONDS = 0.2;
/** Points per line, for browsers that report wheel movement in lines. */
const LINE = 100 / 3;

/** The duration of an animation; undefined if the user prefers reduced motion. */
export function seconds(duration) {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? undefined : duration;
}

/** Adds the listeners. `changed()` is called after every event that may have moved the view. */
export function listen(canvas, view, selection, changed) {
  const handle = (event, action) => {
    view.advance(event.timeStamp / 1000);
    action();
    canvas.classList.toggle("held", view.isHeld);
    changed();
  };
  const finger = (phase) => (event) => {
    handle(event, () => view.touch(phase, event.pointerId, event.offsetX, event.offsetY));
  };
  const [moved, ended, cancelled] = [finger("moved"), finger("ended"), finger("cancelled")];

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    if (event.shiftKey && event.pointerType === "mouse") return selection.begin(event);
    finger("began")(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (selection.isOpen) return selection.stretch(event);
    if (event.buttons !== 0) moved(event);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (!selection.isOpen) return ended(event);
    handle(event, () => selection.end(event));
  });
  canvas.addEventListener("pointercancel", (event) => {
    selection.cancel();
    cancelled(event);
  });

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const unit = [1, LINE, canvas.clientHeight][event.deltaMode];
    const time = hasNotches(event) ? seconds(WHEEL_SECONDS) : undefined;
    handle(event, () => view.wheel(
      event.deltaX * unit, event.deltaY * unit, event.offsetX, event.offsetY, event.ctrlKey || event.metaKey, time));
  }, { passive: false });

  canvas.ownerDocument.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("dialog")) return;
    handle(event, () => {
      if (view.press(event.key, seconds(KEY_SECONDS))) event.preventDefault();
    });
  });
}

/** Whether a wheel event comes from a mouse wheel with notches. Trackpads send small steps with momentum. */
function hasNotches({ deltaMode, deltaX, deltaY, wheelDelta }) {
  if (deltaMode !== 0) return true;
  return wheelDelta % 120 === 0 && Math.max(Math.abs(deltaX), Math.abs(deltaY)) >= 50;
}

/** A rectangle drawn with the mouse, to which the view zooms. */
export class Selection {
  #element;
  #view;
  #start;

  constructor(element, view) {
    this.#element = element;
    this.#view = view;
  }

  get isOpen() { return this.#start !== undefined; }

  begin({ offsetX, offsetY }) { this.#start = { x: offsetX, y: offsetY }; }

  stretch(event) {
    const { x, y, width, height } = this.#rect(event);
    Object.assign(this.#element.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
    this.#element.hidden = false;
  }

  end(event) {
    const { x, y, width, height } = this.#rect(event);
    this.cancel();
    if (width < 4 || height < 4) return;
    const [a, b] = [this.#view.imagePoint(x, y), this.#view.imagePoint(x + width, y + height)];
    this.#view.zoomToRect(between(a, b), seconds(0.4));
  }

  cancel() {
    this.#start = undefined;
    this.#element.hidden = true;
  }

  #rect({ offsetX, offsetY }) { return between(this.#start, { x: offsetX, y: offsetY }); }
}

/** The rectangle between two corners. */
function between(a, b) {
  return {
    x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y),
  };
}
