// The tiles of TIFFs as they are stored: JPEGs without their tables, deflated or plain samples of 8 or 16 bits. Part of
// viewport-tiles.js, which loads this file when it is needed.
//
// The sidecar lists the levels with the places of their tables in the file; where a tile is, is read from the file.

import { chunk, joined, png, zlib } from "./png-writer.js";

/** The markers of JPEGs that say what their colors are: the directory of the TIFF says it here. */
const COLOR_MARKERS = [0xE0, 0xEE];
/** The bytes of a profile in one segment at most. */
const PROFILE_PART = 65000;
/** The color types of PNG for 1 to 4 samples: gray, gray and opacity, RGB, RGB and opacity. */
const PNG_TYPES = [0, 4, 2, 6];
const START = new Uint8Array([0xFF, 0xD8]);

/** A tiled TIFF. `file.read(ranges)` gives bytes of the file, `broken` makes the error of a damaged one. */
export class TIFFTiles {
  #file;
  #broken;
  #isLittle;
  #profile;
  /** Promises of what tiles of a level have in common, by its number. */
  #common = new Map();

  /** Reads the list, behind which is a hash. */
  constructor(file, list, broken) {
    const { order, profile, levels } = JSON.parse(new TextDecoder().decode(list.subarray(0, -8)));
    [this.#file, this.#broken, this.#isLittle, this.#profile] = [file, broken, order === "little", profile];
    /** The levels, finest first: factor, width, height, and the size of a tile. */
    this.levels = levels;
  }

  /** A tile with its padding: the bytes of a JPEG or PNG, and its type. */
  async tile(number, column, row) {
    const level = this.levels[number];
    const index = row * Math.ceil(level.width / level.tile.width) + column;
    const [[offset, count], { tables, profile }] = await Promise.all([this.#place(level, index), this.#shared(number)]);
    // Sidecars of former versions have tiles of 8 bits only.
    const size = (level.tile.width * level.tile.height * level.samples * (level.bits ?? 8)) / 8;
    if (offset === 0 || count === 0 || count > 2 * size + 65536) throw this.#broken();
    const data = await this.#file.read([[offset, offset + count]]);
    if (level.compression === "jpeg") return { bytes: this.#jpeg(level, data, tables, profile), type: "image/jpeg" };
    const samples = level.compression === "deflate" ? await this.#inflated(data) : data;
    if (samples.length !== size) throw this.#broken();
    if (level.bits !== 16) return { bytes: picture(level, samples, profile), type: "image/png" };
    const bytes = highBytes(level, samples, this.#isLittle);
    return { bytes: picture({ ...level, hasDifferences: false }, bytes, profile), type: "image/png" };
  }

  /** Where a tile begins in the file, and its length. */
  async #place({ offsets, counts }, index) {
    const ranges = [offsets, counts].map(({ position, size }) => [position + index * size, position + (index + 1) * size]);
    const bytes = await this.#file.read(ranges);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    return [this.#number(view, 0, offsets.size), this.#number(view, offsets.size, counts.size)];
  }

  #number(view, at, size) {
    const little = this.#isLittle;
    if (size === 2) return view.getUint16(at, little);
    if (size === 4) return view.getUint32(at, little);
    const [first, second] = [view.getUint32(at, little), view.getUint32(at + 4, little)];
    return little ? first + second * 2 ** 32 : first * 2 ** 32 + second;
  }

  #shared(number) {
    const known = this.#common.get(number);
    if (known) return known;
    const { tables } = this.levels[number];
    const read = async (range) => (range ? this.#file.read([range]) : undefined);
    const promise = Promise.all([read(tables), read(this.#profile)]).then(([tables, profile]) => ({ tables, profile }));
    promise.catch(() => this.#common.delete(number));
    this.#common.set(number, promise);
    return promise;
  }

  /** A complete JPEG: a marker that states the color space, tables, and the tile without markers that state another. */
  #jpeg({ samples, colors }, data, tables, profile) {
    const parts = [START];
    if (samples === 3) parts.push(segment(0xEE, [...text("Adobe"), 0, 100, 0, 0, 0, 0, colors === "ycbcr" ? 1 : 0]));
    if (profile) parts.push(...profileSegments(profile));
    if (tables?.length > 4) parts.push(tables.subarray(2, -2));
    if (data[0] !== 0xFF || data[1] !== 0xD8) throw this.#broken();
    let at = 2;
    while (at + 4 <= data.length && data[at] === 0xFF && data[at + 1] !== 0xDA) {
      const end = at + 2 + (data[at + 2] << 8 | data[at + 3]);
      if (!COLOR_MARKERS.includes(data[at + 1])) parts.push(data.subarray(at, end));
      at = end;
    }
    return joined([...parts, data.subarray(at)]);
  }

  async #inflated(data) {
    try {
      const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate"));
      return new Uint8Array(await new Response(stream).arrayBuffer());
    } catch {
      throw this.#broken();
    }
  }
}

/** The upper 8 bits of samples of 16, which screens show. */
function highBytes({ tile: { width }, samples, hasDifferences }, bytes, isLittle) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const high = new Uint8Array(bytes.length / 2);
  const values = new Uint16Array(samples);
  for (let index = 0; index < high.length; index++) {
    if (index % (width * samples) === 0) values.fill(0);
    const value = view.getUint16(2 * index, isLittle);
    const channel = index % samples;
    values[channel] = hasDifferences ? values[channel] + value : value;
    high[index] = values[channel] >> 8;
  }
  return high;
}

/** A PNG of the samples of a tile. */
function picture({ tile: { width, height }, samples, hasDifferences }, bytes, profile) {
  const length = width * samples;
  const rows = new Uint8Array((length + 1) * height);
  for (let row = 0; row < height; row++) {
    const line = rows.subarray(row * (length + 1) + 1, (row + 1) * (length + 1));
    line.set(bytes.subarray(row * length, (row + 1) * length));
    // PNG has the same differences for rows whose filter is 1.
    if (hasDifferences) rows[row * (length + 1)] = 1;
  }
  const colors = profile ? [{ bytes: chunk("iCCP", named(profile)) }] : [];
  return png({ depth: 8, type: PNG_TYPES[samples - 1], colors }, width, height, rows);
}

/** The contents of an iCCP chunk: a name, the method, and the profile. */
function named(profile) { return joined([text("icc"), new Uint8Array(2), zlib(profile)]); }

function profileSegments(profile) {
  const count = Math.ceil(profile.length / PROFILE_PART);
  return Array.from({ length: count }, (_, number) => {
    const part = profile.subarray(number * PROFILE_PART, (number + 1) * PROFILE_PART);
    return segment(0xE2, [...text("ICC_PROFILE"), 0, number + 1, count, ...part]);
  });
}

function segment(marker, body) {
  const length = body.length + 2;
  return new Uint8Array([0xFF, marker, length >> 8, length & 255, ...body]);
}

function text(words) { return new TextEncoder().encode(words); }
