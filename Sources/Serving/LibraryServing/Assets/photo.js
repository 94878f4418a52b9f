// What a library adds to the page of a photo: information, picks and albums, its film, and the slideshow.

import { Annotations } from "./annotations.js";
import { Edits, say } from "./edits.js";
import { addToAlbum, describe } from "./info-panel.js";
import { Slideshow } from "./slideshow.js";

const OPEN = "viewport.info";
/** Milliseconds for which the picture is held before its film plays, and the points that it may move meanwhile. */
const HELD = 350;
const STEADY = 8;
const server = new URL("../", import.meta.url).href;
const ICONS = {
  pick: "M12 20s-7.500-4.700-7.500-10A4.300 4.300 0 0 1 12 7.200 4.300 4.300 0 0 1 19.500 10C19.500 15.300 12 20 12 20z",
  annotate: "M4.500 4.500h15v15h-15zM12 9v6M9 12h6",
  play: "M8 5.500v13l10-6.500z",
  live: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z",
  download: "M12 4v11M7 10.500l5 5 5-5M5 20h14",
  info: "M12 11v6M12 7.500v.010M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17z",
};

class PhotoPage {
  #place;
  #asset;
  #info;
  #panel;
  #buttons = {};
  #edits;
  #slideshow;
  #film;
  #annotations;
  #run = 0;

  constructor(library) {
    this.#place = `${server}library/${encodeURIComponent(library)}`;
    this.#edits = new Edits(this.#place, () => this.#load());
    addStyle();
    this.#make();
    this.#slideshow = new Slideshow((direction) => this.#go(direction), (isOn) => {
      document.body.classList.toggle("slideshow", isOn);
      this.#buttons.play.ariaPressed = String(isOn);
      // A slideshow shows nothing but photos.
      const isOpen = !isOn && recallOpen();
      if (isOpen !== this.#isOpen) this.#toggle(isOpen, false);
    });
    if (document.querySelector("#picture")) {
      this.#annotations = new Annotations(this.#place, (isOn) => { this.#buttons.annotate.ariaPressed = String(isOn); });
    }
    addEventListener("keydown", (event) => this.#press(event), { capture: true });
    addEventListener("keyup", ({ key }) => { if (["m", " ", "Enter"].includes(key)) this.#stopFilm(); });
    addEventListener("blur", () => this.#stopFilm());
    if (this.#picture) this.#listenToHolds(this.#picture);
    // The viewer shows the next photo without loading a page.
    document.addEventListener("photochange", () => this.#given !== this.#asset && this.#load());
    this.#load();
  }

  /** The number of the photo in the URL. */
  get #given() { return Number(new URLSearchParams(location.search).get("asset")) || undefined; }
  get #isOpen() { return !this.#panel.hidden; }

  #make() {
    const bar = Object.assign(document.createElement("div"), { id: "photo-tools", className: "bar", role: "toolbar" });
    bar.ariaLabel = "Photo";
    const add = (name, title, action) => {
      const button = Object.assign(document.createElement(name === "download" ? "a" : "button"), { title });
      button.ariaLabel = title.replace(/ \(.*/, "");
      button.dataset.tool = name;
      button.innerHTML = "<svg viewBox=\"0 0 24 24\"><path/></svg>";
      button.querySelector("path").setAttribute("d", ICONS[name]);
      if (action) button.addEventListener("click", action);
      bar.append(button);
      this.#buttons[name] = button;
    };
    add("live", "Hold to play (M)");
    add("pick", "Pick (P)", () => this.#pick());
    add("annotate", "Name a part of the photo (B)", () => this.#annotations.draws(!this.#annotations.isDrawing));
    add("play", "Slideshow", () => (this.#slideshow.isOn ? this.#slideshow.stop() : this.#slideshow.start()));
    add("download", "Download the original");
    add("info", "Information (I)", () => this.#toggle());
    this.#buttons.pick.hidden = this.#buttons.live.hidden = this.#buttons.annotate.hidden = true;
    this.#buttons.download.download = "";
    const { live } = this.#buttons;
    live.addEventListener("pointerdown", (event) => { live.setPointerCapture(event.pointerId); this.#playFilm(); });
    for (const end of ["pointerup", "pointercancel", "blur"]) live.addEventListener(end, () => this.#stopFilm());
    live.addEventListener("contextmenu", (event) => event.preventDefault());
    live.addEventListener("keydown", (event) => {
      if (event.key !== " " && event.key !== "Enter") return;
      event.preventDefault();
      if (!event.repeat) this.#playFilm();
    });
    this.#panel = Object.assign(document.createElement("aside"), { id: "info", hidden: true, tabIndex: -1 });
    this.#panel.ariaLabel = "Information";
    const said = Object.assign(document.createElement("div"), { id: "said" });
    document.querySelector("header.bar, header").after(bar);
    document.body.append(this.#panel, said);
    if (recallOpen()) this.#toggle(true, false);
  }

  #toggle(isOpen = !this.#isOpen, isByHand = true) {
    this.#panel.hidden = !isOpen;
    document.body.classList.toggle("with-info", isOpen);
    this.#buttons.info.ariaPressed = String(isOpen);
    if (isByHand) keepOpen(isOpen);
    if (isOpen) this.#show();
  }

  async #load() {
    const run = ++this.#run;
    const asset = this.#given;
    const isOther = asset !== this.#asset;
    this.#asset = asset;
    if (isOther) this.#stopFilm();
    const answer = await fetch(`${this.#place}/info/${asset}`).catch(() => undefined);
    if (run !== this.#run) return;
    this.#info = answer?.ok ? await answer.json() : undefined;
    if (run !== this.#run) return;
    const { pick, live, download, annotate } = this.#buttons;
    const allowsEdits = Boolean(this.#info?.allowsEdits);
    annotate.hidden = !allowsEdits || !this.#annotations || Boolean(this.#info.missing);
    if (isOther) this.#annotations?.open(asset, allowsEdits);
    pick.hidden = !this.#info?.allowsEdits;
    pick.ariaPressed = String(Boolean(this.#info?.picked));
    live.hidden = !this.#info?.film;
    download.hidden = !this.#info || Boolean(this.#info.missing);
    if (this.#info) download.href = `${server}${this.#info.file}?download`;
    document.body.dataset.edits = this.#info?.allowsEdits ? "true" : "";
    if (this.#isOpen) this.#show(isOther);
  }

  #show(isOther) {
    const panel = this.#panel;
    const close = Object.assign(document.createElement("button"), { type: "button", className: "close", textContent: "×" });
    close.ariaLabel = "Close the information";
    close.addEventListener("click", () => { this.#toggle(false); this.#buttons.info.focus(); });
    const title = Object.assign(document.createElement("h2"), { textContent: "Information" });
    const focused = panel.contains(document.activeElement) ? document.activeElement.textContent : undefined;
    const { scrollTop } = panel;
    const words = document.createElement("p");
    words.textContent = "The server has no information about this photo; it may have been deleted.";
    panel.replaceChildren(title, close, this.#info ? describe(this.#info, this.#actions) : words);
    if (isOther) return;
    panel.scrollTop = scrollTop;
    // An edit makes the panel anew, with the focus where it was.
    if (focused) ([...panel.querySelectorAll("button, a")].find((one) => one.textContent === focused) ?? panel).focus();
  }

  get #actions() {
    return {
      server, place: this.#place, edits: this.#edits, asset: this.#asset,
      search: (text) => `${this.#place}/group/all?${new URLSearchParams({ where: text })}`,
      copy: () => copyLink(), trash: () => this.#trash(),
    };
  }

  /** Moves the photo to the trash, and shows the next one, or the one before it. */
  async #trash() {
    const gone = this.#asset;
    if (!await this.#edits.run({ do: "trash", assets: [gone] }, "Moved to the trash.")) return;
    if (this.#asset === gone && this.#go("next") === false && this.#go("previous") === false) {
      document.querySelector("header a[href]")?.click();
    }
  }

  #pick() {
    if (!this.#info) return;
    const value = !this.#info.picked;
    this.#edits.run({ do: "pick", assets: [this.#asset], value }, value ? "Picked." : "No longer picked.");
  }

  #press(event) {
    if (event.key === "z" && (event.ctrlKey || event.metaKey) && !event.target.closest?.("dialog, input, textarea")) {
      if (this.#edits.undoLast()) event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("dialog, input, textarea")) return;
    const edits = this.#info?.allowsEdits;
    const rates = edits && this.#isOpen && /^[0-5]$/.test(event.key);
    const action = rates
      ? () => this.#edits.run({ do: "rate", assets: [this.#asset], rating: Number(event.key) }, event.key === "0" ? "Not rated any more." : `Rated ${event.key}.`)
      : {
        i: () => this.#toggle(),
        m: this.#info?.film && (() => event.repeat || this.#playFilm()),
        p: edits && (() => this.#pick()),
        a: edits && (() => addToAlbum(this.#actions)),
        b: edits && this.#annotations && (() => this.#annotations.draws(!this.#annotations.isDrawing)),
        B: this.#annotations && (() => this.#annotations.toggle()),
        Delete: edits && !this.#info.missing && (() => this.#trash()),
        Escape: this.#isOpen && (() => this.#toggle(false)),
      }[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    action();
  }

  /** Follows the link to the next or the previous photo; false at the ends. */
  #go(direction) {
    const link = [...document.querySelectorAll("#neighbors a")].at(direction === "next" ? -1 : 0);
    if (!link?.href) return false;
    link.click();
    return true;
  }

  get #picture() { return document.querySelector("#picture, #frame"); }

  /** Plays the film while a finger or the mouse rests on the picture; one that moves belongs to the viewer. */
  #listenToHolds(picture) {
    let start;
    let waiting;
    let isHeld = false;
    const end = () => {
      clearTimeout(waiting);
      if (isHeld) this.#stopFilm();
      [start, isHeld] = [undefined, false];
    };
    const hold = () => {
      const { pointerId, clientX, clientY } = start;
      isHeld = true;
      // For the viewer the gesture is over: nothing scrolls or swipes below the film.
      picture.dispatchEvent(new PointerEvent("pointercancel", { pointerId, clientX, clientY }));
      this.#playFilm();
    };
    picture.addEventListener("pointerdown", (event) => {
      const isOther = start !== undefined;
      end();
      if (isOther || event.button !== 0 || event.shiftKey || !this.#info?.film) return;
      start = event;
      waiting = setTimeout(hold, HELD);
    });
    const follow = (event) => {
      if (!event.isTrusted || event.pointerId !== start?.pointerId) return;
      if (isHeld) event.stopImmediatePropagation();
      const isFar = Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > STEADY;
      if (event.type !== "pointermove" || isFar && !isHeld) end();
    };
    for (const type of ["pointermove", "pointerup", "pointercancel"]) addEventListener(type, follow, { capture: true });
    picture.addEventListener("contextmenu", (event) => start && event.preventDefault());
  }

  #playFilm() {
    const address = this.#info?.film;
    if (!address || this.#film) return;
    const film = Object.assign(document.createElement("video"), { id: "film", src: server + address, playsInline: true, loop: true });
    film.muted = true;
    film.ariaHidden = "true";
    film.addEventListener("error", () => {
      this.#stopFilm();
      const link = Object.assign(document.createElement("a"), { href: `${server}${address}?download`, download: "" });
      say("This browser cannot play the film of this photo.", { action: ["Download the film", () => link.click()] });
    });
    film.addEventListener("playing", () => film.classList.add("seen"));
    this.#film = film;
    this.#picture?.after(film);
    film.play().catch(() => {});
  }

  #stopFilm() {
    this.#film?.remove();
    this.#film = undefined;
  }
}

function addStyle() {
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: new URL("./photo.css", import.meta.url).href });
  document.head.append(link);
}

async function copyLink() {
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied.");
  } catch {
    // Pages that were not loaded over HTTPS have no such clipboard.
    const area = Object.assign(document.createElement("textarea"), { value: location.href, className: "unseen" });
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    say(isDone ? "The link is copied." : "This browser does not let the page copy the link; copy it from the address bar.");
  }
}

function recallOpen() {
  try { return localStorage.getItem(OPEN) === "open" && innerWidth >= 720; } catch { return false; }
}

function keepOpen(isOpen) {
  try { localStorage.setItem(OPEN, isOpen ? "open" : "closed"); } catch { /* Without storage, it opens by hand. */ }
}

const library = new URLSearchParams(location.search).get("library");
if (library) new PhotoPage(library);
