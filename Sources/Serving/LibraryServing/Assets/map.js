// The page of a map: the photos of a group as clusters, which the server makes for what is seen.

import { apart } from "./apart.js";
import { say } from "./edits.js";
import { PlaceBox } from "./place-box.js";
import { latitude, longitude, TILE, x, y } from "./projection.js";
import { countOf, countTitle } from "./titles.js";
import { sentence } from "./words.js";
import { WorldMap } from "./world-map.js";

const DEEPEST = 18;
/** Milliseconds without movement after which the clusters of what is seen are asked for. */
const SETTLED = 150;
/** The points around the photos when all are shown. */
const EDGE = 60;
/** Half of the picture of a cluster. */
const HALF = 28;
/** The points that a finger moves before it moves the map. */
const STEADY = 6;
/** The level from which a cluster opens its photos instead of coming nearer. */
const NEAR = 14;

const server = new URL("../", import.meta.url).href.replace(/\/$/, "");
const library = location.pathname.split("/").at(-2);
const place = `${server}/library/${library}`;
const given = new URLSearchParams(location.search);
const { group, tiles } = document.body.dataset;
const canvas = document.getElementById("world");
const list = document.getElementById("clusters");

class ClusterMap {
  #map = new WorldMap(canvas, { atlas: `${place}/atlas`, tiles, changed: () => this.#redraw() });
  #middle = { x: 0.5, y: 0.4 };
  #zoom = 1;
  #frame = 0;
  #waiting;
  #request;
  /** By key: the element and the point of a cluster. */
  #shown = new Map();
  #extent;
  #pointers = new Map();

  constructor() {
    const back = document.getElementById("back");
    const choices = new URLSearchParams(given);
    choices.delete("group");
    back.href = `group/${encodeURIComponent(group)}${choices.size ? `?${choices}` : ""}`;
    new ResizeObserver(() => this.#changed()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#changed());
    this.#map.ready.then(() => this.#changed(), () => say("The outline of the world is missing on this server."));
    this.#listen();
    new PlaceBox(`${place}/places`, ({ latitude, longitude: east, level }) => {
      this.#middle = { x: x(east), y: y(latitude) };
      this.#zoom = this.#within(level);
      canvas.focus({ focusVisible: false });
      this.#changed();
    });
    this.#begin();
  }

  get #scale() { return TILE * 2 ** this.#zoom; }
  get #query() { return new URLSearchParams([...given].filter(([name]) => ["group", "filter", "where"].includes(name))); }

  async #begin() {
    const [, at] = location.hash.match(/^#(-?[\d.]+,-?[\d.]+,[\d.]+)$/) ?? [];
    await this.#load(true);
    if (at) {
      const [south, east, zoom] = at.split(",").map(Number);
      this.#middle = { x: x(east), y: y(south) };
      this.#zoom = this.#within(zoom);
    } else this.#showAll();
    this.#changed();
  }

  #within(zoom) {
    // The map fills the screen.
    const least = Math.log2(Math.max(canvas.clientWidth, canvas.clientHeight, TILE) / TILE);
    return Math.min(DEEPEST, Math.max(least, zoom));
  }

  /** Shows the part of the world that has photos. */
  #showAll() {
    if (!this.#extent) { this.#zoom = this.#within(0); return; }
    const [south, west, north, east] = this.#extent;
    this.#fit(x(west), y(north), x(east), y(south));
  }

  #fit(left, top, right, bottom, most = 12) {
    this.#middle = { x: (left + right) / 2, y: (top + bottom) / 2 };
    const across = Math.max(1, canvas.clientWidth - 2 * EDGE) / Math.max(right - left, 1e-9);
    const down = Math.max(1, canvas.clientHeight - 2 * EDGE) / Math.max(bottom - top, 1e-9);
    this.#zoom = this.#within(Math.min(most, Math.log2(Math.min(across, down) / TILE)));
  }

  #redraw() {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#show());
  }

  #changed() {
    this.#redraw();
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.#load(), SETTLED);
  }

  #show() {
    this.#frame = 0;
    const { clientHeight } = canvas;
    const scale = this.#scale;
    // Nothing lies beyond the poles of the map.
    const half = clientHeight / 2 / scale;
    this.#middle.y = half >= 0.5 ? 0.5 : Math.min(1 - half, Math.max(half, this.#middle.y));
    this.#middle.x -= Math.floor(this.#middle.x);
    const places = [...this.#shown.values()].map(({ element, point }) => this.#put(element, point));
    // Names stand beside the pictures of clusters.
    this.#map.draw(this.#middle, scale, places.map(([left, top]) => [left - HALF, top - HALF, left + HALF, top + HALF]));
  }

  /** Puts a cluster at its point; returns the point of the screen. */
  #put(element, point) {
    const scale = this.#scale;
    // The world repeats: the nearest of all copies counts.
    const across = point.x - this.#middle.x;
    const left = (across - Math.round(across)) * scale + canvas.clientWidth / 2;
    const top = (point.y - this.#middle.y) * scale + canvas.clientHeight / 2;
    element.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
    element.hidden = left < -60 || top < -60 || left > canvas.clientWidth + 60 || top > canvas.clientHeight + 60;
    return [left, top];
  }

  /** The part that is seen: south, west, north, east. */
  get #bounds() {
    const scale = this.#scale;
    const [half, up] = [canvas.clientWidth / 2 / scale, canvas.clientHeight / 2 / scale];
    const clamp = (value) => Math.min(1, Math.max(0, value));
    const [south, north] = [latitude(clamp(this.#middle.y + up)), latitude(clamp(this.#middle.y - up))];
    if (half >= 0.5) return [south, -180, north, 180];
    const wrap = (value) => longitude(value - Math.floor(value));
    return [south, wrap(this.#middle.x - half), north, wrap(this.#middle.x + half)];
  }

  async #load(isFirst = false) {
    this.#request?.abort();
    const { signal } = this.#request = new AbortController();
    const zoom = isFirst ? 0 : Math.max(0, Math.round(this.#zoom));
    const bounds = isFirst ? "" : `&bounds=${this.#bounds.map((number) => number.toFixed(6)).join(",")}`;
    try {
      const answer = await fetch(`${place}/clusters?${this.#query}&zoom=${zoom}${bounds}`, { signal });
      if (!answer.ok) throw answer;
      const { clusters, located, extent } = await answer.json();
      this.#extent = extent;
      document.getElementById("count").textContent = countTitle(located);
      document.getElementById("empty").hidden = located > 0;
      if (isFirst) return;
      this.#arrange(clusters);
      const at = [latitude(this.#middle.y).toFixed(4), longitude(this.#middle.x).toFixed(4), this.#zoom.toFixed(2)];
      history.replaceState(null, "", `${location.search}#${at.join(",")}`);
    } catch (problem) {
      if (signal.aborted) return;
      say(problem instanceof Response ? await sentence(problem) : "The server does not answer.");
    }
  }

  #arrange(clusters) {
    const before = this.#shown;
    const focused = document.activeElement?.closest("#clusters li");
    this.#shown = new Map();
    const placed = clusters.map((cluster) => ({
      ...cluster, x: x(cluster.longitude), y: y(cluster.latitude), left: x(cluster.bounds[1]), right: x(cluster.bounds[3]),
    }));
    for (const cluster of apart(placed, this.#scale)) {
      const key = `${cluster.asset.id} ${cluster.count} ${cluster.bounds.join()}`;
      const element = before.get(key)?.element ?? this.#make(cluster);
      before.delete(key);
      const point = { x: cluster.x, y: cluster.y };
      this.#put(element, point);
      this.#shown.set(key, { element, point });
    }
    for (const { element } of before.values()) if (element !== focused) element.remove();
    for (const { element } of this.#shown.values()) if (element !== focused || !element.isConnected) list.append(element);
    if (focused && ![...this.#shown.values()].some(({ element }) => element === focused)) {
      focused.remove();
      canvas.focus();
    }
  }

  #make({ asset, count, bounds, place: name }) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const picture = Object.assign(document.createElement("img"), { alt: "", draggable: false, decoding: "async" });
    picture.src = `${place}/thumbnail/${asset.id}/${asset.version}/128`;
    picture.addEventListener("error", () => picture.remove());
    link.append(picture);
    if (count > 1) link.append(Object.assign(document.createElement("span"), { textContent: countTitle(count) }));
    link.ariaLabel = `${countOf(count, "photo")}${name ? `, ${name}` : ""}`;
    link.title = link.ariaLabel;
    link.draggable = false;
    // Numbers as they are: rounded bounds would leave photos out.
    const where = [given.get("where"), `bounds:${bounds.join(",")}`].filter(Boolean).join(" ");
    const query = new URLSearchParams([["filter", given.get("filter") ?? "all"], ["where", where]]);
    link.href = count > 1 ? `group/${group}?${query}` : `${server}/${asset.page}?library=${library}&group=${group}&${query}&asset=${asset.id}`;
    link.addEventListener("click", (event) => {
      const [south, west, north, east] = bounds;
      const isOne = north - south < 1e-5 && Math.abs(east - west) < 1e-5;
      if (count === 1 || isOne || this.#zoom >= NEAR || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.#fit(x(west), y(north), x(east) + (west > east ? 1 : 0), y(south), Math.max(this.#zoom + 3, NEAR));
      this.#changed();
    });
    item.append(link);
    return item;
  }

  #zoomAt(change, left = canvas.clientWidth / 2, top = canvas.clientHeight / 2) {
    const before = this.#scale;
    this.#zoom = this.#within(this.#zoom + change);
    const [across, down] = [left - canvas.clientWidth / 2, top - canvas.clientHeight / 2];
    this.#middle.x += across / before - across / this.#scale;
    this.#middle.y += down / before - down / this.#scale;
    this.#changed();
  }

  #move(across, down) {
    this.#middle.x -= across / this.#scale;
    this.#middle.y -= down / this.#scale;
    this.#changed();
  }

  #listen() {
    const main = canvas.parentElement;
    main.addEventListener("wheel", (event) => {
      event.preventDefault();
      const { left, top } = canvas.getBoundingClientRect();
      const unit = [1, 33, 400][event.deltaMode];
      this.#zoomAt(Math.max(-1, Math.min(1, -event.deltaY * unit / 200)), event.clientX - left, event.clientY - top);
    }, { passive: false });
    const at = ({ clientX, clientY }) => {
      const { left, top } = canvas.getBoundingClientRect();
      return [clientX - left, clientY - top];
    };
    // Also from a cluster, which a finger may touch first; without a movement, it is pressed.
    main.addEventListener("pointerdown", (event) => {
      if (!event.target.closest("#places")) this.#pointers.set(event.pointerId, at(event));
    });
    main.addEventListener("pointermove", (event) => {
      const before = this.#pointers.get(event.pointerId);
      if (!before) return;
      const now = at(event);
      if (!canvas.hasPointerCapture(event.pointerId)) {
        if (Math.hypot(now[0] - before[0], now[1] - before[1]) < STEADY) return;
        canvas.setPointerCapture(event.pointerId);
      }
      this.#drag(event.pointerId, now);
    });
    for (const type of ["pointerup", "pointercancel"]) main.addEventListener(type, ({ pointerId }) => this.#pointers.delete(pointerId));
    canvas.addEventListener("dblclick", ({ offsetX, offsetY }) => this.#zoomAt(1, offsetX, offsetY));
    const all = () => { this.#showAll(); this.#changed(); };
    for (const button of document.querySelectorAll("[data-do]")) {
      button.addEventListener("click", () => ({ in: () => this.#zoomAt(1), out: () => this.#zoomAt(-1), all })[button.dataset.do]());
    }
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input")) return;
      const action = {
        ArrowLeft: () => this.#move(80, 0), ArrowRight: () => this.#move(-80, 0), ArrowUp: () => this.#move(0, 80),
        ArrowDown: () => this.#move(0, -80), "+": () => this.#zoomAt(1), "=": () => this.#zoomAt(1), "-": () => this.#zoomAt(-1),
        0: all, Escape: () => document.getElementById("back").click(),
      }[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    });
  }

  /** One finger moves, two zoom as well. */
  #drag(id, now) {
    const before = this.#pointers.get(id);
    const other = [...this.#pointers].find(([one]) => one !== id)?.[1];
    this.#pointers.set(id, now);
    const share = other ? 0.5 : 1;
    this.#move((now[0] - before[0]) * share, (now[1] - before[1]) * share);
    if (!other) return;
    const apart = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]);
    if (apart(before) > 10 && apart(now) > 10) this.#zoomAt(Math.log2(apart(now) / apart(before)), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  }
}

new ClusterMap();
