// What is known of a photo: when, where, with what, its words and albums; with edits where the server allows them.

import { ask, askForAlbum, askForDate, askForPlace } from "./ask.js";
import { x, y } from "./projection.js";
import { bytesTitle, countOf, countTitle, momentTitle } from "./titles.js";
import { WorldMap } from "./world-map.js";

/** Points across the world on the small map: a country or two are seen. */
const SCALE = 256 * 2 ** 4.5;

/** Makes the content of the panel; `actions` has place, edits, search(text) and reload(). */
export function describe(info, actions) {
  const parts = [
    words(info, actions), moment(info, actions), location(info, actions), camera(info), rating(info, actions),
    keywords(info, actions), albums(info, actions), stack(info, actions), file(info, actions),
  ];
  const all = document.createDocumentFragment();
  all.append(...parts.filter(Boolean));
  return all;
}

/** An element with children, which may be texts; nothing for those that are empty. */
function make(name, properties, ...children) {
  const { dataset, ...rest } = properties;
  const element = Object.assign(document.createElement(name), rest);
  Object.assign(element.dataset, dataset ?? {});
  element.append(...children.flat().filter((child) => child !== undefined && child !== ""));
  return element;
}

function section(title, ...children) { return make("section", {}, make("h3", { textContent: title }), ...children); }

function line(text, className = "") { return text ? make("p", { textContent: text, className }) : undefined; }

function button(textContent, action, properties = {}) {
  const element = make("button", { type: "button", textContent, ...properties });
  element.addEventListener("click", action);
  return element;
}

function words(info, { edits, asset }) {
  const edit = (property, value = "", title) => () => {
    const isLong = property === "caption";
    const input = make(isLong ? "textarea" : "input", { defaultValue: value, maxLength: 2000, rows: 4 });
    input.ariaLabel = title;
    const note = isLong && matchMedia("(hover: hover)").matches ? "Ctrl + Enter saves." : "";
    ask(title, "Save", make("div", {}, input), (text) =>
      text === value || edits.run({ do: property, assets: [asset], text }, `${title} saved.`), note);
  };
  const shown = [line(info.title, "title"), line(info.caption)];
  const tools = info.allowsEdits
    ? make("p", { className: "row" },
      button(info.title ? "Edit the title" : "Add a title", edit("title", info.title, "Title")),
      button(info.caption ? "Edit the description" : "Add a description", edit("caption", info.caption, "Description")))
    : undefined;
  return info.title || info.caption || tools ? make("section", {}, ...shown, tools) : undefined;
}

function moment({ date, allowsEdits }, { edits, asset }) {
  const local = date ? date.local.replace("T", " ") : "";
  const edit = allowsEdits
    ? make("p", { className: "row" }, button(date ? "Edit the date" : "Add a date", () => askForDate(local, (text) =>
      text === local || edits.run({ do: "date", assets: [asset], text }, "Date saved."))))
    : undefined;
  if (!date) return section("Date", line("Undated"), edit);
  const offset = date.offset === undefined ? "time zone unknown" : utc(date.offset);
  const others = (date.others ?? []).map((other) => line(`${momentTitle(other.local)} from ${other.source} ${other.reason}`, "faint"));
  return section("Date", line(momentTitle(date.local)), line([
    ...(date.hasTime ? [offset] : []), `from ${date.source}`, ...(date.zoneSource ? [`zone from ${date.zoneSource}`] : []),
  ].join(" · "), "faint"), ...others, edit);
}

/** "UTC+2" or "UTC−3:30". */
function utc(minutes) {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? "−" : "+"}${hours}${rest ? `:${String(rest).padStart(2, "0")}` : ""}`;
}

function location({ location, place, positionFault, allowsEdits }, actions) {
  const known = location ? `${location.latitude.toFixed(5)}, ${location.longitude.toFixed(5)}` : "";
  const edit = allowsEdits
    ? make("p", { className: "row" }, button(location ? "Edit the place" : "Add a place", () => askForPlace(known, (text) =>
      text === known || actions.edits.run({ do: "location", assets: [actions.asset], text }, "Place saved."))))
    : undefined;
  const fault = positionFault && line(positionFault, "faint");
  if (!location) return place || fault || edit ? section("Place", line(place), fault, edit) : undefined;
  const { latitude, longitude, altitude, source } = location;
  const canvas = make("canvas", { className: "map", role: "img" });
  canvas.ariaLabel = `Map of the world around ${place ?? coordinates(location)}`;
  const pin = make("span", { className: "pin" });
  const map = new WorldMap(canvas);
  const draw = () => map.draw({ x: x(longitude), y: y(latitude) }, SCALE);
  new ResizeObserver(draw).observe(canvas);
  map.ready.then(draw, () => canvas.parentElement?.remove());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  const near = make("a", { href: actions.search(`near:${latitude.toFixed(4)},${longitude.toFixed(4)},1`), textContent: "Photos near here" });
  const height = altitude === undefined ? [] : [`${countTitle(Math.round(altitude))} m`];
  return section("Place", line(place), make("div", { className: "map-box" }, canvas, pin),
    line([coordinates(location), ...height, `from ${source}`].join(" · "), "faint"), make("p", {}, near), edit);
}

function coordinates({ latitude, longitude }) {
  return `${Math.abs(latitude).toFixed(4)}° ${latitude < 0 ? "S" : "N"}, ${Math.abs(longitude).toFixed(4)}° ${longitude < 0 ? "W" : "E"}`;
}

function camera({ camera, lens, exposure = {} }) {
  const { seconds, aperture, sensitivity, compensation, focalLength, equivalent, flash } = exposure;
  const number = (value, digits) => new Intl.NumberFormat(undefined, { maximumFractionDigits: digits }).format(value);
  const shutter = seconds === undefined ? undefined : seconds < 0.3 ? `1/${number(1 / seconds, 0)} s` : `${number(seconds, 1)} s`;
  const settings = [
    shutter, aperture && `f/${number(aperture, 1)}`, sensitivity && `ISO ${sensitivity}`,
    focalLength && `${number(focalLength, 1)} mm${equivalent && equivalent !== focalLength ? ` (${equivalent} mm)` : ""}`,
    compensation ? `${compensation > 0 ? "+" : "−"}${number(Math.abs(compensation), 1)} EV` : undefined, flash ? "flash" : undefined,
  ].filter(Boolean).join(" · ");
  if (!camera && !lens && !settings) return undefined;
  return section("Camera", line(camera), line(lens), line(settings, "faint"));
}

function rating(info, { edits, asset }) {
  const value = info.rating ?? 0;
  if (!info.allowsEdits) return value > 0 ? section("Rating", line(`${"★".repeat(value)}${"☆".repeat(5 - value)}`, "stars")) : undefined;
  const group = make("div", { className: "stars", role: "group", ariaLabel: "Rating" });
  group.append(...[1, 2, 3, 4, 5].map((stars) => button(stars <= value ? "★" : "☆",
    () => edits.run({ do: "rate", assets: [asset], rating: stars === value ? 0 : stars }, stars === value ? "Not rated any more." : `Rated ${stars}.`),
    { ariaLabel: countOf(stars, "star"), ariaPressed: String(stars === value), title: `${countOf(stars, "star")} (${stars})` })));
  return section("Rating", group);
}

function keywords({ keywords, allowsEdits }, { edits, asset, search }) {
  if (keywords.length === 0 && !allowsEdits) return undefined;
  const quoted = (word) => `keyword:${/\s/.test(word) ? `"${word}"` : word}`;
  const list = make("ul", { className: "chips" }, keywords.map((word) => make("li", {},
    make("a", { href: search(quoted(word)), textContent: word }),
    allowsEdits
      ? button("×", () => edits.run({ do: "keywords", assets: [asset], remove: [word] }, `${word} removed.`), { ariaLabel: `Remove ${word}` })
      : undefined)));
  if (!allowsEdits) return section("Keywords", list);
  const add = button("Add…", () => {
    const input = make("input", { autocomplete: "off", required: true });
    input.ariaLabel = "Keywords, separated by commas";
    ask("Add keywords", "Add", make("div", {}, input), (text) => {
      const added = text.split(",").map((word) => word.trim()).filter(Boolean);
      return added.length === 0 || edits.run({ do: "keywords", assets: [asset], add: added }, `${countOf(added.length, "keyword")} added.`);
    }, "Separate several by commas.");
  });
  list.append(make("li", { className: "add" }, add));
  return section("Keywords", list);
}

function albums({ albums, picked, allowsEdits }, actions) {
  if (albums.length === 0 && !picked && !allowsEdits) return undefined;
  const { edits, asset, place } = actions;
  const list = make("ul", { className: "chips" });
  if (picked) list.append(make("li", {}, make("a", { href: `${place}/group/picks`, textContent: "Picks" })));
  for (const { group, title } of albums) {
    list.append(make("li", {}, make("a", { href: `${place}/group/${group}`, textContent: title }), allowsEdits
      ? button("×", () => edits.run({ do: "album", assets: [asset], name: title, value: false }, `Removed from ${title}.`), { ariaLabel: `Remove from ${title}` })
      : undefined));
  }
  if (allowsEdits) list.append(make("li", { className: "add" }, button("Add…", () => addToAlbum(actions), { title: "Add to an album (A)" })));
  return section("Albums", list);
}

/** The other files of the stack, each with a way to it, and which of them is shown. */
function stack({ stack, allowsEdits }, { edits, asset, search, server }) {
  if (!stack) return undefined;
  // The collection that the page belongs to may hide them.
  const library = new URLSearchParams(location.search).get("library");
  const page = ({ id, page }) => `${server}/${page}?${new URLSearchParams({ library, group: "all", where: `stack:${stack[0].id}`, asset: id })}`;
  const list = make("ul", { className: "chips" }, stack.map((one) => make("li", {}, one.id === asset
    ? make("b", { textContent: one.name }) : make("a", { href: page(one), textContent: one.name }))));
  const isCover = stack[0].id === asset;
  return section("Stack", list, make("p", { className: "row" },
    make("a", { href: search(`stack:${stack[0].id}`), textContent: `All ${stack.length} files` }),
    allowsEdits && !isCover
      ? button("Show this one", () => edits.run({ do: "cover", assets: [asset] }, "Shown as the cover of its stack."))
      : undefined));
}

/** Asks for an album and adds the photo to it. */
export function addToAlbum({ edits, asset, place }) {
  return askForAlbum(place, (name) => edits.run({ do: "album", assets: [asset], name, value: true }, `Added to ${name}.`));
}

function file(info, { server, copy, trash }) {
  const { asset, path, missing } = info;
  const pixels = asset.width ? [`${countTitle(asset.width)} × ${countTitle(asset.height)}`] : [];
  const download = make("a", { href: `${server}${info.file}?download`, textContent: "Download the original", download: "" });
  return section("File", make("p", { textContent: path, className: "path" }),
    line([...pixels, asset.format.toUpperCase(), bytesTitle(asset.bytes)].join(" · "), "faint"),
    missing ? line("The file is not there any more.", "faint") : undefined,
    make("p", { className: "row" }, missing ? undefined : download, button("Copy the link", copy),
      info.allowsEdits && !missing ? button("Move to the trash", trash) : undefined));
}
