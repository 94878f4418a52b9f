// Parts of large PNGs: decoding begins at a checkpoint of the index in the sidecar, not at the first row. Part of
// viewport-tiles.js, which loads this file when it is needed.
//
// A checkpoint is a bit between two symbols, inside of a block. The browser inflates from it when it gets the 32 KB before it
// as a stored block, the header of the block, and then the bits from the checkpoint on.

import { joined, png, stored, storedHead } from "./png-writer.js";

const WINDOW = 32768;
/** The bytes of a stream that are written apart: what they inflate to is lent at once. */
const TAIL = 8;
/** Rows that are kept decoded, in bytes. */
const MOST_KEPT = 96 << 20;
const CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** The chunks that say what colors the samples are. */
const COLORS = ["sRGB", "gAMA", "cHRM", "iCCP", "cICP", "sBIT", "PLTE", "tRNS"];
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** A PNG of which rows are decoded. `file.read(ranges)` gives bytes of the file, `broken` makes the error of a damaged one. */
export class PNGRegions {
  #file;
  #broken;
  #header;
  #bands;
  /** The promises of decoded bands by their number, least recently used first. */
  #kept = new Map();

  static async open(file, index, broken) {
    return new PNGRegions(file, await readHeader(file, broken), index, broken);
  }

  constructor(file, header, index, broken) {
    [this.#file, this.#header, this.#broken] = [file, header, broken];
    const { rowBytes, height } = header;
    const points = checkpoints(index, header, broken);
    this.#bands = [undefined, ...points].map((point) => ({
      point, first: point ? Math.floor((point.output + rowBytes) / (rowBytes + 1)) : 0,
    })).filter(({ first }, number, all) => first < (all[number + 1]?.first ?? height));
    for (const [number, band] of this.#bands.entries()) {
      band.end = this.#bands[number + 1]?.first ?? height;
      band.next = this.#bands[number + 1]?.point;
      band.afterNext = this.#bands[number + 2]?.point;
    }
  }

  /** A small PNG of a stored rectangle: { bytes, x, y, width, height }, the place of the rectangle in it. */
  async part({ x, y, width, height }) {
    const { storedBits, rowBytes } = this.#header;
    // Pixels of less than a byte begin at a byte.
    const left = storedBits < 8 ? x - (x % 8) : x;
    const right = Math.min(this.#header.width, x + width);
    const [begin, end] = [Math.floor((left * storedBits) / 8), Math.ceil((right * storedBits) / 8)];
    const length = end - begin + 1;
    const rows = new Uint8Array(length * height);
    const bands = this.#bands.map((band, number) => ({ ...band, number }))
      .filter(({ first, end }) => first < y + height && end > y);
    await Promise.all(bands.map(async ({ number, first, end: last }) => {
      const decoded = await this.#band(number);
      for (let row = Math.max(first, y); row < Math.min(last, y + height); row++) {
        const start = (row - first) * rowBytes;
        rows.set(decoded.subarray(start + begin, start + end), (row - y) * length + 1);
      }
    }));
    return { bytes: png(this.#header, right - left, height, rows), x: x - left, y: 0, width, height };
  }

  #band(number) {
    const known = this.#kept.get(number);
    const promise = known ?? this.#decode(this.#bands[number]);
    this.#kept.delete(number);
    this.#kept.set(number, promise);
    if (!known) {
      promise.catch(() => this.#kept.delete(number));
      const size = ({ first, end }) => (end - first) * this.#header.rowBytes;
      let sum = [...this.#kept.keys()].reduce((sum, key) => sum + size(this.#bands[key]), 0);
      for (const key of this.#kept.keys()) {
        if (sum <= MOST_KEPT || key === number) break;
        sum -= size(this.#bands[key]);
        this.#kept.delete(key);
      }
    }
    return promise;
  }

  /** The rows of a band, one behind the other, without their filters. */
  async #decode({ point, first, end, next, afterNext }) {
    const { rowBytes } = this.#header;
    const start = point?.output ?? 0;
    const needed = end * (rowBytes + 1) - start;
    // The last row ends behind the next checkpoint.
    const stops = next ? [next.place + 2 * rowBytes + 2048, afterNext?.place ?? Infinity, Infinity] : [Infinity];
    let inflated;
    for (const stop of stops) {
      inflated = await this.#inflate(point, stop, needed);
      if (inflated) break;
    }
    if (!inflated) throw this.#broken();
    const skipped = first * (rowBytes + 1) - start;
    const above = point?.above.length > 0 ? await inflateAll(point.above, rowBytes) : new Uint8Array(rowBytes);
    if (!above) throw this.#broken();
    return unfiltered(inflated.subarray(skipped), above, this.#header, end - first, this.#broken);
  }

  /** The first bytes of the inflated stream behind a checkpoint; undefined if the file up to `stop` has fewer. */
  async #inflate(point, stop, needed) {
    if (!point) {
      const data = await this.#stream(this.#header.data, 0, 0, stop);
      return inflate([data.subarray(2)], 0, needed);
    }
    const { bit, block } = point;
    const data = await this.#stream(point.chunk.file, point.chunk.stream, byteOf(bit), stop);
    const window = await inflateAll(point.window, Math.min(point.output, WINDOW));
    if (!window) throw this.#broken();
    let head = new Uint8Array(0);
    let [begin, end] = [0, 0];
    if (bit !== block) {
      const from = point.blockChunk;
      const place = from.file + 8 + byteOf(block) - from.stream;
      head = await this.#stream(from.file, from.stream, byteOf(block), place + 2048);
      begin = block % 8;
      const header = blockHeader(head, begin, this.#broken);
      end = header.end;
      if (header.length !== undefined) {
        const passed = byteOf(bit) - byteOf(block) - end / 8;
        const rest = header.length - passed;
        if (passed < 0 || rest < 0) throw this.#broken();
        return inflate([stored(window, false), storedHead(rest, header.isFinal), data], window.length, needed);
      }
    }
    // Stored blocks begin at a whole byte, so all bits from the checkpoint on keep their place in a byte.
    const bits = new Bits();
    while ((bits.count + end - begin) % 8 !== bit % 8) bits.add(EMPTY_BLOCK.bytes, 0, EMPTY_BLOCK.count);
    bits.add(head, begin, end).add(data, bit % 8, 8);
    return inflate([stored(window, false), bits.bytes, data.subarray(1)], window.length, needed);
  }

  /** The stream from a byte on: the contents of IDAT chunks up to a position of the file. */
  async #stream(chunk, chunkStart, position, stop) {
    const end = Math.min(stop, this.#file.size);
    let place = chunk + 8 + position - chunkStart;
    const [header, bytes] = await Promise.all([
      this.#file.read([[chunk, chunk + 8]]), this.#file.read([[Math.min(place, end), end]]),
    ]);
    const view = new DataView(header.buffer, header.byteOffset);
    const parts = [];
    let left = view.getUint32(0) - (position - chunkStart);
    if (left < 0) throw this.#broken();
    const whole = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let isLast = false;
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, Math.min(bytes.length, at + left));
      parts.push(part);
      at += left + 4;
      if (at + 8 > bytes.length) break;
      left = whole.getUint32(at);
      if (whole.getUint32(at + 4) !== 0x49444154) {
        isLast = true;
        break;
      }
      at += 8;
    }
    const data = joined(parts);
    // What follows the last block is a checksum, which inflating alone does not take.
    return isLast ? data.subarray(0, Math.max(0, data.length - 4)) : data;
  }
}

async function readHeader(file, broken) {
  let bytes = await file.read([[0, Math.min(file.size, 4096)]]);
  const have = async (count) => {
    if (count > file.size) throw broken();
    if (count > bytes.length) bytes = await file.read([[0, count]]);
  };
  const chunks = [];
  const header = {};
  for (let at = 8; ;) {
    await have(at + 8);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const [length, name] = [view.getUint32(at), String.fromCharCode(...bytes.subarray(at + 4, at + 8))];
    if (name === "IDAT") {
      header.data = at;
      break;
    }
    if (COLORS.includes(name) || name === "IHDR") {
      await have(at + 12 + length);
      chunks.push({ name, bytes: bytes.slice(at, at + 12 + length) });
    }
    at += 12 + length;
  }
  const [first, ...colors] = chunks;
  if (first?.name !== "IHDR") throw broken();
  const view = new DataView(first.bytes.buffer);
  const [width, height, depth, type] = [view.getUint32(8), view.getUint32(12), first.bytes[16], first.bytes[17]];
  const storedBits = CHANNELS[type] * depth;
  return { ...header, width, height, depth, type, colors, storedBits, rowBytes: Math.ceil((width * storedBits) / 8) };
}

/** The checkpoints of a saved index. Source: SavedIndex.swift. */
function checkpoints(bytes, { width, height, depth, type }, broken) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const number = (at) => view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
  const isIndex = bytes.length >= 72 && view.getUint32(0) === 0x504E4958 && bytes[4] === 1;
  const end = bytes.length - 8;
  const [high, low] = isIndex ? hash(bytes.subarray(0, end)) : [];
  if (!isIndex || view.getUint32(end, true) !== low || view.getUint32(end + 4, true) !== high) throw broken();
  if (bytes[5] !== depth || bytes[6] !== type || number(8) !== width || number(16) !== height) throw broken();
  const found = [];
  let at = 64;
  for (let count = number(24); count > 0; count--) {
    if (at + 72 > bytes.length) throw broken();
    const [output, bit, block, blockFile, blockStream, file, stream, window, above] =
      Array.from({ length: 9 }, (_, index) => number(at + 8 * index));
    at += 72;
    if (at + window + above > bytes.length) throw broken();
    found.push({
      output, bit, block, blockChunk: { file: blockFile, stream: blockStream },
      chunk: { file, stream }, window: bytes.slice(at, at + window), above: bytes.slice(at + window, at + window + above),
    });
    at += window + above;
  }
  return found.map((point) => ({
    ...point, place: point.chunk.file + 8 + byteOf(point.bit) - point.chunk.stream,
  }));
}

/** The FNV-1a hash of 64 bits: its halves, the high one first. */
function hash(bytes) {
  let [high, low] = [0xCBF29CE4, 0x84222325];
  for (const byte of bytes) {
    const mixed = (low ^ byte) >>> 0;
    // The prime is 2^40 + 0x1B3.
    const product = mixed * 0x1B3;
    low = product >>> 0;
    high = (high * 0x1B3 + Math.floor(product / 2 ** 32) + ((mixed << 8) >>> 0)) % 2 ** 32;
  }
  return [high, low];
}

/** The byte of the stream with a bit of it. Positions may have more than 32 bits. */
function byteOf(bit) { return Math.floor(bit / 8); }

/** Bits one behind the other, the lowest of a byte first. */
class Bits {
  #bytes = new Uint8Array(0);
  #count = 0;

  /** Adds the bits from `begin` to `end` of some bytes. */
  add(source, begin, end) {
    const count = Math.max(0, end - begin);
    const bytes = new Uint8Array(Math.ceil((this.#count + count) / 8) + 1);
    bytes.set(this.#bytes.subarray(0, Math.ceil(this.#count / 8)));
    const [from, shift] = [byteOf(begin), begin % 8];
    let [to, offset] = [byteOf(this.#count), this.#count % 8];
    for (let index = 0; index * 8 < count; index++) {
      let byte = ((source[from + index] >> shift) | ((source[from + index + 1] ?? 0) << (8 - shift))) & 255;
      if (count - index * 8 < 8) byte &= (1 << (count - index * 8)) - 1;
      bytes[to] |= byte << offset;
      bytes[++to] = byte >> (8 - offset);
    }
    [this.#bytes, this.#count] = [bytes, this.#count + count];
    return this;
  }

  get bytes() { return this.#bytes.subarray(0, Math.ceil(this.#count / 8)); }

  get count() { return this.#count; }
}

/** A block that inflates to nothing. Its 91 bits are an odd number, so up to seven of them reach every bit of a byte. */
const EMPTY_BLOCK = [
  // The header: codes of its own, 257 for literals and matches, one for distances, 18 for lengths.
  [0, 1], [2, 2], [0, 5], [0, 5], [14, 4],
  // Only the lengths 1 and "zero, many times" have codes.
  ...LENGTH_ORDER.slice(0, 18).map((length) => [length === 18 || length === 1 ? 1 : 0, 3]),
  // The literal 0, then 255 without a code, the end of the block, and the distance; and the end.
  [0, 1], [1, 1], [127, 7], [1, 1], [106, 7], [0, 1], [0, 1], [1, 1],
].reduce((bits, [value, count]) => bits.add([value], 0, count), new Bits());

/** The head of a block that begins at a bit: where its symbols begin, and the length of a stored one. Source: RFC 1951. */
function blockHeader(bytes, begin, broken) {
  let at = begin;
  const take = (count) => {
    let value = 0;
    for (let index = 0; index < count; index++, at++) {
      if (byteOf(at) >= bytes.length) throw broken();
      value |= ((bytes[byteOf(at)] >> (at % 8)) & 1) << index;
    }
    return value;
  };
  const [isFinal, type] = [take(1) === 1, take(2)];
  if (type === 0) {
    at = Math.ceil(at / 8) * 8;
    const length = take(16);
    take(16);
    return { end: at, isFinal, length };
  }
  if (type === 1) return { end: at, isFinal };
  if (type === 3) throw broken();
  const count = take(5) + take(5) + 258;
  const lengths = new Array(19).fill(0);
  for (let index = 0, codes = take(4) + 4; index < codes; index++) lengths[LENGTH_ORDER[index]] = take(3);
  const symbols = codesOf(lengths);
  for (let found = 0; found < count;) {
    let [code, length] = [1, 0];
    let symbol;
    while (symbol === undefined) {
      if (++length > 7) throw broken();
      code = (code << 1) | take(1);
      symbol = symbols.get(code);
    }
    found += symbol < 16 ? 1 : symbol === 16 ? 3 + take(2) : symbol === 17 ? 3 + take(3) : 11 + take(7);
  }
  return { end: at, isFinal };
}

/** The symbols of canonical codes, by the code with a 1 before it. */
function codesOf(lengths) {
  const symbols = new Map();
  let code = 0;
  for (let length = 1; length <= 7; length++) {
    code <<= 1;
    for (const [symbol, own] of lengths.entries()) if (own === length) symbols.set((1 << length) | code++, symbol);
  }
  return symbols;
}

/** Inflates the beginning of a stream without its first `skipped` bytes; undefined if it has fewer than `needed` behind them. */
async function inflate(parts, skipped, needed) {
  const stream = new DecompressionStream("deflate-raw");
  const [writer, reader] = [stream.writable.getWriter(), stream.readable.getReader()];
  // Browsers drop what they have inflated but not lent yet when a stream ends within a block, or has a byte behind its last one.
  // So what is there is read before the last bytes are written, and those before the stream is closed, without which Node.js
  // keeps some.
  const all = joined(parts);
  const steps = [
    () => writer.write(all.subarray(0, -TAIL)), () => writer.write(all.subarray(-TAIL)), () => writer.close(),
  ];
  const bytes = new Uint8Array(needed);
  let count = -skipped;
  let written = Promise.resolve();
  const turn = () => new Promise((done) => { setTimeout(done, 0); });
  try {
    while (count < needed) {
      const reading = reader.read();
      reading.catch(() => {});
      let found;
      while (!found && steps.length > 0) {
        found = await Promise.race([reading, written.then(turn)]);
        if (found) break;
        written = steps.shift()();
        written.catch(() => {});
      }
      const { done, value } = found ?? await reading;
      if (done) break;
      const part = count < 0 ? value.subarray(Math.min(value.length, -count)) : value;
      bytes.set(part.subarray(0, needed - Math.max(0, count)), Math.max(0, count));
      count += value.length;
    }
  } catch {
    return undefined;
  } finally {
    reader.cancel().catch(() => {});
    writer.abort().catch(() => {});
  }
  return count >= needed ? bytes : undefined;
}

/** Inflates a whole raw stream of a known length; undefined if it has another. */
async function inflateAll(bytes, length) { return length === 0 ? new Uint8Array(0) : inflate([bytes], 0, length); }

/** Removes the filters of rows. Source: PNG, third edition, section 9. */
function unfiltered(bytes, above, { rowBytes, storedBits }, count, broken) {
  const step = Math.max(1, storedBits >> 3);
  const rows = new Uint8Array(rowBytes * count);
  let before = above;
  for (let row = 0; row < count; row++) {
    const from = row * (rowBytes + 1);
    const filter = bytes[from];
    const source = bytes.subarray(from + 1, from + 1 + rowBytes);
    const target = rows.subarray(row * rowBytes, (row + 1) * rowBytes);
    if (filter === 0) target.set(source);
    else if (filter === 1) {
      target.set(source.subarray(0, step));
      for (let x = step; x < rowBytes; x++) target[x] = source[x] + target[x - step];
    } else if (filter === 2) {
      for (let x = 0; x < rowBytes; x++) target[x] = source[x] + before[x];
    } else if (filter === 3) {
      for (let x = 0; x < rowBytes; x++) target[x] = source[x] + (((x < step ? 0 : target[x - step]) + before[x]) >> 1);
    } else if (filter === 4) {
      for (let x = 0; x < rowBytes; x++) {
        const [a, b, c] = x < step ? [0, before[x], 0] : [target[x - step], before[x], before[x - step]];
        const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
        target[x] = source[x] + (pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
      }
    } else throw broken();
    before = target;
  }
  return rows;
}
