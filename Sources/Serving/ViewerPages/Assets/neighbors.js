// The photos before and after one: those of the grid from which it was opened, given by the page's URL, or of its folder.

import { isForPage } from "./gestures.js";

const server = new URL("../", import.meta.url).href;

/**
 * The neighbors of the photo of a page: { title, number, count, back, previous, next, compare }, with the URLs of pages.
 * A neighbor has an address, a name, and the service of its image unless it has another kind of page.
 */
export async function neighbors(address) {
  const { pathname, searchParams: given } = new URL(address);
  if (given.get("manifest")) {
    const found = await import("./strip.js").then(({ neighborsIn }) => neighborsIn(address)).catch(() => undefined);
    if (found) return found;
    given.delete("manifest");
  }
  const [library, asset] = [given.get("library"), given.get("asset")];
  return library && asset ? inLibrary(given, library, asset) : inFolder(pathname, given.get("sort"));
}

async function inFolder(pathname, order) {
  // Behind a shared link, films are between the images.
  const identifier = identifierOf(new URL(pathname, server).href) ?? identifierOf(new URL(pathname, server).href, "film/");
  if (identifier === undefined) return undefined;
  const found = await json(`${server}neighbors/${identifier}${order ? `?sort=${encodeURIComponent(order)}` : ""}`);
  if (!found || found.count === 0) return undefined;
  const neighbor = (one) => one && { ...photo(`${server}${one.page}`), name: one.name };
  return {
    ...found, back: new URL(found.back, server).href, previous: neighbor(found.previous), next: neighbor(found.next),
  };
}

async function inLibrary(given, library, asset) {
  given.delete("library");
  given.delete("asset");
  const place = `${server}library/${encodeURIComponent(library)}`;
  const found = await json(`${place}/neighbors?${given}&asset=${encodeURIComponent(asset)}`);
  if (!found) return undefined;
  const choices = new URLSearchParams(given);
  choices.delete("group");
  const query = (id) => new URLSearchParams([["library", library], ...given, ["asset", id]]);
  const neighbor = (one) => one && { ...photo(`${server}${one.page}?${query(one.id)}`), name: one.name };
  const group = encodeURIComponent(given.get("group") ?? "all");
  return {
    ...found, back: `${place}/group/${group}?${choices}#${encodeURIComponent(asset)}`,
    previous: neighbor(found.previous), next: neighbor(found.next),
  };
}

async function json(url) {
  const answer = await fetch(url).catch(() => undefined);
  return answer?.ok ? answer.json() : undefined;
}

/** The address of a page, and the service of its image if the viewer shows it. */
function photo(address) {
  const identifier = identifierOf(address);
  return { address, identifier, service: identifier && `${server}iiif/3/${identifier}` };
}

/** The encoded identifier in the URL of a viewer page, or of another page of one asset. */
function identifierOf(address, kind = "view/") {
  const url = new URL(address);
  const start = new URL(kind, server).pathname;
  if (!url.pathname.startsWith(start)) return undefined;
  return url.pathname.slice(start.length).replaceAll("/", "%2F");
}

/**
 * The pages of a file with several, such as a PDF: { title, number, count, previous, next }; undefined for other files.
 *
 * `count` is what the server says of the image, and the identifier of a page is that of the file, ";" and its number from 0.
 */
export function pagesOf(address, count) {
  const identifier = identifierOf(address);
  if (!identifier || !(count > 1)) return undefined;
  const [, file, own] = /^(.*?)(?:(?:;|%3B)(\d+))?$/i.exec(identifier);
  const number = Number(own ?? 0);
  const page = (number) => {
    if (number < 0 || number >= count) return undefined;
    const name = decodeURIComponent(file).split("/").at(-1);
    const url = new URL(`view/${file}${number > 0 ? `;${number}` : ""}`, server);
    url.search = new URL(address).search;
    return { ...photo(url.href), name: number > 0 ? `${name}, page ${number + 1}` : name };
  };
  // What formats of animations hold are frames.
  const title = /\.(gif|webp|a?png)$/i.test(decodeURIComponent(file)) ? "Frame" : "Page";
  return { title, number: number + 1, count, previous: page(number - 1), next: page(number + 1) };
}

/** The URL of the page that compares a photo with its neighbor. */
export function comparison(address, neighbor) {
  const own = identifierOf(address);
  if (!own || !neighbor?.identifier) return undefined;
  return `${server}compare/${own}/${neighbor.identifier}${new URL(address).search}`;
}

/** Shows the way back, the number of the photo, and links to its neighbors, which call `go(direction)`. */
export function showNeighbors({ title, number, count, back, previous, next }, go) {
  const way = document.querySelector("header a");
  if (way) {
    way.href = back;
    way.ariaLabel = `Back to ${title}`;
    way.title = way.ariaLabel;
  }
  showBar("neighbors", { title, number, count, previous, next }, ["Previous (P)", "Next (N)"], go);
}

/** Shows the number of the page of a file, and links to those beside it, which call `go(direction)`. */
export function showPages(pages, go) {
  showBar("pages", pages ?? { count: 0 }, ["Previous page (,)", "Next page (.)"], go);
}

function showBar(id, { title, number, count, previous, next }, names, go) {
  const old = document.getElementById(id);
  if (count < 2) return old?.remove();
  const bar = old ?? document.createElement("nav");
  bar.id = id;
  bar.ariaLabel = `${title} ${number} of ${count}`;
  const hadFocus = bar.contains(document.activeElement) ? [...bar.children].indexOf(document.activeElement) : -1;
  bar.replaceChildren(
    link("‹", names[0], previous?.address, () => go("previous")),
    id === "pages" ? `${title} ${number} / ${count}` : `${number} / ${count}`,
    link("›", names[1], next?.address, () => go("next")));
  bar.children[hadFocus]?.focus();
  if (!old) document.querySelector("header.bar").append(bar);
}

function link(sign, name, address, follow) {
  const link = document.createElement("a");
  Object.assign(link, { textContent: sign, ariaLabel: name, title: name });
  if (!address) {
    link.role = "link";
    link.ariaDisabled = "true";
    return link;
  }
  link.href = address;
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    follow();
  });
  return link;
}

/**
 * Listens to the keys of neighbors: P and N, arrows while `isWhole()`, and Shift with arrows, which keeps the place:
 * `go(direction, keepsPlace)`.
 */
export function listenToNeighborKeys(isWhole, go) {
  // In the capture phase, before the scroll view, which uses arrow keys while it can scroll.
  addEventListener("keydown", (event) => {
    if (!isForPage(event)) return;
    const isInStrip = event.target.closest?.("#strip") && !event.shiftKey;
    const arrows = !isInStrip && (isWhole() || event.shiftKey) ? { ArrowLeft: "previous", ArrowRight: "next" } : {};
    // Where a library can be edited, P picks.
    const letters = document.body.dataset.edits ? { n: "next" } : { p: "previous", n: "next" };
    const direction = { ...letters, ...arrows }[event.key];
    if (!direction) return;
    event.preventDefault();
    event.stopPropagation();
    go(direction, event.shiftKey);
  }, { capture: true });
}

/** Adds links and keys to a page that shows one photo and no other. */
export async function followNeighbors(isWhole) {
  const found = await neighbors(location.href);
  if (!found) return;
  const go = (direction) => found[direction] && location.replace(found[direction].address);
  showNeighbors(found, go);
  listenToNeighborKeys(isWhole, go);
}
