// Passes pointer, wheel and keyboard events to the scroll view, with their timestamps.

const WHEEL_SECONDS = 0.16;
const KEY_SECONDS = 0.2;
/** Points per line, for browsers that report wheel movement in lines. */
const LINE = 100 / 3;
/** Milliseconds between two movements of one turn of the wheel, which either zooms or scrolls. */
const WHEEL_PAUSE = 500;

/** The duration of an animation; undefined if the user prefers reduced motion. */
export function seconds(duration) {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? undefined : duration;
}

/** Whether a key event is for the page, and not for the browser, a dialog or a field. */
export function isForPage(event) {
  return !(event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("dialog, input, textarea, select"));
}

/** Adds the listeners of a canvas. `changed()` is called after every event that may have moved the view. */
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
  listenToWheel(canvas, view, handle);
}

/** The wheel scrolls, and zooms with Ctrl or where nothing can scroll. */
function listenToWheel(canvas, view, handle) {
  let [last, zooms] = [-Infinity, false];
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const unit = [1, LINE, canvas.clientHeight][event.deltaMode];
    const time = hasNotches(event) ? seconds(WHEEL_SECONDS) : undefined;
    if (event.timeStamp - last > WHEEL_PAUSE) zooms = !view.canScroll;
    last = event.timeStamp;
    handle(event, () => view.wheel(
      event.deltaX * unit, event.deltaY * unit, event.offsetX, event.offsetY,
      event.ctrlKey || event.metaKey || zooms, time));
  }, { passive: false });
}

/** Adds the keys of the scroll view. */
export function listenToKeys(view, changed) {
  document.addEventListener("keydown", (event) => {
    if (!isForPage(event)) return;
    view.advance(event.timeStamp / 1000);
    if (view.press(event.key, seconds(KEY_SECONDS))) event.preventDefault();
    changed();
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
    const view = this.#view;
    const [a, b] = [view.imagePoint(x, y), view.imagePoint(x + width, y + height)];
    if (view.isUpright) return view.zoomToRect(between(a, b), seconds(0.4));
    const [across, down] = [width / view.zoomScale, height / view.zoomScale];
    view.zoomToRect(
      { x: (a.x + b.x - across) / 2, y: (a.y + b.y - down) / 2, width: across, height: down }, seconds(0.4));
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
