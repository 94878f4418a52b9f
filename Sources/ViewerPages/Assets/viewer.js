// The page that shows one image. Connects the image's levels, the scroll view and the page.

import { Controls } from "./controls.js";
import { listen, seconds, Selection } from "./gestures.js";
import { KeyPoses } from "./key-poses.js";
import { recall, remember } from "./last-place.js";
import { Minimap } from "./minimap.js";
import { followNeighbors } from "./neighbors.js";
import { Painter } from "./painter.js";
import { fragment, picture, visiblePart, show } from "./place.js";
import { Pyramid } from "./pyramid.js";
import { ScrollView } from "./scroll-view.js";
import { TileLoader } from "./tile-loader.js";
import { explain, notice, NoWebAssembly } from "./words.js";

/** The maximum number of screen pixels per image pixel. */
const MOST_ZOOM = 32;
/** The margin, as a share of the resting rectangle, that is prefetched after the visible tiles. */
const MARGIN = 0.25;
/** Milliseconds without movement after which the URL and the status text are updated. */
const SETTLED = 250;

const canvas = document.querySelector("#picture");

class Viewer {
  #pyramid;
  #view;
  #painter = new Painter(canvas);
  #tiles;
  #overview;
  #minimap;
  #controls;
  #frame = 0;
  #settling;

  constructor(pyramid, view) {
    this.#pyramid = pyramid;
    this.#view = view;
    const changed = () => this.#changed();
    this.#tiles = new TileLoader(
      () => { notice(); this.#changed(); }, (problem) => notice(explain(problem)),
      pyramid.bitmap && ((tile) => pyramid.bitmap(tile)), pyramid.concurrent);
    const overview = pyramid.overview(320);
    this.#minimap = new Minimap(document.querySelector("#minimap"), overview, pyramid.size, view, changed);
    // Animations start now, not at the last time that the view has seen.
    const starting = (action) => (...parameters) => {
      view.advance(performance.now() / 1000);
      action(...parameters);
    };
    const poses = new KeyPoses();
    this.#controls = new Controls(pyramid, {
      press: starting((key) => view.press(key, seconds(0.3))),
      actual: starting(() => view.zoom(1 / devicePixelRatio, seconds(0.3))),
      turn: () => view.turn((view.rotation + 90) % 360),
      record: () => poses.record(view, pyramid.size),
      copy: () => poses.copy(),
      changed,
    });
    listen(canvas, view, new Selection(document.querySelector("#selection"), view), changed);
    this.#resize(innerWidth * devicePixelRatio, innerHeight * devicePixelRatio);
    show(location.hash || this.#lastPlace, view);
    this.#watch();
    this.#loadOverview(overview);
    this.#changed();
  }

  /** Whether the whole image is visible. */
  get isWhole() { return this.#view.zoomScale <= this.#view.fittingZoomScale * (1 + 1e-6); }

  async #loadOverview(url) {
    if (!url) return;
    const answer = await fetch(url).catch(() => undefined);
    if (!answer?.ok) return;
    this.#overview = await createImageBitmap(await answer.blob());
    this.#changed();
  }

  /** The name of the image in this browser's storage. */
  get #key() { return new URL(document.body.dataset.service, location.href).pathname; }

  /** The fragment of the last view of an image of this size; empty if there is none. */
  get #lastPlace() {
    const { width, height } = this.#pyramid.size;
    const last = recall(this.#key);
    return last?.width === width && last.height === height && typeof last.place === "string" ? last.place : "";
  }

  /** Observes the size and resolution of the window and the fragment of the URL. */
  #watch() {
    const knowsPixels = "devicePixelContentBoxSize" in ResizeObserverEntry.prototype;
    new ResizeObserver(([entry]) => {
      // The box in device pixels is exact if the edge of the window is not, but wrong on emulated screens.
      const [box] = entry.devicePixelContentBoxSize ?? [];
      const pixels = (exact, points) => {
        const near = points * devicePixelRatio;
        return Math.abs(exact - near) < 1 ? exact : near;
      };
      const { width, height } = entry.contentRect;
      this.#resize(pixels(box?.inlineSize, width), pixels(box?.blockSize, height));
    }).observe(canvas, knowsPixels ? { box: "device-pixel-content-box" } : {});
    const watchRatio = () => matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", () => {
      this.#resize(canvas.clientWidth * devicePixelRatio, canvas.clientHeight * devicePixelRatio);
      watchRatio();
    }, { once: true });
    watchRatio();
    addEventListener("hashchange", () => {
      show(location.hash, this.#view);
      this.#changed();
    });
  }

  /** Changes the size, in screen pixels. */
  #resize(width, height) {
    const [across, down] = [Math.round(width), Math.round(height)];
    if (canvas.width !== across) canvas.width = across;
    if (canvas.height !== down) canvas.height = down;
    this.#view.resize(across / devicePixelRatio, down / devicePixelRatio);
    const [fitting, actual] = [this.#view.fittingZoomScale, 1 / devicePixelRatio];
    this.#view.setZoomLimits(Math.min(fitting, actual), Math.max(fitting, actual * MOST_ZOOM));
    // Immediately: resizing a canvas clears it.
    this.#draw();
    this.#changed();
  }

  /** Schedules a frame. */
  #changed() {
    canvas.ariaBusy = "true";
    clearTimeout(this.#settling);
    if (this.#frame === 0) this.#frame = requestAnimationFrame((time) => this.#show(time));
  }

  #show(time) {
    this.#frame = 0;
    const view = this.#view;
    // Input events have earlier timestamps than the frame that follows them: only motion follows the frame's time.
    if (view.isMoving) view.advance(time / 1000);
    this.#draw();
    const visible = this.#visibleTiles();
    this.#tiles.request([...visible, ...this.#tilesAhead()]);
    const part = visiblePart(view.visibleRect, this.#pyramid.size);
    this.#minimap.update(part);
    this.#controls.update(view, part);
    if (view.isMoving) return this.#changed();
    if (!view.isHeld && this.#tiles.has(visible)) this.#settling = setTimeout(() => this.#settle(part), SETTLED);
  }

  #draw() { this.#painter.draw(this.#view, this.#pyramid, this.#tiles, this.#overview); }

  #visibleTiles() { return this.#tilesIn(this.#view.visibleRect); }

  /** The tiles of the part at which the view will come to rest, with a margin. */
  #tilesAhead() {
    const { x, y, width, height } = this.#view.restingRect;
    return this.#tilesIn({ x, y, width, height }, this.#pyramid.margin ?? MARGIN);
  }

  #tilesIn(rect, margin = 0) {
    const level = this.#painter.level(this.#pyramid, rect);
    const [across, down] = [rect.width * margin, rect.height * margin];
    return this.#pyramid.tiles(level, {
      x: rect.x - across, y: rect.y - down, width: rect.width + 2 * across, height: rect.height + 2 * down,
    });
  }

  /** Updates the URL and the status text after all motion has ended. */
  #settle(part) {
    const { pathname, search } = location;
    const place = fragment(this.#view, this.#pyramid.size);
    history.replaceState(null, "", `${pathname}${search}${place && "#"}${place}`);
    const { width, height } = this.#pyramid.size;
    remember(this.#key, place ? { place, width, height } : undefined);
    // Without a server the picture is that of the screen.
    const saved = this.#pyramid.address ? picture(this.#view, this.#pyramid, devicePixelRatio) : undefined;
    this.#controls.settle(saved, part);
    canvas.ariaBusy = "false";
  }
}

async function start() {
  let viewer;
  followNeighbors(() => viewer?.isWhole ?? true);
  const { service, sidecar } = document.body.dataset;
  const format = new URLSearchParams(location.search).get("format") ?? undefined;
  try {
    if (typeof WebAssembly !== "object") throw new NoWebAssembly();
    const pyramid = sidecar
      ? await (await import("./static-pyramid.js")).StaticPyramid.load(service, sidecar)
      : await Pyramid.load(service, format);
    const view = await ScrollView.load(new URL("scroll.wasm", import.meta.url), pyramid.size);
    viewer = new Viewer(pyramid, view);
  } catch (problem) {
    notice(explain(problem), () => location.reload());
    canvas.ariaBusy = "false";
  }
}

start();
