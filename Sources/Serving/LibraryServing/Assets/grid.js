// The page of a group: connects its entries, its assets, scrolling and the controls.

import { AssetStore } from "./asset-store.js";
import { changedEntries, newNumbers, updatedNumbers } from "./changes.js";
import { Choices } from "./choices.js";
import { Edits, say } from "./edits.js";
import { listen } from "./grid-keys.js";
import { Layout } from "./grid-layout.js";
import { GridRows } from "./grid-rows.js";
import { recall, remember } from "./last-place.js";
import { LongScroll } from "./long-scroll.js";
import { Scrubber } from "./scrubber.js";
import { SearchBox } from "./search.js";
import { Selection } from "./selection.js";
import { startSlideshow, stopSlideshow } from "./slideshow.js";
import { TileSize } from "./tile-size.js";
import { Uploads } from "./uploads.js";
import { countTitle } from "./titles.js";
import { sentence } from "./words.js";

/** The share of the view's height that is made above and below it. */
const MARGIN = 0.75;
/** Milliseconds after which a server that does not answer is asked again. */
const RETRY = 3000;
/** Milliseconds for which a choice has to stand before it is followed: the server looks at everything then. */
const FOLLOWED = 400;
/** Milliseconds without a change after which the place is kept for the next visit. */
const SETTLED = 250;

const server = new URL("../", import.meta.url).href.replace(/\/$/, "");
const library = location.pathname.split("/").at(-3);
const place = `${server}/library/${library}`;
const group = document.body.dataset.group;
const element = (id) => document.getElementById(id);
/** What the server says of a group without photos. */
const empty = element("empty").textContent;

/** What was seen at the last visit, unless the URL requests something else. */
const last = (() => {
  const kept = location.hash ? undefined : recall(location.pathname);
  if (typeof kept?.query !== "string") return undefined;
  const query = `?${new URLSearchParams(kept.query)}`;
  if (location.search && location.search !== query) return undefined;
  history.replaceState(null, "", query);
  return kept;
})();

class Grid {
  #choices = new Choices(element("choices"), () => this.#choose());
  #search = new SearchBox(place, (where, isNew) => this.#find(where, isNew));
  #scrubber;
  #size = new TileSize(element("scroller"), (point) => this.#resize(point));
  #request;
  #assets;
  #rows;
  #scroll = new LongScroll(element("scroller"), element("grid"), () => this.#changed());
  #entries = [];
  #sequence = 0;
  #loading = 0;
  #events;
  #following;
  #frame = 0;
  #settling;
  /** The photo that stayed where it was at the last change of the grouping. */
  #anchor;
  layout = new Layout([], 1, false);
  /** The number of the asset that keys move from. */
  active = 0;
  place = place;
  allowsEdits = document.body.dataset.edits === "true";
  edits = new Edits(place, () => this.#events || this.#load(undefined, true));

  constructor() {
    stopSlideshow();
    this.#assets = new AssetStore(
      (path) => `${place}/assets?${this.#query}&${path}`, () => this.#changed(), (problem) => this.#lost(problem));
    this.#rows = new GridRows(element("grid"), this.#assets, {
      page: (asset) => this.#page(asset),
      stack: ({ stack }) => `${place}/group/all?where=${encodeURIComponent(`stack:${stack.cover}`)}`,
      thumbnail: ({ id, version }, side) => `${place}/thumbnail/${id}/${version}/${side}`,
    }, (id) => this.selection.has(id));
    this.#scrubber = new Scrubber({
      scroll: this.#scroll,
      get top() { return this.scroll.top; },
      get view() { return this.scroll.view; },
      go: (top) => { this.#scroll.go(top); this.#changed(); },
    });
    this.selection = new Selection(this, element("grid"));
    listen(element("grid"), this);
    if (this.allowsEdits) new Uploads(place, () => this.#events || this.#load(undefined, true));
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.selection.isOn || event.target.closest("input, dialog")) return;
      if (document.querySelector(":popover-open")) return;
      this.selection.clear();
    });
    this.#closeView();
    element("slideshow").addEventListener("click", () => this.#play());
    element("grid").addEventListener("focusin", ({ target }) => this.#activate(target));
    element("grid").addEventListener("click", (event) => this.#leave(event));
    addEventListener("pageshow", ({ persisted }) => persisted && this.#return());
    new ResizeObserver(() => this.#resize()).observe(element("scroller"));
    document.addEventListener("visibilitychange", () => this.#follow());
    addEventListener("pagehide", () => this.#keep());
    this.#load(Number(location.hash.slice(1)) || Number(last?.asset) || undefined, false, Number(last?.offset));
  }

  get rowsInView() { return Math.floor(this.#scroll.view / this.layout.rowHeight); }

  get #query() { return `group=${group}&${this.#choices.query}`; }
  get count() { return this.layout.count; }

  number(target) { return this.#rows.number(target); }
  assetAt(number) { return this.#assets.get(number); }

  /** The identifiers of photos, also of those that were never seen. */
  async ids(first, count) {
    return (await json(`${place}/ids?${this.#query}&first=${first}&count=${count}`)).ids;
  }

  selectionChanged() { this.#rows?.mark(); }

  /**
   * Shows what was chosen, with a photo at the height where it is seen, unless the very first is seen. Several changes
   * in a row keep the same photo, so that the last one leads back exactly.
   */
  async #choose() {
    const { top } = this.#scroll;
    if (top === 0 || this.layout.count === 0) {
      this.#anchor = undefined;
      return this.#load();
    }
    if (this.#anchor?.top !== top) {
      const isActive = this.#isSeen(this.active) && this.#hasFocus;
      const number = isActive ? this.active : this.#firstSeen();
      const offset = top - this.layout.top(number);
      const id = this.#assets.get(number)?.id ?? (await this.ids(number, 1).catch(() => []))[0];
      this.#anchor = { id, offset };
    }
    await this.#load(this.#anchor.id, false, this.#anchor.offset);
    if (this.#anchor) Object.assign(this.#anchor, { top: this.#scroll.top, number: this.active });
  }

  /** Shows what a search finds. */
  #find(where, isNew) {
    if (where.trim() === this.#choices.where && !isNew && this.#searched === where.trim()) return;
    this.#searched = where.trim();
    this.#choices.search(where, isNew);
    this.#anchor = undefined;
    this.selection.clear();
    this.#load();
  }

  #searched = "";

  /** The form of choices closes with Escape and with a click beside it. */
  #closeView() {
    const view = element("view");
    document.addEventListener("pointerdown", ({ target }) => { if (!view.contains(target)) view.open = false; });
    view.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape" || !view.open) return;
      view.open = false;
      view.querySelector("summary").focus();
    });
  }

  /** Opens the first photo in view, as the beginning of a slideshow. */
  #play() {
    const asset = this.#assets.get(this.#isSeen(this.active) ? this.active : this.#firstSeen());
    if (!asset) return;
    startSlideshow();
    history.replaceState(null, "", `${location.search}#${asset.id}`);
    location.assign(this.#page(asset));
  }

  #page({ page, id }) { return `${server}/${page}?library=${library}&${this.#query}&asset=${id}`; }
  get #hasFocus() { return element("grid").contains(document.activeElement); }

  #isSeen(number) {
    const { top, view } = this.#scroll;
    const y = this.layout.top(number);
    return this.layout.count > 0 && y + this.layout.rowHeight > top && y < top + view;
  }

  /** Loads the entries, and goes to an asset, at an offset from the top of what is seen, or stays at the top. */
  async #load(id, isQuiet = false, offset = NaN) {
    const run = ++this.#loading;
    this.#request?.abort();
    const { signal } = this.#request = new AbortController();
    element("grid").ariaBusy = "true";
    if (!isQuiet) this.#unfollow();
    element("map").href = `../map?${this.#query}`;
    try {
      const [found, at] = await Promise.all([
        this.#loadEntries(signal), id === undefined ? undefined : this.#indexPath(id, signal)]);
      if (run !== this.#loading) return;
      notice();
      this.#search.explain();
      this.#sequence = found.sequence;
      this.#entries = found.entries;
      this.#layOut();
      this.#assets.reset(this.layout);
      this.active = at ? Math.min(this.layout.number(at), Math.max(0, this.layout.count - 1)) : 0;
      const usual = -this.layout.heading - this.#scroll.view / 4;
      if (!isQuiet) this.#scroll.go(at ? this.layout.top(this.active) + (Number.isFinite(offset) ? offset : usual) : 0);
      this.#show();
      if (at && location.hash) this.#rows.link(this.active)?.focus({ preventScroll: true });
      element("grid").ariaBusy = "false";
      if (!isQuiet) this.#follow();
    } catch (problem) {
      if (run !== this.#loading) return;
      if (problem instanceof Response && problem.status === 400) {
        const words = await sentence(problem);
        return run === this.#loading ? this.#reject(words) : undefined;
      }
      notice(explain(problem));
      setTimeout(() => run === this.#loading && this.#load(id, isQuiet, offset), RETRY);
    }
  }

  /** Shows nothing where a search is not understood: what was found before belongs to another one. */
  #reject(words) {
    notice();
    this.#search.explain(words);
    this.#entries = [];
    this.#layOut(0);
    this.#assets.reset(this.layout);
    this.#show();
    element("empty").textContent = "The search is not understood, so nothing is shown.";
    element("count").textContent = "";
    element("grid").ariaBusy = "false";
  }

  async #loadEntries(signal) {
    const entries = [];
    let answer;
    do {
      answer = await json(`${place}/entries?${this.#query}&first=${entries.length}`, signal);
      for (const entry of answer.entries) entries.push(entry);
    } while (!answer.isLast);
    return { entries, sequence: answer.sequence };
  }

  /** The place of an asset; nothing where it is not shown. */
  async #indexPath(id, signal) {
    return json(`${place}/neighbors?${this.#query}&asset=${id}`, signal).then(({ at }) => at, () => undefined);
  }

  #layOut(top = this.#scroll.top) {
    const by = this.#choices.by;
    this.layout = new Layout(this.#entries, element("grid").clientWidth, by !== "all", this.#size.scale);
    this.#assets.rearrange(this.layout);
    this.#rows.reset(this.layout, by);
    this.#scroll.resize(this.layout.height, top);
    this.#scrubber.reset(this.layout, by);
    element("empty").hidden = this.layout.count > 0;
    element("empty").textContent = this.#choices.isUsual ? empty
      : this.#choices.where ? "Nothing matches the search." : "No photos of this kind.";
    element("count").textContent = countTitle(this.layout.count);
  }

  /** The photo that stays where it is during a pinch. */
  #held;

  /** Another width or size of tiles, with the same photo at a point of the window, or at the top. */
  #resize(point) {
    if (this.layout.count === 0) return;
    if (!point || this.#held?.point !== point) {
      const number = point && this.#rows.number(document.elementFromPoint(point.x, point.y));
      this.#held = number === undefined ? undefined : { point, number, offset: this.#scroll.top - this.layout.top(number) };
    }
    const below = this.#held?.number;
    const first = below ?? this.#firstSeen();
    const offset = this.#held?.offset ?? this.#scroll.top - this.layout.top(first);
    const isAtTop = this.#scroll.top === 0 && below === undefined;
    const anchor = this.#anchor?.top === this.#scroll.top ? this.#anchor : undefined;
    this.#keepingFocus(() => {
      this.#layOut();
      const top = anchor ? this.layout.top(anchor.number) + anchor.offset : this.layout.top(first) + offset;
      this.#scroll.go(isAtTop ? 0 : top);
      if (anchor) anchor.top = this.#scroll.top;
      this.#show();
    });
  }

  /** Makes all rows again; the link that has the focus may be another then. */
  #keepingFocus(work) {
    const hadFocus = element("grid").contains(document.activeElement);
    work();
    if (hadFocus) this.#rows.link(this.active)?.focus({ preventScroll: true });
  }

  /** The number of the first asset that is seen. */
  #firstSeen() {
    for (const row of this.layout.rowsFrom(this.#scroll.top)) if (row.to > row.from) return row.from;
    return 0;
  }

  #changed() {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#show());
  }

  /** Makes the rows that are seen, some around them, and that of the photo that has the focus. */
  #show() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const { top, view, shift } = this.#scroll;
    const rows = [];
    for (const row of this.layout.rowsFrom(Math.max(0, top - view * MARGIN))) {
      if (row.y > top + view * (1 + MARGIN)) break;
      rows.push(row);
    }
    const photos = rows.filter((row) => row.to > row.from);
    if (photos.length > 0) this.#assets.want(photos[0].from, photos.at(-1).to);
    const hasFocus = this.#hasFocus;
    if (hasFocus && !photos.some((row) => row.from <= this.active && this.active < row.to)) {
      const [own] = this.layout.rowsFrom(this.layout.top(this.active));
      if (own) rows.push(own);
    } else if (!hasFocus && !photos.some((row) => row.from <= this.active && this.active < row.to)) {
      // Keyboard focus enters at the visible photos.
      this.active = this.#firstSeen();
    }
    this.#rows.show(rows, shift, this.active);
    this.#scrubber.update(top !== this.#shownTop);
    this.#shownTop = top;
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#keep(), SETTLED);
  }

  #shownTop = 0;

  /** Keeps the choices and the active asset, or the first one that is seen, for the next visit. */
  #keep() {
    if (element("grid").ariaBusy === "true") return;
    const { top } = this.#scroll;
    const number = this.#isSeen(this.active) ? this.active : this.#firstSeen();
    const asset = this.#assets.get(number)?.id;
    if (asset === undefined && this.layout.count > 0) return;
    const place = asset === undefined ? {} : { asset, offset: top - this.layout.top(number) };
    remember(location.pathname, { query: this.#choices.query, ...place });
  }

  /** Moves the focus to an asset, and the view with it. */
  focus(number) {
    this.active = number;
    const { top, view } = this.#scroll;
    const y = this.layout.top(number);
    const upper = this.layout.topWithHeading(number);
    if (upper < top) this.#scroll.go(upper);
    else if (y + this.layout.rowHeight > top + view) this.#scroll.go(y + this.layout.rowHeight - view);
    this.#show();
    this.#rows.link(number)?.focus({ preventScroll: true });
  }

  #activate(target) {
    const number = this.#rows.number(target);
    if (number === undefined || number === this.active) return;
    this.active = number;
    this.#changed();
  }

  /** Notes which photo is opened, so that coming back leads to it. */
  #leave(event) {
    const asset = this.#assets.get(this.#rows.number(event.target));
    if (!asset || event.ctrlKey || event.metaKey || event.shiftKey) return;
    history.replaceState(null, "", `${location.search}#${asset.id}`);
    this.#unfollow();
    this.#rows.stop();
  }

  /** Goes on where the page was left. */
  #return() {
    this.#keepingFocus(() => {
      this.#layOut();
      this.#show();
    });
    this.#follow();
  }

  #lost(problem) {
    // The state of the page is out of date, or the server does not respond: retry in both cases.
    if (problem instanceof Response && problem.status === 404) this.#load(undefined, true);
    else notice(explain(problem));
  }

  /** Follows what happens, while the page is seen. */
  #follow() {
    this.#unfollow();
    if (!document.hidden) this.#following = setTimeout(() => this.#listen(), FOLLOWED);
  }

  #unfollow() {
    clearTimeout(this.#following);
    this.#events?.close();
    this.#events = undefined;
  }

  #listen() {
    const events = new EventSource(`${place}/events?${this.#query}`);
    this.#events = events;
    const data = (event) => JSON.parse(event.data);
    events.addEventListener("begin", (event) => {
      notice();
      if (data(event).sequence !== this.#sequence) this.#load(undefined, true);
    });
    events.addEventListener("same", (event) => {
      const { since, sequence } = data(event);
      if (since !== this.#sequence) return;
      this.#assets.advance(since, sequence, (number) => number, []);
      this.#sequence = sequence;
      this.#changed();
    });
    events.addEventListener("change", (event) => this.#apply(data(event)));
    events.addEventListener("error", () => {
      // Browsers reconnect automatically unless the server refuses.
      if (events.readyState === EventSource.CLOSED) setTimeout(() => this.#events === events && this.#follow(), 10 * RETRY);
    });
  }

  /** Brings the grid up to date, with what is seen where it is. */
  #apply(change) {
    const before = this.#entries;
    const entries = change.since === this.#sequence ? changedEntries(before, change) : undefined;
    if (!entries) return void this.#load(undefined, true);
    const newNumber = newNumbers(change, before, entries);
    const first = this.#firstSeen();
    const offset = this.#scroll.top - this.layout.top(first);
    const isAtTop = this.#scroll.top === 0 || this.layout.count === 0;
    this.#assets.advance(change.since, change.sequence, newNumber, updatedNumbers(change, entries));
    this.#sequence = change.sequence;
    this.#entries = entries;
    this.#keepingFocus(() => {
      this.#layOut();
      const last = Math.max(0, this.layout.count - 1);
      this.active = Math.min(newNumber(this.active) ?? this.active, last);
      if (!isAtTop && this.layout.count > 0) {
        this.#scroll.go(this.layout.top(Math.min(newNumber(first) ?? first, last)) + offset);
      }
      this.#show();
    });
    const words = [[change.inserted.length, "new"], [change.removed.length, "gone"]].filter(([count]) => count > 0);
    if (words.length > 0) say(words.map(([count, word]) => `${countTitle(count)} ${word}`).join(", "));
  }
}

async function json(url, signal) {
  const answer = await fetch(url, { signal });
  if (!answer.ok) throw answer;
  return answer.json();
}

let noticed = false;

/** Says what is wrong until it is over. */
function notice(words) {
  if (words) say(words, { stays: true });
  else if (noticed) say("");
  noticed = Boolean(words);
}

function explain(problem) {
  if (!(problem instanceof Response)) return "The server does not answer. The grid will go on as soon as it does.";
  if (problem.status === 401) return "The server does not show this library without permission.";
  if (problem.status === 404) return "This group is no longer in the library.";
  if (problem.status === 503) return "The server is busy. The missing parts come as soon as it has time.";
  return `The server could not show a part of the library (${problem.status}).`;
}

new Grid();
