// The elements of the visible rows of the grid; others are removed, so that there are never many.

import { assetTitle, countTitle, entryTitle, lengthTitle, stackBadge } from "./titles.js";

const RETRY = 3000;
const SIDES = [128, 256, 512];

export class GridRows {
  #grid;
  #assets;
  #addresses;
  #layout;
  #by;
  /** By key: { element, cells, row }. */
  #rows = new Map();
  /** Links of before, by asset, so that pictures that stay are not shown anew. */
  #links = new Map();

  #isSelected;

  /** `addresses` has page(asset) and thumbnail(asset, side); `isSelected(id)` tells which photos are selected. */
  constructor(grid, assets, addresses, isSelected) {
    this.#grid = grid;
    this.#isSelected = isSelected;
    this.#assets = assets;
    this.#addresses = addresses;
  }

  /** Shows which photos are selected. */
  mark() {
    for (const { cells } of this.#rows.values()) for (const cell of cells) this.#mark(cell);
  }

  #mark({ box, asset }) {
    const isSelected = asset !== undefined && this.#isSelected(asset.id);
    if ((box.ariaSelected === "true") !== isSelected) box.ariaSelected = String(isSelected);
  }

  /** Takes another layout: all rows are made again. */
  reset(layout, by) {
    for (const { cells } of this.#rows.values()) {
      for (const { link, asset } of cells) if (asset && !isStopped(link)) this.#links.set(identity(asset), link);
    }
    for (const { element } of this.#rows.values()) element.remove();
    this.#rows.clear();
    this.#layout = layout;
    this.#by = by;
    this.#grid.ariaRowCount = String(layout.rowCount);
    this.#grid.ariaColCount = String(layout.columns);
    this.#grid.style.setProperty("--columns", layout.columns);
  }

  /** Shows these rows and no others; heights are moved up by `shift`. */
  show(rows, shift, active) {
    const keys = new Set(rows.map(({ key }) => key));
    for (const [key, { element, cells }] of this.#rows) {
      if (keys.has(key)) continue;
      for (const { link } of cells) stop(link);
      element.remove();
      this.#rows.delete(key);
    }
    for (const row of rows) {
      const shown = this.#rows.get(row.key) ?? this.#make(row);
      shown.element.style.top = `${row.y - shift}px`;
      shown.cells.forEach((cell, index) => {
        this.#fill(cell, row.from + index);
        const tab = row.from + index === active ? 0 : -1;
        if (cell.link.tabIndex !== tab) cell.link.tabIndex = tab;
      });
    }
    for (const link of this.#links.values()) stop(link);
    this.#links.clear();
  }

  /** Ends all loading: browsers have few connections, and another page waits for one. */
  stop() {
    for (const { cells } of this.#rows.values()) for (const { link } of cells) stop(link);
  }

  /** The link of an asset by its number, if its row is shown. */
  link(number) {
    for (const { cells, row } of this.#rows.values()) {
      if (number >= row.from && number < row.to) return cells[number - row.from].link;
    }
    return undefined;
  }

  /** The number of the asset that an element belongs to. */
  number(element) {
    const cell = element.closest?.("[role=gridcell]");
    for (const { cells, row } of this.#rows.values()) {
      const index = cells.findIndex(({ box }) => box === cell);
      if (cell && index >= 0) return row.from + index;
    }
    return undefined;
  }

  #make(row) {
    const element = make("div", { role: "row", className: row.from === row.to ? "heading" : "row" });
    element.ariaRowIndex = String(row.row);
    const cells = [];
    for (const heading of row.headings ?? []) element.append(this.#heading(heading));
    for (let number = row.from; number < row.to; number++) cells.push(this.#cell(number));
    element.append(...cells.map(({ box }) => box));
    element.style.height = `${row.height}px`;
    this.#place(element, row);
    const shown = { element, cells, row };
    this.#rows.set(row.key, shown);
    return shown;
  }

  /** Puts a row where it stands among the others, for those who hear the page. */
  #place(element, row) {
    const next = [...this.#rows.values()].filter((other) => other.row.row > row.row)
      .reduce((first, other) => (!first || other.row.row < first.row.row ? other : first), undefined);
    this.#grid.insertBefore(element, next?.element ?? null);
  }

  /** The heading of an entry, above its tiles. */
  #heading({ entry, left, columns, column, width, year }) {
    const [key, count] = this.#layout.entries[entry];
    const header = make("div", { role: "columnheader" });
    header.ariaColIndex = String(column + 1);
    header.ariaColSpan = String(columns);
    header.style.setProperty("--span", columns);
    header.style.left = `${left}px`;
    if (width === undefined) header.style.right = "0";
    else header.style.width = `${width}px`;
    const space = width ?? this.#grid.clientWidth - left;
    const title = entryTitle(this.#by, key, space);
    const full = entryTitle(this.#by, key);
    const heading = make("h2", { textContent: title, ...(title !== full && { title: full, ariaLabel: full }) });
    if (year) heading.append(" ", make("span", { className: "year", textContent: year }));
    header.append(heading);
    if (space >= 200 || count > 1 && space >= 160) header.append(make("span", { textContent: countTitle(count) }));
    return header;
  }

  #cell(number) {
    const { side } = this.#layout;
    const box = make("div", { role: "gridcell", className: "tile" });
    box.ariaColIndex = String(this.#layout.column(number) + 1);
    Object.assign(box.style, { left: `${this.#layout.left(number)}px`, width: `${side}px`, height: `${side}px` });
    const link = make("a", { tabIndex: -1 });
    const check = make("button", { type: "button", className: "check", tabIndex: -1 });
    check.ariaHidden = "true";
    box.append(link, check);
    return { box, link, check, asset: undefined };
  }

  #fill(cell, number) {
    const asset = this.#assets.get(number);
    if (!asset || cell.asset === asset) return;
    if (cell.asset && identity(cell.asset) === identity(asset)) {
      cell.asset = asset;
      return;
    }
    const kept = this.#links.get(identity(asset));
    this.#links.delete(identity(asset));
    const link = kept ?? this.#link(asset);
    const hadFocus = cell.link === document.activeElement;
    stop(cell.link);
    cell.link.replaceWith(link);
    Object.assign(cell, { asset, link });
    this.#mark(cell);
    link.href = this.#addresses.page(asset);
    cell.box.querySelector(".others")?.remove();
    if (asset.stack) cell.box.append(this.#others(asset));
    if (hadFocus) link.focus({ preventScroll: true });
  }

  /** The way to all files of a stack, over its badge; the information of a photo has it, too. */
  #others(asset) {
    const others = make("button", { type: "button", className: "others", tabIndex: -1, title: `All ${asset.stack.files} files of this stack` });
    others.ariaHidden = "true";
    others.addEventListener("click", () => location.assign(this.#addresses.stack(asset)));
    return others;
  }

  #link(asset) {
    const link = make("a", { tabIndex: -1, draggable: false });
    link.ariaLabel = assetTitle(asset);
    link.title = asset.name;
    const wanted = this.#layout.side * devicePixelRatio;
    const side = SIDES.find((one) => one >= wanted * 0.9) ?? SIDES.at(-1);
    const picture = make("img", { alt: "", decoding: "async", draggable: false });
    picture.src = this.#addresses.thumbnail(asset, side);
    picture.addEventListener("error", () => again(picture, link, asset), { once: true });
    link.append(picture);
    if (asset.rating > 0) link.append(make("span", { className: "stars", textContent: "★".repeat(asset.rating) }));
    if (asset.kind === "video") link.append(make("span", { className: "length", textContent: `▸ ${asset.seconds === undefined ? "" : lengthTitle(asset.seconds)}` }));
    if (asset.stack) link.append(make("span", { className: "stack", textContent: stackBadge(asset) }));
    if (asset.panorama) link.append(make("span", { className: "around", textContent: "360°" }));
    return link;
  }
}

function identity({ id, version }) { return `${id} ${version}`; }

function make(name, properties) { return Object.assign(document.createElement(name), properties); }

/** Ends the loading of a picture that nobody sees any more. */
function stop(link) {
  const picture = link.querySelector("img");
  if (picture && !picture.complete) picture.removeAttribute("src");
}

function isStopped(link) { return link.querySelector("img:not([src])") !== null; }

/** Names a photo without a picture, and asks once more: the server may have been busy. */
function again(picture, link, asset) {
  const words = make("span", { className: "broken", textContent: asset.name });
  picture.hidden = true;
  link.append(words);
  setTimeout(() => {
    if (!picture.isConnected || !picture.src) return;
    picture.addEventListener("load", () => {
      picture.hidden = false;
      words.remove();
    }, { once: true });
    picture.addEventListener("error", () => {
      picture.remove();
      words.prepend(make("b", { textContent: "Not readable" }));
      link.ariaLabel += ", not readable";
    }, { once: true });
    picture.src = picture.src;
  }, RETRY);
}
