// An overview of the image with the visible part. A click or a drag moves the view.

/** The maximum length of the longer side, in points and as a share of the window's shorter side. */
const LENGTH = 150;
const SHARE = 0.3;

export class Minimap {
  #box;
  #map;
  #window;
  #size;
  #view;

  constructor(box, view, changed) {
    this.#box = box;
    this.#map = box.firstElementChild;
    this.#window = box.querySelector("span");
    this.#view = view;
    const go = (event) => {
      if (event.buttons === 0) return;
      const { x, y } = this.#imagePoint(event);
      view.advance(event.timeStamp / 1000);
      view.center(x, y);
      changed();
    };
    box.addEventListener("pointerdown", (event) => {
      box.setPointerCapture(event.pointerId);
      go(event);
    });
    box.addEventListener("pointermove", go);
  }

  /** Shows another image. */
  open(size, source) {
    this.#size = size;
    const image = this.#box.querySelector("img");
    if (source && image.getAttribute("src") === source) return;
    if (source) image.src = source;
    else image.removeAttribute("src");
  }

  /** Shows the visible part. Hidden if the whole image is visible. */
  update(part) {
    if (!this.#size) return;
    const { width, height } = this.#size;
    this.#box.hidden = part.width >= width && part.height >= height;
    if (this.#box.hidden) return;
    const scale = Math.min(LENGTH, SHARE * Math.min(innerWidth, innerHeight)) / Math.max(width, height);
    const [across, down] = [Math.max(8, width * scale), Math.max(8, height * scale)];
    const { cosine, sine } = this.#turn;
    const extent = (a, b) => a * Math.abs(cosine) + b * Math.abs(sine);
    Object.assign(this.#box.style, { width: `${extent(across, down) + 10}px`, height: `${extent(down, across) + 10}px` });
    const flip = this.#view.isFlipped ? " scaleX(-1)" : "";
    Object.assign(this.#map.style, {
      width: `${across}px`, height: `${down}px`,
      transform: `translate(-50%, -50%) rotate(${this.#view.rotation}deg)${flip}`,
    });
    // A transformation moves it without another layout in each frame.
    Object.assign(this.#window.style, {
      width: `${(part.width / width) * across}px`, height: `${(part.height / height) * down}px`,
      transform: `translate(${(part.x / width) * across}px, ${(part.y / height) * down}px)`,
    });
  }

  /** The image point under the pointer. The map is flipped and rotated with the image. */
  #imagePoint({ clientX, clientY }) {
    const box = this.#map.getBoundingClientRect();
    const [across, down] = [clientX - box.left - box.width / 2, clientY - box.top - box.height / 2];
    const { cosine, sine } = this.#turn;
    const { width, height } = this.#size;
    const scale = this.#map.offsetWidth / width;
    const x = ((across * cosine + down * sine) / scale) * (this.#view.isFlipped ? -1 : 1);
    return { x: width / 2 + x, y: height / 2 + (down * cosine - across * sine) / scale };
  }

  get #turn() {
    const angle = (this.#view.rotation * Math.PI) / 180;
    return { cosine: Math.cos(angle), sine: Math.sin(angle) };
  }
}
