// A finger that moves across an image that fits goes to the next or previous one; down, it leaves.

/** The least distance in CSS pixels, and the least speed in CSS pixels per millisecond that replaces it. */
const DISTANCE = 70;
const SPEED = 0.4;

/**
 * Adds the listeners. `isWhole()` tells whether the image fits, `can(direction)` whether there is one to go to, and
 * `go(direction)` goes: to "previous", "next" or "back".
 */
export function listenToSwipes(canvas, isWhole, can, go) {
  const fingers = new Set();
  let start;

  canvas.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch") return;
    fingers.add(event.pointerId);
    start = fingers.size === 1 && isWhole() ? event : undefined;
    if (!start) settle(canvas);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!start || event.pointerId !== start.pointerId) return;
    const { across, down, direction } = movement(start, event);
    // An image that cannot go there follows less far.
    const share = direction && can(direction) ? 1 : 0.25;
    canvas.style.transform = Math.abs(across) > Math.abs(down)
      ? `translateX(${across * share}px)` : `translateY(${Math.max(0, down) * share}px)`;
  });
  const lift = (isEnd) => (event) => {
    fingers.delete(event.pointerId);
    if (!start || event.pointerId !== start.pointerId) return;
    const { direction, length, time } = movement(start, event);
    start = undefined;
    settle(canvas);
    const isFar = length >= DISTANCE || (length > 20 && length / time > SPEED);
    if (isEnd && isFar && direction && can(direction)) go(direction);
  };
  canvas.addEventListener("pointerup", lift(true));
  canvas.addEventListener("pointercancel", lift(false));
}

function movement(start, { clientX, clientY, timeStamp }) {
  const [across, down] = [clientX - start.clientX, clientY - start.clientY];
  const time = Math.max(1, timeStamp - start.timeStamp);
  if (Math.abs(across) > Math.abs(down)) {
    return { across, down, time, length: Math.abs(across), direction: across < 0 ? "next" : "previous" };
  }
  return { across, down, time, length: Math.abs(down), direction: down > 0 ? "back" : undefined };
}

function settle(canvas) { canvas.style.removeProperty("transform"); }
