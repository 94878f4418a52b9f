// PNGs that are not compressed: how decoded rows reach the browser. Part of viewport-tiles.js.

/** The bytes of a stored block at most. */
const STORED = 65535;

/** A PNG of rows that begin with their filter, not compressed. */
export function png({ depth, type, colors }, width, height, rows) {
  const size = new DataView(new ArrayBuffer(13));
  size.setUint32(0, width);
  size.setUint32(4, height);
  size.setUint8(8, depth);
  size.setUint8(9, type);
  return joined([
    new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]), chunk("IHDR", new Uint8Array(size.buffer)),
    ...colors.map(({ bytes }) => bytes), chunk("IDAT", zlib(rows)), chunk("IEND", new Uint8Array(0)),
  ]);
}

/** Bytes as a stream of zlib that is not compressed. */
export function zlib(bytes) {
  const sum = new DataView(new ArrayBuffer(4));
  sum.setUint32(0, adler(bytes));
  return joined([new Uint8Array([0x78, 1]), stored(bytes, true), new Uint8Array(sum.buffer)]);
}

export function chunk(name, contents) {
  const bytes = new Uint8Array(12 + contents.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, contents.length);
  for (let index = 0; index < 4; index++) bytes[4 + index] = name.charCodeAt(index);
  bytes.set(contents, 8);
  view.setUint32(8 + contents.length, crc(bytes.subarray(4, 8 + contents.length)));
  return bytes;
}

const CRC = Uint32Array.from({ length: 256 }, (_, value) => {
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xEDB88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function crc(bytes) {
  let value = 0xFFFFFFFF;
  for (const byte of bytes) value = CRC[(value ^ byte) & 255] ^ (value >>> 8);
  return ~value >>> 0;
}

function adler(bytes) {
  let [a, b] = [1, 0];
  for (let at = 0; at < bytes.length;) {
    for (const end = Math.min(bytes.length, at + 3800); at < end; at++) {
      a += bytes[at];
      b += a;
    }
    a %= 65521;
    b %= 65521;
  }
  return ((b << 16) | a) >>> 0;
}

export function storedHead(length, isFinal) {
  return new Uint8Array([isFinal ? 1 : 0, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255]);
}

/** Bytes as stored blocks. */
export function stored(bytes, isFinal) {
  const parts = [];
  for (let at = 0; at < bytes.length; at += STORED) {
    const part = bytes.subarray(at, at + STORED);
    parts.push(storedHead(part.length, isFinal && at + STORED >= bytes.length), part);
  }
  return joined(parts);
}

export function joined(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
