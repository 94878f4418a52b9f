// A panorama as a viewer in its middle sees it: a canvas of its own over that of the flat picture, from the same tiles.

import { measure, watchSize } from "./canvas-size.js";
import { canFollowPhone, FollowedPhone } from "./follow-phone.js";
import { listen, seconds } from "./gestures.js";
import { PanoramaView } from "./panorama-view.js";
import { compile } from "./compile.js";
import { CanvasPainter } from "./sphere-canvas.js";
import { WebGLPainter } from "./sphere-gl.js";
import { SphereMap } from "./sphere-map.js";
import { SpherePages } from "./sphere-pages.js";

/** Milliseconds without movement after which the view has settled. */
const SETTLED = 250;
/** How much coarser the level is that loads before the wanted one. */
const COARSER = 4;

export class Sphere {
  #facts;
  #pyramid;
  #tiles;
  #on;
  #painter;
  #pages;
  #overview;
  #phone;
  #frame = 0;
  #settling;
  #isResting = true;
  #isExact = false;
  #isShown = false;
  #place = "";
  #wanted = new Set();
  /** The maps of a look by the factor of the level that was asked for. */
  #maps = new Map();
  #mapped = "";

  /**
   * Shows a panorama over a canvas: `facts` are those of `info.json`, `tiles` the loader. `on` has moved(), settled() and
   * progress(share), which is 1 when everything visible has arrived.
   */
  static async create(flat, facts, pyramid, tiles, on) {
    const compiled = await compile(new URL("./panorama.wasm", import.meta.url), Boolean(document.body.dataset.sidecar));
    const canvas = Object.assign(flat.cloneNode(), { id: "sphere", hidden: false });
    canvas.setAttribute("aria-roledescription", "panorama");
    canvas.setAttribute("aria-describedby", "sphere-keys");
    canvas.ariaBusy = "true";
    flat.after(canvas);
    try {
      const { width, height } = canvas.getBoundingClientRect();
      const view = await PanoramaView.create(compiled, facts, pyramid.size, { width, height });
      return new Sphere(canvas, view, facts, pyramid, tiles, on);
    } catch (problem) {
      canvas.remove();
      throw problem;
    }
  }

  constructor(canvas, view, facts, pyramid, tiles, on) {
    this.canvas = canvas;
    this.view = view;
    this.#facts = facts;
    this.#pyramid = pyramid;
    this.#tiles = tiles;
    this.#on = on;
    this.#painter = WebGLPainter.create(canvas) ?? new CanvasPainter(canvas);
    const url = pyramid.overview(320);
    this.#overview = url ? { url, x: 0, y: 0, ...pyramid.size } : undefined;
    this.#pages = new SpherePages(pyramid, tiles, this.#painter, this.#overview);
    view.tapSeconds = seconds(0.3);
    const changed = () => this.changed();
    listen(canvas, view, { isOpen: false, begin() {}, cancel() {} }, changed);
    this.#phone = new FollowedPhone(view, changed);
    canvas.addEventListener("pointerdown", () => this.#phone.end());
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      this.#painter.restore();
      this.#pages.renewAll();
      changed();
    });
    measure(canvas, this.#resize);
    watchSize(canvas, this.#resize);
    changed();
  }

  /** Shows the panorama no more. */
  close() {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#settling);
    this.#frame = -1;
    this.#phone.end();
    this.#tiles.request(this, []);
    this.#painter.end();
    this.canvas.remove();
  }

  /** Whether a tile is visible, and not only fetched in advance. */
  wants(tile) { return this.#wanted.has(tile.url); }

  /** Draws a tile that has arrived. */
  show(tile) {
    this.#pages.renew(tile);
    if (this.wants(tile)) this.changed();
  }

  get canFollowPhone() { return canFollowPhone(); }

  /** Follows the turns of the phone, or does no longer. */
  followPhone() { return this.#phone.toggle(); }

  /** Schedules a frame. */
  changed() {
    this.canvas.ariaBusy = "true";
    clearTimeout(this.#settling);
    if (this.#frame === 0) this.#frame = requestAnimationFrame((time) => this.#show(time));
  }

  #resize = (width, height) => {
    const [across, down] = [Math.round(width), Math.round(height)];
    if (across === 0 || down === 0) return;
    const { canvas, view } = this;
    const { bounds } = view;
    const points = [across / devicePixelRatio, down / devicePixelRatio];
    if (canvas.width === across && canvas.height === down && bounds.width === points[0] && bounds.height === points[1]) return;
    Object.assign(canvas, { width: across, height: down });
    view.resize(...points);
    // Immediately: resizing a canvas clears it.
    this.#draw(true, true);
    this.changed();
  };

  #show(time) {
    this.#frame = 0;
    const { view } = this;
    // Input events have earlier timestamps than the frame that follows them: only motion follows the frame's time.
    if (view.isMoving) view.advance(time / 1000);
    const place = Object.values(view.look).join();
    if (view.isMoving || view.isHeld || place !== this.#place) this.#isResting = false;
    this.#place = place;
    const map = this.#map(view.look);
    const visible = this.#tilesOf(map);
    const isDone = visible.every((tile) => this.#tiles.has([tile]) || this.#tiles.hasFailed(tile));
    const first = this.#request(map, visible);
    const arrived = visible.filter((tile) => this.#tiles.has([tile])).length;
    this.#draw(!(this.#isResting && isDone), view.isMoving || view.isHeld || arrived === 0);
    if (!this.#isShown && this.#tiles.has(first)) this.#noteFirstView();
    const isComplete = this.#tiles.has(visible);
    this.#on.progress(isComplete ? 1 : arrived / visible.length);
    this.#on.moved();
    if (view.isMoving) return this.changed();
    if (!view.isHeld && isDone) this.#settling = setTimeout(() => this.#settle(isComplete), SETTLED);
  }

  /** Tells measurements that all of the first view is shown, though it may get sharper. */
  #noteFirstView() {
    this.#isShown = true;
    performance.mark("panorama");
  }

  #settle(isComplete) {
    this.#isResting = true;
    if (!this.#isExact) this.#draw(false);
    this.#on.settled();
    if (isComplete) this.canvas.ariaBusy = "false";
  }

  /**
   * Draws the tiles that have arrived: as they come to rest, or as quickly as motion needs it. A sketch of few pixels is made
   * of the coarser level if it `isQuick`.
   */
  #draw(isSketch, isQuick) {
    const coarse = isSketch && isQuick && this.#painter.sketchPixel >= COARSER && this.#coarser(this.#map(this.view.look));
    const map = this.#map(this.view.look, coarse || undefined);
    const slots = this.#pages.hold(map.level, map.pagesAcross, map.pagesDown, map.numbers);
    this.#painter.draw(map, slots, isSketch);
    this.#isExact = !isSketch;
  }

  /**
   * Requests what is visible, something coarser before it, and what will be visible after the motion. Returns the tiles
   * of the coarser view, or those of the visible one where these are loaded first.
   */
  #request(map, visible) {
    const overview = this.#overview ? [this.#overview] : [];
    const coarse = this.#coarser(map);
    const first = coarse && !this.#tiles.has(visible) ? this.#tilesOf(this.#map(this.view.look, coarse)) : [];
    const ahead = this.view.isMoving ? this.#tilesOf(this.#map(this.view.restingLook)) : [];
    this.#wanted = new Set([...overview, ...first, ...visible].map(({ url }) => url));
    this.#tiles.request(this, [overview, first, visible, ahead]);
    return first.length > 0 ? first : visible;
  }

  /** The level that loads before that of a map, if there is one. */
  #coarser(map) { return this.#pyramid.levels.find(({ factor }) => factor === map.level.factor * COARSER); }

  #tilesOf(map) { return this.#pages.tilesOf(map.level, map.pagesAcross, map.numbers); }

  /**
   * The map of a look on a level, at first the one that has enough pixels in the middle, of which the painter holds all pages.
   * Maps are kept while the look is the same.
   */
  #map(look, level) {
    const { canvas, view } = this;
    const key = [look.yaw, look.pitch, look.fov, view.look.roll, canvas.width, canvas.height].join();
    if (this.#mapped !== key) this.#maps.clear();
    this.#mapped = key;
    const known = this.#maps.get(level?.factor);
    if (known) return known;
    const map = this.#newMap(look, level);
    this.#maps.set(level?.factor, map);
    return map;
  }

  #newMap(look, level) {
    const { canvas, view } = this;
    const screen = { width: canvas.width, height: canvas.height };
    const radius = canvas.width / 2 / Math.tan((look.fov * Math.PI) / 360);
    const { levels, size } = this.#pyramid;
    let chosen = level ?? this.#pyramid.level(this.#facts.whole[2] / (2 * Math.PI) / radius);
    for (;;) {
      const map = new SphereMap(this.#facts, size, chosen, { ...look, roll: view.look.roll }, radius, screen);
      map.numbers = map.pages();
      const coarser = levels[levels.indexOf(chosen) - 1];
      if (map.numbers.size <= this.#painter.mostPages || !coarser) return map;
      chosen = coarser;
    }
  }
}
