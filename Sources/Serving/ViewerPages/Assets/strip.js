// A IIIF manifest of this server as a strip below the image: its canvases, the previous and the next one, and its contents.

const server = new URL("../", import.meta.url).href;
const known = new Map();

/** The address of the manifest that the URL of a page names; undefined if this server does not have it. */
function manifestOf(address) {
  const name = new URL(address).searchParams.get("manifest");
  const url = name && URL.canParse(name, server) ? new URL(name, server).href : "";
  return url.startsWith(server) ? url : undefined;
}

/** Reads a manifest once: { title, credit, canvases, contents }; undefined if it cannot be read. */
function load(manifest) {
  if (!known.has(manifest)) known.set(manifest, read(manifest).catch(() => undefined));
  return known.get(manifest);
}

async function read(manifest) {
  const answer = await fetch(manifest);
  const json = answer.ok ? await answer.json() : undefined;
  if (json?.type !== "Manifest") return undefined;
  const canvases = json.items.map((item, index) => canvasOf(item, index, manifest)).filter(Boolean);
  const byID = new Map(canvases.map((canvas) => [canvas.id, canvas]));
  return { title: text(json.label), credit: text(json.requiredStatement?.value), canvases, contents: contentsOf(json.structures, byID) };
}

function canvasOf(item, index, manifest) {
  const body = item.items?.[0]?.items?.[0]?.body;
  const identifier = own(body?.service?.find?.(({ type }) => type === "ImageService3")?.id, "/iiif/3/");
  if (!identifier) return undefined;
  const picture = own(item.thumbnail?.[0]?.id, "/iiif/3/");
  return {
    id: item.id, identifier, number: index + 1, name: text(item.label), credit: text(item.requiredStatement?.value),
    service: `${server}iiif/3/${identifier}`, address: pageOf(item.id, identifier, manifest),
    picture: picture && `${server}iiif/3/${picture}`,
  };
}

/** What follows a path in an address of the server, which may have another name there. */
function own(address, path) {
  const start = address?.indexOf(path) ?? -1;
  return start < 0 ? undefined : address.slice(start + path.length);
}

/** The page of a canvas; that of a photo of a library names the library, as its grid does. */
function pageOf(id, identifier, manifest) {
  const { pathname, searchParams } = new URL(id, server);
  const [, library, group, asset] = /\/library\/([^/]+)\/group\/([^/]+)\/canvas\/(\d+)(?:;\d+)?$/.exec(pathname) ?? [];
  const query = new URLSearchParams();
  if (asset) {
    query.set("library", decodeURIComponent(library));
    query.set("group", group);
    for (const [name, value] of searchParams) query.append(name, value);
    query.set("asset", asset);
  }
  query.set("manifest", manifest.slice(server.length));
  return `${server}view/${identifier}?${query}`;
}

function contentsOf(ranges, canvases) {
  return (ranges ?? []).map((range) => {
    const items = range.items ?? [];
    return {
      title: text(range.label), canvas: firstOf(items, canvases),
      contents: contentsOf(items.filter(({ type }) => type === "Range"), canvases),
    };
  });
}

function firstOf(items, canvases) {
  for (const item of items) {
    const found = item.type === "Range" ? firstOf(item.items ?? [], canvases) : canvases.get(item.id);
    if (found) return found;
  }
  return undefined;
}

/** The text of a property in its first language, without markup. */
function text(values) {
  return (Object.values(values ?? {})[0] ?? []).map((value) => (
    /^<.*>$/s.test(value) ? new DOMParser().parseFromString(value, "text/html").body.textContent : value
  )).join(" ");
}

function currentOf(canvases, address) {
  const { pathname } = new URL(address);
  const name = (identifier) => decodeURIComponent(identifier).normalize();
  try {
    const identifier = name(pathname.slice(new URL("view/", server).pathname.length));
    return canvases.findIndex((canvas) => name(canvas.identifier) === identifier);
  } catch {
    // A name that is not UTF-8 is compared as it is.
    return canvases.findIndex((canvas) => pathname.endsWith(`/${canvas.identifier}`));
  }
}

/** The canvases beside that of a page, as `neighbors` gives them; undefined if the page has no manifest with it. */
export async function neighborsIn(address) {
  const manifest = manifestOf(address);
  const found = manifest && await load(manifest);
  const index = found ? currentOf(found.canvases, address) : -1;
  if (index < 0) return undefined;
  return {
    title: found.title, number: index + 1, count: found.canvases.length, back: backOf(manifest, address),
    previous: found.canvases[index - 1], next: found.canvases[index + 1],
  };
}

/** The page of the folder or the group that a manifest lists. */
function backOf(manifest, address) {
  const [, path, folder] = /^(presentation\/?(.*)|library\/.*)\/manifest(?:-\d+)?\.json/.exec(manifest.slice(server.length)) ?? [];
  if (path?.startsWith("library/")) {
    return `${server}${path}${new URL(manifest).search}#${new URL(address).searchParams.get("asset") ?? ""}`;
  }
  return folder ? `${server}?folder=${folder}` : server;
}

/** Shows the strip of the manifest that the page's URL names. */
export async function showStrip() {
  const manifest = manifestOf(location.href);
  const found = manifest && await load(manifest);
  if (found?.canvases.length > 0) new Strip(found).follow();
}

class Strip {
  #canvases;
  #links;
  #strip = element("nav", { id: "strip", className: "bar" });
  #contents;
  #credit = element("p");
  #credits;

  constructor({ title, credit, canvases, contents }) {
    this.#canvases = canvases;
    this.#credits = credit;
    this.#strip.ariaLabel = title;
    this.#links = canvases.map((canvas) => {
      const link = this.#link(canvas, element("span", { textContent: canvas.name }));
      if (canvas.picture) link.prepend(element("img", { src: canvas.picture, alt: "", loading: "lazy", draggable: false }));
      return link;
    });
    const list = element("ol");
    list.append(...this.#links.map((link) => item(link)));
    if (contents.length > 0) this.#addContents(contents);
    this.#strip.append(list, this.#credit);
    list.addEventListener("keydown", (event) => this.#move(event));
    document.querySelector("main").append(this.#strip);
    document.body.classList.add("has-strip");
    document.addEventListener("photochange", () => this.follow());
  }

  /** Marks the canvas of the page's URL. */
  follow() {
    const index = currentOf(this.#canvases, location.href);
    const old = this.#strip.querySelector("ol [aria-current]");
    if (old) old.ariaCurrent = null;
    const link = this.#links[index];
    if (!link) return;
    link.ariaCurrent = "page";
    link.scrollIntoView({ inline: "center", block: "nearest" });
    const credit = this.#canvases[index].credit || this.#credits;
    this.#credit.textContent = credit;
    this.#credit.hidden = !credit;
  }

  #link(canvas, content) {
    const link = element("a", { href: canvas.address, title: canvas.name });
    link.append(content);
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      document.dispatchEvent(new CustomEvent("photochoice", { detail: canvas }));
    });
    return link;
  }

  /** Arrow keys, Home and End go along the strip while the focus is in it. */
  #move(event) {
    const index = this.#links.indexOf(document.activeElement);
    const goal = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: this.#links.length - 1 }[event.key];
    if (index < 0 || goal === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#links[goal]?.focus();
  }

  #addContents(contents) {
    const button = element("button", { type: "button", textContent: "Contents", title: "Contents (T)" });
    this.#contents = element("div", { id: "contents", className: "bar", hidden: true });
    this.#contents.append(this.#list(contents));
    button.setAttribute("aria-controls", "contents");
    const toggle = (isOpen) => {
      this.#contents.hidden = !isOpen;
      button.ariaExpanded = String(isOpen);
      (isOpen ? this.#contents.querySelector("a") : button)?.focus();
    };
    button.ariaExpanded = "false";
    button.addEventListener("click", () => toggle(this.#contents.hidden));
    this.#contents.addEventListener("click", (event) => event.target.closest("a") && toggle(false));
    addEventListener("keydown", (event) => {
      const isOpen = !this.#contents.hidden;
      const isWord = event.target.closest?.("input, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey;
      if (isWord || !(event.key === "t" || (isOpen && event.key === "Escape"))) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      toggle(!isOpen);
    }, { capture: true });
    this.#strip.append(button);
    document.querySelector("main").append(this.#contents);
  }

  #list(contents) {
    const list = element("ol");
    list.append(...contents.map(({ title, canvas, contents }) => {
      const entry = canvas
        ? this.#link(canvas, element("span", { textContent: title })) : element("span", { textContent: title });
      entry.title = title;
      if (canvas) entry.append(element("b", { textContent: String(canvas.number) }));
      const one = item(entry);
      if (contents.length > 0) one.append(this.#list(contents));
      return one;
    }));
    return list;
  }
}

function element(name, properties = {}) { return Object.assign(document.createElement(name), properties); }

function item(content) {
  const item = element("li");
  item.append(content);
  return item;
}
