// The search for a place on the map: suggestions of the server for what is typed, or a position in degrees.

/** Milliseconds without typing after which the server is asked. */
const TYPED = 150;

export class PlaceBox {
  #input = document.getElementById("find");
  #list = document.getElementById("found");
  #status = document.getElementById("status");
  #address;
  #go;
  #waiting;
  #request;
  #active = -1;
  #places = [];

  /** `go({latitude, longitude, level})` shows a place. */
  constructor(address, go) {
    this.#address = address;
    this.#go = go;
    const input = this.#input;
    input.addEventListener("input", () => {
      clearTimeout(this.#waiting);
      this.#waiting = setTimeout(() => this.#ask(), TYPED);
    });
    input.addEventListener("keydown", (event) => this.#press(event));
    input.addEventListener("blur", () => setTimeout(() => this.#show([]), 150));
    input.closest("form").addEventListener("submit", (event) => event.preventDefault());
    this.#list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.#list.addEventListener("click", ({ target }) => {
      const index = [...this.#list.children].indexOf(target.closest("li"));
      if (index >= 0) this.#take(index);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target === input) return;
      event.preventDefault();
      input.focus();
      input.select();
    });
  }

  async #ask() {
    clearTimeout(this.#waiting);
    this.#request?.abort();
    const text = this.#input.value.trim();
    if (!text) return this.#show([]);
    const position = positionIn(text);
    if (position) return this.#show([position]);
    const { signal } = this.#request = new AbortController();
    try {
      const answer = await fetch(`${this.#address}?find=${encodeURIComponent(text)}`, { signal });
      if (!answer.ok) throw answer;
      const { places } = await answer.json();
      if (signal.aborted) return;
      this.#show(places);
      this.#status.textContent = places.length === 0 ? `No place is called ${text}.` : "";
    } catch {
      if (!signal.aborted) this.#status.textContent = "The server does not answer.";
    }
    this.#status.classList.toggle("seen", this.#status.textContent !== "");
  }

  #show(places) {
    this.#places = places;
    this.#list.replaceChildren(...places.map(({ name, country }, index) => {
      const item = Object.assign(document.createElement("li"), { id: `place-${index}`, role: "option" });
      const [words, rest] = [document.createElement("b"), document.createElement("span")];
      words.textContent = name;
      rest.textContent = country ?? "";
      item.append(words, rest);
      return item;
    }));
    this.#list.hidden = places.length === 0;
    this.#input.ariaExpanded = String(places.length > 0);
    this.#mark(-1);
  }

  #press(event) {
    const count = this.#places.length;
    event.stopPropagation();
    if (event.key === "Escape") {
      if (count > 0) this.#show([]);
      else if (this.#input.value) this.#input.value = "";
      else this.#input.blur();
    } else if (event.key === "Enter") {
      this.#enter();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && count > 0) {
      this.#mark((this.#active + (event.key === "ArrowDown" ? 1 : -1) + count + 1) % (count + 1));
    } else return;
    event.preventDefault();
  }

  /** Goes to the marked place, or else to the first one, which may have to be asked for. */
  async #enter() {
    if (this.#active < 0) await this.#ask();
    if (this.#places.length > 0) this.#take(Math.max(0, this.#active));
  }

  #mark(index) {
    this.#active = index >= this.#places.length ? -1 : index;
    [...this.#list.children].forEach((item, at) => { item.ariaSelected = String(at === this.#active); });
    if (this.#active >= 0) this.#input.setAttribute("aria-activedescendant", `place-${this.#active}`);
    else this.#input.removeAttribute("aria-activedescendant");
  }

  #take(index) {
    const place = this.#places[index];
    this.#input.value = place.name;
    this.#show([]);
    this.#input.blur();
    this.#go(place);
  }
}

/** A position such as "47.05, 8.31"; undefined for other texts. */
function positionIn(text) {
  const parts = /^(-?\d{1,2}(?:\.\d+)?)\s*[,;\s]\s*(-?\d{1,3}(?:\.\d+)?)$/.exec(text);
  if (!parts) return undefined;
  const [latitude, longitude] = parts.slice(1).map(Number);
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return undefined;
  return { name: `${latitude}, ${longitude}`, country: "Position", latitude, longitude, level: 12 };
}
