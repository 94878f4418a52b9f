// The page that shows two images with one place: beside each other, or one above the other with a divider or blended.

import { Controls } from "./controls.js";
import { isForPage, listen, listenToKeys, seconds, Selection } from "./gestures.js";
import { carried, fragment, show } from "./place.js";
import { Others } from "./others.js";
import { Progress } from "./progress.js";
import { Pyramid } from "./pyramid.js";
import { compile } from "./compile.js";
import { ScrollView } from "./scroll-view.js";
import { Stage } from "./stage.js";
import { TileLoader } from "./tile-loader.js";
import { explain, notice, NoWebAssembly } from "./words.js";

const keys = {
  1: "actual", r: "turn", "Shift+r": "turnBack", h: "flip", v: "flipDown", f: "full", m: "mode", x: "swap", o: "others",
  ",": "less", ".": "greater", Escape: "leave", "?": "help",
};

/** Beside each other, or one above the other: each with a part of the window, or both everywhere. */
const MODES = ["beside", "swipe", "blend"];

class Comparison {
  #stages;
  #controls;
  #progress = new Progress();
  #others = new Others();
  #shares = [0, 0];
  #divider = document.querySelector("#divider");
  /** The share of the first image, in percent, where one is above the other. */
  #share = 50;
  #mode = MODES[0];
  /** The stage that the other one follows. */
  #leader = 0;

  constructor(pyramids, views) {
    const wanting = (tile) => this.#stages.filter((stage) => stage.wants(tile));
    const tiles = new TileLoader((tile) => {
      for (const stage of wanting(tile)) { notice(); stage.changed(); }
    }, (problem, tile) => { if (wanting(tile).length > 0) notice(explain(problem)); });
    const canvases = [...document.querySelectorAll("canvas")];
    this.#stages = canvases.map((canvas, index) => new Stage(canvas, views[index], tiles, {
      moved: (part) => this.#moved(index, part), settled: (part) => this.#settled(index, part),
      progress: (share) => {
        this.#shares[index] = share;
        this.#progress.show(Math.min(...this.#shares));
      },
    }));
    this.#controls = new Controls(this.#actions(), keys, () => this.#first.changed());
    this.#controls.open(pyramids[0], document.title);
    this.#stages.forEach((stage, index) => {
      const changed = () => {
        this.#leader = index;
        stage.changed();
      };
      listen(stage.canvas, stage.view, new Selection(document.querySelector("#selection"), stage.view), changed);
      stage.measure();
      stage.open(pyramids[index]);
    });
    listenToKeys(this.#first.view, () => this.#lead());
    this.#listenToDivider();
    this.#show();
    addEventListener("hashchange", () => this.#show());
  }

  get #first() { return this.#stages[0]; }

  /** Makes the other image follow the first one. */
  #lead() {
    this.#leader = 0;
    this.#first.changed();
  }

  #show() {
    const fields = new URLSearchParams(location.hash.slice(1));
    this.#arrange(fields.get("mode") ?? MODES[0], Number(fields.get("at") ?? 50));
    show(location.hash, this.#first.view, this.#first.pyramid.size);
    this.#lead();
  }

  #arrange(mode, share = this.#share) {
    this.#mode = MODES.includes(mode) ? mode : MODES[0];
    this.#share = Number.isFinite(share) ? Math.min(100, Math.max(0, share)) : 50;
    const [isSwipe, isBlend] = [this.#mode === "swipe", this.#mode === "blend"];
    document.body.classList.toggle("swipe", isSwipe || isBlend);
    document.body.classList.toggle("blend", isBlend);
    const button = document.querySelector("[data-do=mode]");
    button.ariaLabel = { beside: "Beside each other", swipe: "Divided", blend: "Blended" }[this.#mode];
    button.ariaPressed = String(isSwipe || isBlend);
    this.#divider.hidden = !isSwipe && !isBlend;
    this.#divider.ariaValueNow = String(Math.round(this.#share));
    this.#divider.style.left = `${this.#share}%`;
    const { style } = this.#stages[1].canvas;
    style.clipPath = isSwipe ? `inset(0 0 0 ${this.#share}%)` : "";
    style.opacity = isBlend ? String(1 - this.#share / 100) : "";
    // At once, because a link is for the new sizes.
    for (const stage of this.#stages) stage.measure();
  }

  #actions() {
    const { view } = this.#first;
    const leading = (action) => () => {
      this.#leader = 0;
      view.advance(performance.now() / 1000);
      action();
    };
    const turn = (angle, flips) => leading(() => this.#first.turn(angle(), view.isFlipped !== flips));
    const divide = (share) => () => {
      this.#arrange(this.#above, share());
      this.#lead();
    };
    return {
      in: leading(() => view.press("+", seconds(0.3))),
      out: leading(() => view.press("-", seconds(0.3))),
      fit: leading(() => view.press("0", seconds(0.3))),
      actual: leading(() => view.zoom(1 / devicePixelRatio, seconds(0.3))),
      turn: turn(() => view.rotation + 90, false), turnBack: turn(() => view.rotation - 90, false),
      flip: turn(() => -view.rotation, true), flipDown: turn(() => 180 - view.rotation, true),
      mode: leading(() => this.#arrange(MODES[(MODES.indexOf(this.#mode) + 1) % MODES.length])),
      less: divide(() => this.#share - 5), greater: divide(() => this.#share + 5),
      others: () => this.#others.toggle(),
      swap: () => this.#swap(),
      leave: () => document.querySelector("#first").click(),
    };
  }

  /** The mode in which the divider is moved. */
  get #above() { return this.#mode === MODES[0] ? "swipe" : this.#mode; }

  #swap() {
    const parts = location.pathname.split("/");
    parts.push(...parts.splice(-2).reverse());
    location.replace(parts.join("/") + location.hash);
  }

  #listenToDivider() {
    const divider = this.#divider;
    const move = (event) => {
      if (event.buttons === 0 || !divider.hasPointerCapture(event.pointerId)) return;
      this.#arrange(this.#above, (event.clientX / innerWidth) * 100);
    };
    divider.addEventListener("pointerdown", (event) => divider.setPointerCapture(event.pointerId));
    divider.addEventListener("pointermove", move);
    divider.addEventListener("pointerup", () => this.#first.changed());
    // In the capture phase: arrow keys here do not scroll the images.
    addEventListener("keydown", (event) => {
      if (event.target !== divider || !isForPage(event)) return;
      const share = {
        ArrowLeft: this.#share - 5, ArrowDown: this.#share - 5, ArrowRight: this.#share + 5, ArrowUp: this.#share + 5,
        Home: 0, End: 100,
      }[event.key];
      if (share === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.#arrange(this.#above, share);
      this.#first.changed();
    }, { capture: true });
  }

  #moved(index, part) {
    if (index === 0) this.#controls.update(this.#first.view, part);
    if (index !== this.#leader) return;
    const [leader, follower] = [this.#stages[index], this.#stages[1 - index]];
    follower.turn(leader.view.rotation, leader.view.isFlipped);
    if (leader.isWhole) {
      follower.view.zoom(follower.view.minimumZoomScale);
    } else {
      const { x, y, scale } = carried(leader.view, leader.pyramid.size, follower.pyramid.size);
      follower.view.center(x, y, scale);
    }
    follower.showNow();
  }

  #settled(index, part) {
    if (index !== 0) return;
    const place = fragment(this.#first.view, this.#first.pyramid.size);
    const mode = this.#mode === MODES[0] ? "" : `mode=${this.#mode}&at=${Math.round(this.#share)}`;
    const text = [place, mode].filter(Boolean).join("&");
    history.replaceState(history.state, "", location.pathname + location.search + (text && `#${text}`));
    this.#controls.settle(this.#first.view, undefined, part);
  }
}

async function start() {
  const { first, second } = document.body.dataset;
  try {
    if (typeof WebAssembly !== "object") throw new NoWebAssembly();
    const [model, ...pyramids] = await Promise.all([
      compile(new URL("./scroll.wasm", import.meta.url)), Pyramid.load(new URL(first, location.href).href),
      Pyramid.load(new URL(second, location.href).href),
    ]);
    const views = await Promise.all(pyramids.map(({ size }) => ScrollView.create(model, size)));
    new Comparison(pyramids, views);
  } catch (problem) {
    notice(explain(problem), () => location.reload());
    for (const canvas of document.querySelectorAll("canvas")) canvas.ariaBusy = "false";
  }
}

start();
