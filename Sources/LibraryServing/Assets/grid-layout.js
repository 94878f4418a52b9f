// Computes the positions in the grid: entries have headings and rows of square tiles.
// The number of an asset counts over all entries; a place is [entry, asset].

const GAP = 3;
const HEADING = 52;

/** The places in a rising list of sums, one longer than what it sums up. */
function find(sums, value) {
  let [low, high] = [0, sums.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (sums[middle] <= value) low = middle; else high = middle;
  }
  return low;
}

/** Where each entry begins among all assets, and where the last one ends. */
export function starts(entries) {
  const sums = new Float64Array(entries.length + 1);
  entries.forEach(([, count], index) => { sums[index + 1] = sums[index] + count; });
  return sums;
}

export class Layout {
  #tops;
  #rows;

  /** `entries` are [key, count], none of them empty; `width` is that of the grid, in points. */
  constructor(entries, width, hasHeadings) {
    this.entries = entries;
    this.starts = starts(entries);
    this.count = this.starts[entries.length];
    const wanted = width < 480 ? 90 : width < 900 ? 132 : 156;
    this.columns = Math.max(1, Math.floor((width + GAP) / (wanted + GAP)));
    this.side = Math.max(1, (width - GAP * (this.columns - 1)) / this.columns);
    this.rowHeight = this.side + GAP;
    this.heading = hasHeadings ? HEADING : 0;
    const headingRows = hasHeadings ? 1 : 0;
    this.#tops = new Float64Array(entries.length + 1);
    this.#rows = new Float64Array(entries.length + 1);
    entries.forEach(([, count], index) => {
      const rows = Math.ceil(count / this.columns);
      this.#tops[index + 1] = this.#tops[index] + this.heading + rows * this.rowHeight;
      this.#rows[index + 1] = this.#rows[index] + headingRows + rows;
    });
    this.height = this.#tops[entries.length];
    this.rowCount = this.#rows[entries.length];
  }

  /** The entry that lies at a height. */
  entryAt(y) { return find(this.#tops, Math.max(0, y)); }

  /** The place of an asset by its number. */
  place(number) {
    const entry = find(this.starts, number);
    return [entry, number - this.starts[entry]];
  }

  number([entry, asset]) { return this.starts[entry] + asset; }

  /** The top of the row that an asset is in. */
  top(number) {
    const [entry, asset] = this.place(number);
    return this.#tops[entry] + this.heading + Math.floor(asset / this.columns) * this.rowHeight;
  }

  /** The heading or row at a height and below it: where it stands, and which assets it shows. */
  *rowsFrom(y) {
    if (this.count === 0) return;
    for (let entry = this.entryAt(y); entry < this.entries.length; entry++) {
      const top = this.#tops[entry];
      const headings = this.heading ? 1 : 0;
      if (headings && y < top + this.heading) {
        yield { key: `${entry}`, entry, y: top, height: this.heading, row: this.#rows[entry] + 1, from: this.starts[entry], to: this.starts[entry] };
      }
      const count = this.entries[entry][1];
      const first = Math.max(0, Math.floor((y - top - this.heading) / this.rowHeight));
      for (let row = first; row * this.columns < count; row++) {
        const from = this.starts[entry] + row * this.columns;
        yield {
          key: `${entry}.${row}`, entry, y: top + this.heading + row * this.rowHeight, height: this.rowHeight,
          row: this.#rows[entry] + headings + row + 1, from, to: Math.min(from + this.columns, this.starts[entry + 1]),
        };
      }
    }
  }

  /** The asset that is reached from another by a step across or down; the grid's ends hold. */
  step(number, across, down) {
    if (across !== 0) return Math.min(this.count - 1, Math.max(0, number + across));
    let [entry, asset] = this.place(number);
    const column = asset % this.columns;
    let row = Math.floor(asset / this.columns);
    for (let left = Math.abs(down); left > 0; left--) {
      row += Math.sign(down);
      if (row < 0) {
        if (entry === 0) return number;
        row = Math.ceil(this.entries[--entry][1] / this.columns) - 1;
      } else if (row * this.columns >= this.entries[entry][1]) {
        if (entry + 1 === this.entries.length) break;
        [entry, row] = [entry + 1, 0];
      }
    }
    return this.starts[entry] + Math.min(row * this.columns + column, this.entries[entry][1] - 1);
  }
}
