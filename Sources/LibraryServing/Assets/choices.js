// The selected grouping, kind and order, in the URL and in the controls.

const USUAL = { by: "day", order: "descending", show: "all" };

export class Choices {
  #form;

  /** `changed()` follows every choice, by hand or by going back. */
  constructor(form, changed) {
    this.#form = form;
    this.#read();
    form.addEventListener("change", () => {
      history.pushState(null, "", `?${this.query}`);
      changed();
    });
    addEventListener("popstate", () => {
      const before = this.query;
      this.#read();
      if (this.query !== before) changed();
    });
  }

  get by() { return this.#form.elements.by.value; }

  /** The choices as they stand in addresses. */
  get query() {
    return new URLSearchParams(Object.keys(USUAL).map((name) => [name, this.#form.elements[name].value])).toString();
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
