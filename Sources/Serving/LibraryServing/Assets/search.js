// The search box: results while one types, suggestions for the word at the end, and above them what is wrong in words.

import { countTitle } from "./titles.js";

/** Milliseconds without typing after which a search is followed. */
const TYPED = 250;

export class SearchBox {
  #input = document.getElementById("query");
  #list = document.getElementById("suggestions");
  #problem = document.getElementById("problem");
  #place;
  #changed;
  #waiting;
  #request;
  #active = -1;
  #suggestions = [];

  /** `place` is the address of the library; `changed(where, isNew)` follows the search. */
  constructor(place, changed) {
    this.#place = place;
    this.#changed = changed;
    const input = this.#input;
    let isNew = true;
    const follow = () => {
      clearTimeout(this.#waiting);
      this.#changed(input.value, isNew);
      isNew = false;
    };
    input.addEventListener("input", () => {
      this.#suggest();
      clearTimeout(this.#waiting);
      this.#waiting = setTimeout(follow, TYPED);
    });
    input.addEventListener("focus", () => { isNew = true; this.#suggest(); });
    input.addEventListener("blur", () => setTimeout(() => this.#close(), 150));
    input.addEventListener("keydown", (event) => this.#press(event, follow));
    // The change of a search is followed while one types, not by the form.
    input.addEventListener("change", (event) => event.stopPropagation());
    this.#list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.#list.addEventListener("click", ({ target }) => {
      const index = [...this.#list.children].indexOf(target.closest("li"));
      if (index >= 0) this.#take(index, follow);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.closest("input, dialog")) return;
      event.preventDefault();
      input.focus();
      input.select();
    });
  }

  /** Says why a search finds nothing, or that all is well. */
  explain(words) {
    this.#problem.hidden = !words;
    this.#problem.textContent = words ?? "";
    if (words) this.#input.setAttribute("aria-invalid", "true");
    else this.#input.removeAttribute("aria-invalid");
  }

  /** The word at the end of what is typed, with its quotation marks. */
  get #word() { return this.#input.value.match(/(?:[^\s"]|"[^"]*(?:"|$))*$/)[0]; }

  async #suggest() {
    this.#request?.abort();
    const request = this.#request = new AbortController();
    const word = this.#word;
    this.#list.ariaBusy = "true";
    try {
      const answer = await fetch(`${this.#place}/suggest?word=${encodeURIComponent(word)}`, { signal: request.signal });
      if (!answer.ok) throw answer;
      const { suggestions } = await answer.json();
      if (!request.signal.aborted && document.activeElement === this.#input) this.#show(suggestions);
    } catch {
      if (!request.signal.aborted) this.#close();
    }
  }

  /** Shows suggestions; the marked one stays marked if it is still among them. */
  #show(suggestions) {
    const marked = this.#suggestions[this.#active]?.word;
    this.#suggestions = suggestions;
    this.#list.ariaBusy = "false";
    this.#list.replaceChildren(...suggestions.map(({ title, kind, count }, index) => {
      const item = Object.assign(document.createElement("li"), { id: `suggestion-${index}`, role: "option" });
      item.ariaSelected = "false";
      const words = document.createElement("b");
      words.textContent = title;
      const rest = document.createElement("span");
      rest.textContent = count === undefined ? kind : `${kind} · ${countTitle(count)}`;
      item.append(words, rest);
      return item;
    }));
    this.#list.hidden = suggestions.length === 0;
    this.#input.ariaExpanded = String(suggestions.length > 0);
    this.#mark(suggestions.findIndex(({ word }) => word === marked));
  }

  #close() {
    this.#request?.abort();
    this.#show([]);
  }

  #press(event, follow) {
    const { key } = event;
    const count = this.#suggestions.length;
    if (key === "Escape") {
      if (count > 0) this.#close();
      else if (this.#input.value) { this.#input.value = ""; follow(); }
      else this.#input.blur();
    } else if (key === "Enter") {
      if (this.#active >= 0) this.#take(this.#active, follow);
      else { this.#close(); follow(); }
    } else if ((key === "ArrowDown" || key === "ArrowUp") && count > 0) {
      this.#mark((this.#active + (key === "ArrowDown" ? 1 : -1) + count + 1) % (count + 1));
    } else return;
    event.preventDefault();
  }

  /** Marks a suggestion; -1 and the one behind the last are none. */
  #mark(index) {
    this.#active = index >= this.#suggestions.length ? -1 : index;
    [...this.#list.children].forEach((item, at) => { item.ariaSelected = String(at === this.#active); });
    if (this.#active >= 0) this.#input.setAttribute("aria-activedescendant", `suggestion-${this.#active}`);
    else this.#input.removeAttribute("aria-activedescendant");
  }

  #take(index, follow) {
    const { word } = this.#suggestions[index];
    const before = this.#input.value.slice(0, this.#input.value.length - this.#word.length);
    const isOpen = word.endsWith(":");
    this.#input.value = before + word + (isOpen ? "" : " ");
    this.#input.focus();
    if (isOpen) return void this.#suggest();
    this.#close();
    follow();
  }
}
