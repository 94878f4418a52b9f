// The page that shows one image. Connects the image's levels, the scroll view and the page.

import { Animation } from "./animation.js";
import { Controls, leaning } from "./controls.js";
import { listen, listenToKeys, seconds, Selection } from "./gestures.js";
import { hint } from "./hint.js";
import { KeyPoses } from "./key-poses.js";
import { recall, remember } from "./last-place.js";
import { Minimap } from "./minimap.js";
import { comparison, listenToNeighborKeys, neighbors, pagesOf, showNeighbors, showPages } from "./neighbors.js";
import { fragment, picture, show } from "./place.js";
import { Progress } from "./progress.js";
import { Pyramid } from "./pyramid.js";
import { Readout } from "./readout.js";
import { compile } from "./compile.js";
import { ScrollView } from "./scroll-view.js";
import { SphereMode } from "./sphere-mode.js";
import { Stage } from "./stage.js";
import { listenToSwipes } from "./swipe.js";
import { TileLoader } from "./tile-loader.js";
import { explain, needsPlainPicture, notice, NoWebAssembly, setRemark, showPlainPicture } from "./words.js";

const canvas = document.querySelector("#picture");
const offer = document.querySelector("#offer");
/** Milliseconds for which the last place is offered. */
const OFFERED = 15_000;
/** The format of tiles that the URL asks for. */
const format = new URLSearchParams(location.search).get("format") ?? undefined;
const keys = {
  1: "actual", r: "turn", "Shift+r": "turnBack", h: "flip", v: "flipDown", "[": "leanBack", "]": "lean", f: "full",
  s: "save", c: "compare", k: "record", "Shift+k": "copy", ",": "pageBack", ".": "pageOn", l: "readout",
  "?": "help", o: "sphere", " ": "play",
};

class Viewer {
  #view;
  #tiles;
  #stage;
  #minimap;
  #readout;
  #controls;
  #mode;
  #animation;
  #progress = new Progress();
  /** The levels of this image and of its neighbors, by service. */
  #pyramids = new Map();
  #service;
  #neighbors;
  /** The last place, while it is offered. */
  #offered = "";
  /** Counts the images that were opened, to recognize late answers. */
  #visits = 0;

  constructor(pyramid, view, service) {
    this.#view = view;
    // For what libraries draw over the picture, which follows the event viewmove.
    canvas.view = view;
    const changed = () => this.#shown.changed();
    this.#tiles = new TileLoader((tile) => {
      this.#mode.sphere?.show(tile);
      if (!this.#shown.wants(tile)) return;
      notice();
      changed();
    }, (problem, tile) => this.#shown.wants(tile) && this.#fail(problem), pyramid.concurrent);
    this.#stage = new Stage(canvas, view, this.#tiles, {
      moved: (part) => this.#moved(part), settled: (part) => this.#settled(part),
      progress: (share) => this.#progress.show(share),
    });
    this.#stage.prefetched = () => this.#tilesOfNeighbors();
    this.#mode = new SphereMode(this.#stage, this.#tiles, {
      moved: (sphere) => this.#controls.update(sphere.view), settled: (sphere) => this.#settledLook(sphere),
      progress: (share) => this.#progress.show(share),
    });
    this.#animation = new Animation(this.#stage);
    this.#minimap = new Minimap(document.querySelector("#minimap"), view, changed);
    this.#readout = new Readout(canvas, view);
    this.#controls = new Controls(this.#actions(), keys, () => this.#stage.pyramid && changed());
    listen(canvas, view, new Selection(document.querySelector("#selection"), view), changed);
    listenToKeys({
      advance: (time) => this.#shown.view.advance(time), press: (key, time) => this.#shown.view.press(key, time),
    }, changed);
    addEventListener("hashchange", () => {
      if (this.#mode.follow(location.hash)) return;
      show(location.hash, view, this.#stage.pyramid.size);
      changed();
    });
    this.#stage.measure();
    this.#open(pyramid, service);
    show(location.hash, view, pyramid.size);
    if (!this.#mode.isOn) this.#offerLastPlace();
    hint();
  }

  /** What is shown: the sphere, or the stage. */
  get #shown() { return this.#mode.sphere ?? this.#stage; }

  /** Follows a link to another page of the file. */
  turnPage = () => {};

  #goToPage(direction) {
    const page = pagesOf(location.href, this.#stage.pyramid?.info.pages)?.[direction];
    if (page) this.turnPage(page);
  }

  /** Whether the whole image is visible. */
  get isWhole() { return !this.#mode.isOn && (!this.#stage.pyramid || this.#stage.isWhole); }

  /** Shows the neighbors, of which the tiles at the same place are fetched. */
  async follow(found) {
    this.#neighbors = found;
    const visit = this.#visits;
    const services = [found.next, found.previous].map((one) => one?.service).filter(Boolean);
    if (navigator.connection?.saveData) return;
    await Promise.all(services.map(async (service) => {
      if (!this.#pyramids.has(service)) this.#pyramids.set(service, await Pyramid.load(service, format).catch(() => undefined));
    }));
    for (const service of this.#pyramids.keys()) {
      if (service !== this.#service && !services.includes(service)) this.#pyramids.delete(service);
    }
    if (visit === this.#visits) this.#stage.changed();
  }

  /** Shows the image of a service in this page. */
  async go(service, keepsPlace) {
    const visit = ++this.#visits;
    this.#withdraw();
    notice();
    const known = this.#pyramids.get(service);
    try {
      const pyramid = known ?? await Pyramid.load(service, format);
      if (visit === this.#visits) this.#open(pyramid, service, keepsPlace);
    } catch (problem) {
      if (visit !== this.#visits) return;
      setRemark();
      this.#mode.open(undefined);
      this.#animation.open(undefined);
      this.#stage.open(undefined);
      this.#service = service;
      this.#progress.show(1);
      notice(explain(problem), () => this.go(service, keepsPlace));
    }
  }

  /** Offers the view of the last visit for a while, until the image is moved. */
  #offerLastPlace() {
    this.#offered = location.hash ? "" : this.#lastPlace;
    if (!this.#offered) return;
    offer.hidden = false;
    setTimeout(() => { offer.hidden = true; }, OFFERED);
    offer.addEventListener("click", () => {
      canvas.focus();
      show(this.#offered, this.#view, this.#stage.pyramid.size);
      this.#stage.changed();
    });
  }

  /** Takes back the offer. */
  #withdraw() {
    this.#offered = "";
    offer.hidden = true;
  }

  #fail(problem) {
    notice(explain(problem));
    this.#shown.changed();
  }

  #open(pyramid, service, keepsPlace = false) {
    this.#pyramids.set(service, pyramid);
    this.#service = service;
    this.#mode.close();
    this.#animation.close();
    this.#stage.open(pyramid, keepsPlace);
    this.#minimap.open(pyramid.size, undefined);
    this.#readout.open(pyramid);
    this.#controls.open(pyramid, document.title);
    canvas.imageSize = pyramid.size;
    const { damage, pages } = pyramid.info;
    showPages(pagesOf(location.href, pages), (direction) => this.#goToPage(direction));
    setRemark(damage && `The file is damaged: ${damage}.`);
    const exact = document.querySelector("#exact");
    exact.closest("label").hidden = !pyramid.hasExactTiles;
    exact.checked = pyramid.format === "png";
    this.#mode.open(pyramid);
    this.#animation.open(pyramid);
  }

  #actions() {
    const view = this.#view;
    // Animations start now, not at the last time that the view has seen.
    const starting = (action) => () => {
      const { view } = this.#shown;
      view.advance(performance.now() / 1000);
      action(view);
    };
    const flat = (action) => () => this.#mode.isOn || action();
    const turn = (degrees) => flat(() => this.#stage.turn(view.rotation + degrees));
    // A flip as it is seen: of what was rotated already.
    const flip = (half) => flat(() => this.#stage.turn(half - view.rotation, !view.isFlipped));
    const lean = (degrees) => flat(() => {
      const angle = Math.min(45, Math.max(-45, leaning(view.rotation) + degrees));
      this.#stage.turn(view.rotation - leaning(view.rotation) + angle);
    });
    const poses = new KeyPoses();
    return {
      in: starting((view) => view.press("+", seconds(0.3))),
      out: starting((view) => view.press("-", seconds(0.3))),
      fit: starting((view) => view.press("0", seconds(0.3))),
      actual: starting((view) => view.zoom(1 / devicePixelRatio, seconds(0.3))),
      turn: turn(90), turnBack: turn(-90), flip: flip(0), flipDown: flip(180), lean: lean(1), leanBack: lean(-1),
      straighten: (angle) => this.#stage.turn(view.rotation - leaning(view.rotation) + angle),
      save: (event) => this.#save(event),
      compare: (event) => {
        const link = document.querySelector("#compare");
        if (event.type === "keydown" && link.href) location.assign(link.href);
      },
      exact: () => this.#changeFormat(),
      pageBack: () => this.#goToPage("previous"), pageOn: () => this.#goToPage("next"),
      readout: flat(() => this.#readout.toggle()),
      record: flat(() => poses.record(view, this.#stage.pyramid.size)),
      copy: () => poses.copy(),
      play: flat(() => this.#animation.toggle()),
      sphere: () => this.#mode.toggle(),
      phone: () => this.#mode.sphere?.followPhone(),
    };
  }

  /** Saves the view: the server's picture of it or, where it makes none, the canvas. */
  #save(event) {
    const link = document.querySelector("#save");
    if (link.hidden) return;
    // The server's picture of an animation is that of its first frame.
    if (!link.href || link.getAttribute("href") === "#" || this.#animation.isShown) {
      const address = link.getAttribute("href");
      link.href = this.#shown.canvas.toDataURL();
      setTimeout(() => { link.href = address ?? "#"; });
    }
    if (event.type === "keydown") link.click();
  }

  #changeFormat() {
    const url = new URL(location.href);
    url.searchParams.set("format", document.querySelector("#exact").checked ? "png" : "jpg");
    location.replace(url);
  }

  #moved(part) {
    const { pyramid, overview } = this.#stage;
    if (overview && this.#tiles.has([overview])) this.#minimap.open(pyramid.size, overview.url);
    this.#minimap.update(part);
    this.#readout.update();
    this.#animation.update();
    canvas.dispatchEvent(new Event("viewmove"));
    this.#controls.update(this.#view, part);
  }

  /** Updates the URL and the status text after all motion has ended. */
  #settled(part) {
    const { pyramid } = this.#stage;
    const place = fragment(this.#view, pyramid.size);
    writeFragment(place || this.#mode.wholeFragment);
    if (place) this.#withdraw();
    // Until the image is moved, the last place is that of the visit before.
    if (!this.#offered) remember(this.#key, place ? { place, ...pyramid.size } : undefined);
    // Without a server the picture is that of the screen.
    this.#controls.settle(
      this.#view, pyramid.address ? picture(this.#view, pyramid, devicePixelRatio) : undefined, part);
  }

  /** Updates the URL and the status text after a look has come to rest. */
  #settledLook(sphere) {
    writeFragment(this.#mode.fragment);
    this.#withdraw();
    this.#controls.settleLook(sphere.view.look);
  }

  /** The name of the image in this browser's storage. */
  get #key() { return new URL(this.#service, location.href).pathname; }

  /** The fragment of the last view of an image of this size; empty if there is none. */
  get #lastPlace() {
    const { width, height } = this.#stage.pyramid.size;
    const last = recall(this.#key);
    return last?.width === width && last.height === height && typeof last.place === "string" ? last.place : "";
  }

  /** The tiles of the next and the previous image at the same place, and those of the whole next image. */
  #tilesOfNeighbors() {
    const { next, previous } = this.#neighbors ?? {};
    const [after, before] = [next, previous].map((one) => this.#pyramids.get(one?.service));
    return [[after, true], [before, true], [after, false]].filter(([pyramid]) => pyramid)
      .flatMap(([pyramid, keepsPlace]) => [...this.#stage.tilesOf(pyramid, keepsPlace), ...overviewOf(pyramid)]);
  }
}

function writeFragment(text) {
  const { pathname, search } = location;
  history.replaceState(history.state, "", `${pathname}${search}${text && "#"}${text}`);
}

/** The small picture of an image, as a tile. */
function overviewOf(pyramid) {
  const url = pyramid.overview(320);
  return url ? [{ url }] : [];
}

/** The neighbors of the image, whether it can be shown or not. */
class Row {
  #viewer;
  #found;
  /** Where to go once the neighbors are known: [direction, keepsPlace]. */
  #wanted;

  constructor() {
    const go = (direction, keepsPlace) => this.go(direction, keepsPlace);
    listenToNeighborKeys(() => this.#viewer?.isWhole ?? true, go);
    listenToSwipes(
      canvas, () => this.#viewer?.isWhole ?? true,
      (direction) => (direction === "back" ? this.#back !== null : Boolean(this.#found?.[direction])), go);
    document.addEventListener("photochoice", ({ detail }) => this.#show(detail, false));
    this.load();
  }

  set viewer(viewer) {
    this.#viewer = viewer;
    viewer.turnPage = (page) => this.#show(page, false);
    if (this.#found) viewer.follow(this.#found);
  }

  get #back() { return document.querySelector("header a[href]"); }

  async load() {
    if (document.body.dataset.sidecar) return;
    const address = location.href;
    const found = await neighbors(address);
    if (!found || new URL(address).pathname !== location.pathname) return;
    this.#found = found;
    showNeighbors(found, (direction) => this.go(direction, false));
    const link = document.querySelector("#compare");
    const compared = found.isComparable === false ? undefined : comparison(address, found.next ?? found.previous);
    link.hidden = !compared;
    if (compared) link.href = compared;
    const [wanted] = this.#wanted ?? [];
    if (found[wanted]) return this.go(...this.#wanted);
    await this.#viewer?.follow(found);
  }

  /** Goes to a neighbor in this page and this entry of the history, or back. */
  go(direction, keepsPlace) {
    if (direction === "back") return this.#back?.click();
    this.#wanted = this.#found ? undefined : [direction, keepsPlace];
    const one = this.#found?.[direction];
    if (!one) return;
    this.#show(one, keepsPlace);
  }

  #show(one, keepsPlace) {
    if (!this.#viewer || !one.service) return location.replace(one.address);
    this.#found = this.#wanted = undefined;
    const url = new URL(one.address);
    if (format) url.searchParams.set("format", format);
    history.replaceState(history.state, "", url);
    document.title = one.name ?? decodeURIComponent(one.identifier).split("/").at(-1);
    document.querySelector("h1").textContent = document.title;
    canvas.ariaLabel = document.title;
    document.body.dataset.service = one.service;
    this.#viewer.go(one.service, keepsPlace);
    // Panels of other modules show the facts of the photo of the URL.
    document.dispatchEvent(new CustomEvent("photochange"));
    this.load();
  }
}

async function start() {
  const row = new Row();
  // What libraries add to the page of a photo. It follows the event photochange.
  if (new URLSearchParams(location.search).has("library")) import("./photo.js").catch(() => {});
  if (new URLSearchParams(location.search).has("manifest")) import("./strip.js").then(({ showStrip }) => showStrip()).catch(() => {});
  const { service, sidecar } = document.body.dataset;
  try {
    if (typeof WebAssembly !== "object") throw new NoWebAssembly();
    const address = new URL(service, location.href).href;
    const regions = sidecar && compile(new URL("./regions.wasm", import.meta.url), true);
    const [pyramid, model] = await Promise.all([
      sidecar
        ? import("./static-pyramid.js").then(({ StaticPyramid }) => StaticPyramid.load(service, sidecar, regions))
        : Pyramid.load(address, format),
      compile(new URL("./scroll.wasm", import.meta.url), Boolean(sidecar)),
      regions,
    ]);
    row.viewer = new Viewer(pyramid, await ScrollView.create(model, pyramid.size), address);
  } catch (problem) {
    const isPlain = needsPlainPicture(problem);
    notice(explain(problem), isPlain ? undefined : () => location.reload());
    if (isPlain) showPlainPicture();
    canvas.ariaBusy = "false";
  }
}

start();
