// Computes the positions in the grid: entries have headings and rows of square tiles. Small entries share rows, each
// below its own heading. In a wide grid they stay whole, with space between them; in that of a phone or tablet they follow
// each other as words do in lines. Long entries have rows of their own.
// The number of an asset counts over all entries; a place is [entry, asset].

const GAP = 3;
/** The smallest tile that fingers hit. */
const TARGET = 44;
/** Grids below these widths are those of small phones, of phones, and of tablets. */
const SMALL_PHONE = 340;
const PHONE = 480;
const TABLET = 900;
const WIDE_HEADING = 34;
const DENSE_HEADING = 24;
/** The space between entries on a row of a wide grid. */
const APART = 14;
/** The space below which a heading has no room for its year, and the height of the line that it has then. */
const BRIEF = 100;
const YEAR = 13;
/** The rows of an entry that shares them with others in a dense grid. */
const SHARED_ROWS = 2;

/** The place in a rising list of sums, one longer than what it sums up. */
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
  /** By row: its first asset, its top with headings, and the lines before it; each with one more at the end. */
  #firsts = [];
  #tops = [0];
  #lines = [0];
  /** What an entry adds to the space between two tiles of a row. */
  #between;
  #width;

  /**
   * `entries` are [key, count], none of them empty; `width` is that of the grid, in points; `scale` enlarges the tiles.
   */
  constructor(entries, width, hasHeadings, scale = 1) {
    this.entries = entries;
    this.starts = starts(entries);
    this.count = this.starts[entries.length];
    this.#width = width;
    this.isDense = width < TABLET;
    const wanted = width < SMALL_PHONE ? 56 : width < PHONE ? 64 : this.isDense ? 100 : 124;
    this.columns = Math.max(1, Math.floor((width + GAP) / (Math.max(TARGET, wanted * scale) + GAP)));
    this.side = Math.max(1, (width - GAP * (this.columns - 1)) / this.columns);
    this.rowHeight = this.side + GAP;
    this.heading = hasHeadings ? this.isDense ? DENSE_HEADING : WIDE_HEADING : 0;
    this.#between = this.isDense ? 0 : APART - GAP;
    this.#fill(width);
    this.height = this.#tops.at(-1);
    this.rowCount = this.#lines.at(-1);
  }

  /** Puts the entries on rows, one after another. */
  #fill(width) {
    const most = this.isDense ? SHARED_ROWS * this.columns : this.columns;
    let left = Infinity;
    this.entries.forEach(([, count], entry) => {
      // Rounding must not put the last tile of a full row on a row of its own.
      const room = Math.floor((width - left + GAP + 0.01) / this.rowHeight);
      const isShared = count <= most && room >= (this.isDense ? 1 : count);
      let placed = isShared ? Math.min(room, count) : 0;
      left += placed * this.rowHeight + this.#between;
      while (placed < count) {
        const here = Math.min(this.columns, count - placed);
        this.#firsts.push(this.starts[entry] + placed);
        placed += here;
        left = here * this.rowHeight + this.#between;
      }
      if (count > most) left = Infinity;
    });
    this.#firsts.push(this.count);
    for (let row = 0, entry = 0; row + 1 < this.#firsts.length; row++) {
      const next = this.#begins(row + 1);
      const hasHeadings = this.heading > 0 && entry < next;
      const years = hasHeadings && this.#headings(row).some(({ year }) => year) ? YEAR : 0;
      this.#tops.push(this.#tops[row] + (hasHeadings ? this.heading + years : 0) + this.rowHeight);
      this.#lines.push(this.#lines[row] + (hasHeadings ? 2 : 1));
      entry = next;
    }
  }

  /** The first entry that begins on a row or after it. */
  #begins(row) {
    const [entry, asset] = this.place(this.#firsts[row]);
    return asset === 0 ? entry : entry + 1;
  }

  #row(number) { return find(this.#firsts, number); }

  /** The height of the headings above a row, which rows without the beginning of an entry do not have. */
  #headingOf(row) {
    return this.#lines[row + 1] - this.#lines[row] > 1 ? this.#tops[row + 1] - this.#tops[row] - this.rowHeight : 0;
  }

  /** The entry of the first asset at a height. */
  entryAt(y) { return this.place(this.#firsts[find(this.#tops, Math.max(0, y))])[0]; }

  /** The place of an asset by its number. */
  place(number) {
    const entry = find(this.starts, number);
    return [entry, number - this.starts[entry]];
  }

  number([entry, asset]) { return this.starts[entry] + asset; }

  /** The top of the tile of an asset. */
  top(number) { return this.topWithHeading(number) + this.#headingOf(this.#row(number)); }

  /** The top of the headings above an asset, or of its tile where there are none. */
  topWithHeading(number) { return this.#tops[this.#row(number)]; }

  /** The left edge of an asset's tile. */
  left(number) {
    const first = this.#firsts[this.#row(number)];
    return (number - first) * this.rowHeight + (this.place(number)[0] - this.place(first)[0]) * this.#between;
  }

  /** The column of an asset, from 0, for those who hear the page. */
  column(number) { return Math.round(this.left(number) / this.rowHeight); }

  /** The headings or tiles at a height and below it: where they stand, and which assets or entries they show. */
  *rowsFrom(y) {
    if (this.count === 0) return;
    for (let row = find(this.#tops, Math.max(0, y)); row + 1 < this.#firsts.length; row++) {
      const [from, to, line] = [this.#firsts[row], this.#firsts[row + 1], this.#lines[row] + 1];
      const height = this.#headingOf(row);
      const top = this.#tops[row];
      if (height > 0 && y < top + height) {
        yield { key: `${row} heading`, y: top, height, row: line, from, to: from, headings: this.#headings(row) };
      }
      yield { key: `${row}`, y: top + height, height: this.rowHeight, row: line + (height > 0 ? 1 : 0), from, to };
    }
  }

  /**
   * The entries that begin on a row, with the space of each; the last one has all that follows. Where the year changes,
   * those without room for it in their titles have a line for it.
   */
  #headings(row) {
    const list = [];
    const [begin, end] = [this.#begins(row), this.#begins(row + 1)];
    const isNew = Array.from({ length: end - begin }, (_, index) => begin + index)
      .some((entry) => this.#year(entry) !== this.#year(entry - 1));
    for (let entry = begin; entry < end; entry++) {
      const first = this.starts[entry];
      const columns = Math.min(this.starts[entry + 1], this.#firsts[row + 1]) - first;
      const width = entry + 1 === end ? undefined : columns * this.rowHeight - GAP;
      const isBrief = (width ?? this.#width - this.left(first)) < BRIEF;
      const year = isNew && isBrief ? this.#year(entry) : undefined;
      list.push({ entry, left: this.left(first), columns, column: this.column(first), width, year });
    }
    return list;
  }

  /** The year of an entry of a day, week or hour, which short titles of those leave out; not of one whose day is unknown. */
  #year(entry) {
    const [key] = this.entries[entry] ?? [];
    return key > 10_000_000 && String(key).slice(6, 8) !== "00" ? String(key).slice(0, 4) : undefined;
  }

  /** The asset that is reached from another by a step across or down; the grid's ends hold. */
  step(number, across, down) {
    if (across !== 0) return Math.min(this.count - 1, Math.max(0, number + across));
    const row = this.#row(number);
    const other = Math.min(this.#firsts.length - 2, Math.max(0, row + down));
    return other === row ? number : this.#nearest(number, other);
  }

  /** The asset of a row that is nearest to another's column. */
  #nearest(number, row) {
    const x = this.left(number);
    const [from, to] = [this.#firsts[row], this.#firsts[row + 1]];
    let best = from;
    for (let one = from; one < to; one++) if (Math.abs(this.left(one) - x) < Math.abs(this.left(best) - x)) best = one;
    return best;
  }
}
