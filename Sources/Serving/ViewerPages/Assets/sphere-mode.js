// The switch between the flat picture and the sphere, and the fragment of a look: `#look=yaw,pitch,fov`, in degrees.

import { notice } from "./words.js";

/** The sides that differ by no more than this from 2:1 may be a whole sphere: a row or column may have been cut. */
const CUT = 2;

export class SphereMode {
  /** The sphere, while it is shown. */
  sphere;
  #stage;
  #tiles;
  #on;
  #facts;
  #isStated = false;
  #visits = 0;
  #button = document.querySelector("[data-do=sphere]");

  /** `on` has moved(sphere), settled(sphere) and progress(share). */
  constructor(stage, tiles, on) {
    this.#stage = stage;
    this.#tiles = tiles;
    this.#on = on;
  }

  /** Follows the image of the stage, which is shown flat or as the page's fragment and the image's metadata want. */
  open(pyramid) {
    this.close();
    const stated = pyramid?.info.panorama;
    const { width, height } = pyramid?.size ?? { width: 0, height: 1 };
    this.#isStated = stated !== undefined;
    this.#facts = stated ?? (Math.abs(width - 2 * height) <= CUT
      ? { projection: "equirectangular", whole: [0, 0, width, height] } : undefined);
    this.#button.hidden = !this.#facts;
    if (this.#facts && this.#wantsSphere(location.hash)) this.#show(lookOf(location.hash));
  }

  /** Follows the page's fragment. Returns whether the sphere is shown. */
  follow(hash) {
    if (!this.#facts || !this.#wantsSphere(hash)) {
      this.close();
      return false;
    }
    const look = lookOf(hash);
    if (!this.sphere) this.#show(look);
    else this.sphere.view.setLook(look ?? this.sphere.view.initialLook);
    this.sphere?.changed();
    return true;
  }

  /** Whether the sphere is shown or will be. */
  get isOn() { return document.body.classList.contains("sphere"); }

  /** Shows the sphere, or the flat picture again. */
  toggle() {
    if (this.isOn) this.close();
    else if (this.#facts) this.#show();
  }

  /** Shows the flat picture. */
  close() {
    this.#visits++;
    const hadFocus = document.activeElement === this.sphere?.canvas;
    this.sphere?.close();
    this.sphere = undefined;
    if (!this.isOn) return;
    this.#mark(false);
    this.#stage.isHidden = false;
    if (hadFocus) this.#stage.canvas.focus({ focusVisible: false });
  }

  /** The fragment of the look; empty for the one that the image opens with. */
  get fragment() {
    const { look, initialLook } = this.sphere.view;
    const text = ({ yaw, pitch, fov }) => `look=${[yaw, pitch, fov].map((angle) => Number(angle.toFixed(3))).join()}`;
    return this.#opensSphere && text(look) === text(initialLook) ? "" : text(look);
  }

  /** The fragment of the whole flat picture, where the image opens as a sphere. */
  get wholeFragment() { return this.#opensSphere ? "xywh=percent:0,0,100,100" : ""; }

  get #opensSphere() { return this.#isStated && this.#facts.usesViewer !== false; }

  #wantsSphere(hash) {
    if (lookOf(hash)) return true;
    return this.#opensSphere && !["xywh", "rotate", "flip"].some((name) => fields(hash).has(name));
  }

  #mark(isOn) {
    document.body.classList.toggle("sphere", isOn);
    this.#button.ariaPressed = String(isOn);
    document.querySelector("[data-do=phone]").hidden = true;
    const fit = document.querySelector("[data-do=fit]");
    fit.ariaLabel = isOn ? "First view" : "Fit the whole image";
    fit.title = `${fit.ariaLabel} (0)`;
  }

  async #show(look) {
    const visit = ++this.#visits;
    const { canvas, pyramid } = this.#stage;
    this.#mark(true);
    this.#stage.isHidden = true;
    canvas.ariaBusy = "true";
    try {
      const { Sphere } = await import("./sphere.js");
      const sphere = await Sphere.create(canvas, this.#facts, pyramid, this.#tiles, {
        moved: () => this.sphere && this.#on.moved(this.sphere), settled: () => this.sphere && this.#on.settled(this.sphere),
        progress: this.#on.progress,
      });
      if (visit !== this.#visits) return sphere.close();
      this.sphere = sphere;
      if (look) sphere.view.setLook(look);
      document.querySelector("[data-do=phone]").hidden = !sphere.canFollowPhone;
      if (document.activeElement === document.body) sphere.canvas.focus({ focusVisible: false });
    } catch {
      if (visit !== this.#visits) return;
      this.close();
      notice("The sphere cannot be shown here.");
    } finally {
      if (this.sphere) canvas.ariaBusy = "false";
    }
  }
}

function fields(hash) { return new URLSearchParams(hash.replace(/^#/, "")); }

/** The look of a fragment; undefined if it has none. */
function lookOf(hash) {
  const numbers = (fields(hash).get("look") ?? "").split(",").map((text) => (text === "" ? NaN : Number(text)));
  if (numbers.length < 2 || numbers.length > 3 || !numbers.every(Number.isFinite)) return undefined;
  const [yaw, pitch, fov = 90] = numbers;
  return { yaw, pitch, fov };
}

/** A look in words, such as "Looking 30° right, 10° up, 75° wide". */
export function lookInWords({ yaw, pitch, fov }) {
  const part = (angle, positive, negative) => {
    const degrees = Math.round(angle);
    return degrees === 0 ? undefined : `${Math.abs(degrees)}° ${degrees > 0 ? positive : negative}`;
  };
  const where = [part(yaw, "right", "left") ?? "ahead", part(pitch, "up", "down")].filter(Boolean);
  return `Looking ${where.join(", ")}, ${Math.round(fov)}° wide`;
}
