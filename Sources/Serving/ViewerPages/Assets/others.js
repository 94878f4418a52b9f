// The strip from which the second image of a comparison is chosen: the images of its folder.

const button = document.querySelector("[data-do=others]");
const strip = document.querySelector("#others");
const server = new URL("../", import.meta.url).href;

export class Others {
  constructor() {
    addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || strip.hidden) return;
      event.stopImmediatePropagation();
      this.toggle();
      button.focus();
    }, { capture: true });
  }

  async toggle() {
    strip.hidden = !strip.hidden;
    button.ariaExpanded = String(!strip.hidden);
    if (!strip.hidden && strip.children.length === 0) await this.#load();
  }

  /** Reads the page of the folder, which has all its images. */
  async #load() {
    const parts = location.pathname.split("/");
    const name = decodeURIComponent(parts.at(-1)).replace(/;\d+$/, "");
    const folder = name.split("/").slice(0, -1).join("/");
    const answer = await fetch(`${server}?${new URLSearchParams(folder ? { folder } : {})}`).catch(() => undefined);
    const page = new DOMParser().parseFromString(answer?.ok ? await answer.text() : "", "text/html");
    const links = [...page.querySelectorAll("li > a[href^='./view/']")];
    if (links.length === 0) return strip.append("No other images are listed here.");
    strip.append(...links.map((link) => {
      const identifier = link.getAttribute("href").slice("./view/".length);
      const one = Object.assign(document.createElement("a"), { title: link.textContent });
      one.href = `${[...parts.slice(0, -1), identifier].join("/")}${location.search}`;
      const picture = Object.assign(document.createElement("img"), { alt: link.textContent, loading: "lazy" });
      picture.src = new URL(link.querySelector("img").getAttribute("src"), server).href;
      if (decodeURIComponent(identifier) === name) one.ariaCurrent = "true";
      // The place is kept: it is in the fragment when the link is followed.
      one.addEventListener("click", () => { one.hash = location.hash; });
      one.append(picture);
      return one;
    }));
    strip.querySelector("[aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
  }
}
