// The selected grouping, kind and order, and the search, in the URL and in the controls, which the server has filled.
// The server leads addresses with other words to those of the controls.

const NAMES = ["group-by", "sort", "filter", "stack", "where"];

export class Choices {
  #form;

  /** `changed()` follows every choice, by hand or by going back. */
  constructor(form, changed) {
    this.#form = form;
    this.#read();
    this.#name();
    form.addEventListener("change", () => {
      history.pushState(null, "", `?${this.query}`);
      this.#name();
      changed();
    });
    addEventListener("popstate", () => {
      const before = this.query;
      this.#read();
      this.#name();
      if (this.query !== before) changed();
    });
  }

  get by() { return this.#form.elements["group-by"].value; }
  /** Whether photos of all kinds are shown, without a search. */
  get isUsual() { return !this.where && [...this.#form.elements.filter].find(({ checked }) => checked).defaultChecked; }
  get where() { return this.#form.elements.where.value.trim(); }

  /** Takes another search; one that grows letter by letter makes no more than one step back. */
  search(where, isNew) {
    this.#form.elements.where.value = where;
    history[isNew ? "pushState" : "replaceState"](null, "", `?${this.query}`);
  }

  /** The choices as they stand in addresses; of stacks only an unusual one, since a search for stacks has its own. */
  get query() {
    const named = NAMES.map((name) => [name, name === "where" ? this.where : this.#form.elements[name].value]);
    return new URLSearchParams(named.filter(([name, value]) => name === "where" ? value : name !== "stack" || !this.#hasUsualStacks)).toString();
  }

  get #hasUsualStacks() { return [...this.#form.elements.stack].find(({ checked }) => checked).defaultChecked; }

  /** Says on the closed form what is chosen. */
  #name() {
    const [by, show] = [...this.#form.querySelectorAll(":checked")];
    const title = (input) => input.nextElementSibling.textContent;
    document.getElementById("chosen").textContent = show.defaultChecked ? title(by) : `${title(by)}, ${title(show)}`;
  }

  #read() {
    const given = new URLSearchParams(location.search);
    for (const name of NAMES) {
      const control = this.#form.elements[name];
      const value = given.get(name);
      if (name === "where") control.value = value ?? "";
      else choose([...control], value);
    }
  }
}

/** Chooses a value; unknown ones are replaced by the usual one. */
function choose(inputs, value) {
  (inputs.find((input) => input.value === value) ?? inputs.find((input) => input.defaultChecked)).checked = true;
}
