// The selected grouping, kind and order, and the search, in the URL and in the controls.

const USUAL = { by: "day", order: "descending", show: "all", where: "" };

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

  get by() { return this.#form.elements.by.value; }
  get where() { return this.#form.elements.where.value.trim(); }

  /** Takes another search; one that grows letter by letter makes no more than one step back. */
  search(where, isNew) {
    this.#form.elements.where.value = where;
    history[isNew ? "pushState" : "replaceState"](null, "", `?${this.query}`);
  }

  /** The choices as they stand in addresses. */
  get query() {
    const named = Object.keys(USUAL).map((name) => [name, name === "where" ? this.where : this.#form.elements[name].value]);
    return new URLSearchParams(named.filter(([name, value]) => name !== "where" || value)).toString();
  }

  /** Says on the closed form what is chosen. */
  #name() {
    const words = [...this.#form.querySelectorAll(":checked + span")].map(({ textContent }) => textContent);
    const [by, show] = words;
    document.getElementById("chosen").textContent = show === "All" ? by : `${by}, ${show}`;
  }

  #read() {
    const given = new URLSearchParams(location.search);
    for (const [name, usual] of Object.entries(USUAL)) {
      this.#form.elements[name].value = given.get(name) ?? usual;
      // Unknown values are replaced by the default.
      if (!this.#form.elements[name].value) this.#form.elements[name].value = usual;
    }
  }
}
