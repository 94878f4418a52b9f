// Shows parts of a large JPEG, PNG or tiled TIFF on any web server that supports ranges, without tiles and without a server
// program.
//
//   viewport index big.jpg -o big.jpg.vpi --levels        (makes the sidecar; put both on the server)
//
//   import { ViewportImage, tileSource } from "./viewport-tiles.js";
//
//   // By hand: a bitmap of any rectangle at 1:1, upright, and of any tile of any level.
//   const image = await ViewportImage.open("big.jpg");
//   context.drawImage(await image.region({ x: 5000, y: 4000, width: 800, height: 600 }), 0, 0);
//
//   // In OpenSeadragon (4 or later; nothing of it is needed here):
//   OpenSeadragon({ id: "viewer", tileSources: [await tileSource(OpenSeadragon, "big.jpg")] });
//
// `regions.wasm` must lie beside this file. The sidecar has the index of the JPEG and its small levels (1/4, 1/8 and
// so on) as tiles. At 1:1 the module finds the bytes of the JPEG that a rectangle needs and makes a small JPEG of them,
// which the browser decodes. What other files need is loaded when it is needed, and lies beside this file, too: progressive
// JPEGs `progressive-regions.js` and `progressive.wasm`; PNGs, which are decoded from checkpoints of their index,
// `png-regions.js`; TIFFs of JPEG, deflated or plain tiles, which the browser gets as they are, `tiff-tiles.js`; the
// latter two `png-writer.js`. JPEGs and PNGs may have up to 2 GB.
//
// On another origin than the page, the server must send `Access-Control-Allow-Origin`, and should send
// `Access-Control-Allow-Headers: Range` and `Access-Control-Expose-Headers: Content-Range, ETag`: without the former
// each part is a request of its own, without the latter a change of the file is noticed later.

/** Bytes are fetched and kept in blocks of this size. */
const BLOCK = 256;
/** Gaps of up to this many blocks are fetched, too, where the server has only one range per request. */
const GAP = 16;
/** How many blocks of larger gaps are fetched there for each block that is needed: a request costs more than its bytes. */
const SURPLUS = 1;
/** The blocks of one request: what is nearest arrives first, and little is lost where a link breaks. */
const MOST_BLOCKS = (240 << 10) / BLOCK;
/** The same where each range is a request. */
const MOST_BLOCKS_OF_RANGE = 4 * MOST_BLOCKS;
/** The ranges of one request: Starlette sends the whole file beyond, Apache beyond twice as many. */
const MOST_RANGES = 100;
/** A file of this size is read as a whole where a server sends no ranges of it any more. */
const MOST_WHOLE = 8 << 20;
/** A file of this size is rather read as a whole than by one range after the other. */
const SMALL_FILE = 1 << 18;
/** The requests at a time: browsers have that many connections to a host. */
const CONCURRENT = 6;
/** The same where one connection has many requests. */
const CONCURRENT_STREAMS = 64;
/** What browsers call the protocols whose connections have many requests. */
const STREAMS = ["h2", "h3"];
const MOST_KEPT = 64 << 20;
/** The first bytes of a sidecar, which have its directory and the first picture. */
const HEAD = 24 << 10;
/** The tiles at 1:1, where the file has none: higher ones reach further beyond the view. */
const CUT = { width: 256, height: 64 };
/** The same of progressive JPEGs, whose scans have few checkpoints each. */
const CUT_OF_SCANS = { width: 1024, height: 128 };
/** The kinds of images, as the module numbers them. */
const KINDS = ["jpeg", "progressive", "png", "tiff"];

const OUTSIDE = "The rectangle is outside of the image.";

/** A problem with a sentence for users as its message. */
export class ImageProblem extends Error {
  get isImageProblem() { return true; }
}

const changed = (name) => new ImageProblem(`${name} and its sidecar do not belong together: make the sidecar again.`);
const noRanges = (name) => new ImageProblem(
  `The server of ${name} does not support ranges (HTTP 206), without which no part of the file can be fetched.`);

/** Servers that are known to send one range at a time: what they send instead of several may be the whole file. */
const ONE_RANGE = { Server: /amazons3|tornadoserver\/|aiohttp\/|werkzeug\/|wsgiserver\//i, Via: /varnish/i };
const sendsOneRange = (answer) => Object.entries(ONE_RANGE).some(([field, name]) => name.test(answer.headers.get(field) ?? ""));

/** What servers were seen to do, by origin: whether they answer ranges, several in one request, and how many. */
const hosts = new Map();

function host(url) {
  const { origin } = new URL(url);
  if (!hosts.has(origin)) hosts.set(origin, { hasRanges: false, hasManyRanges: undefined, mostRanges: MOST_RANGES });
  return hosts.get(origin);
}

/** Whether two tags are of one version: Apache's lose their mark as weak ones after the first second. */
const isSameTag = (one, other) => one.replace(/^W\//, "") === other.replace(/^W\//, "");

/** A file of which ranges are fetched: many in one request where the server can. */
class RangeFile {
  #url;
  #name;
  /** Blocks by their number, least recently used first. */
  #blocks = new Map();
  /** Promises of the blocks that are being fetched. */
  #pending = new Map();
  #wanted = new Set();
  /** What its server can: `hasManyRanges` is undefined until it was asked. */
  #host;
  /** Tag and time of the last modification, as far as answers state them. */
  #version = {};
  #concurrent;
  /** The promise of the whole file, where the server sends it instead of ranges. */
  #whole;
  #active = 0;
  #waiting = [];
  /** The size; unknown until the first answer. */
  size;
  /** How many requests were sent and bytes received. */
  requests = 0;
  received = 0;

  constructor(url, size) {
    this.#url = new URL(url, globalThis.document?.baseURI ?? import.meta.url).href;
    this.#host = host(this.#url);
    this.#name = decodeURIComponent(new URL(this.#url).pathname.split("/").at(-1));
    this.size = size;
  }

  get name() { return this.#name; }

  /** The first bytes: `count`, or fewer of a smaller file. */
  async head(count) {
    const answer = await this.#fetchHead(count);
    const { parts: [part], bytes } = await bodyParts(answer, 0, count);
    this.received += bytes;
    this.#take(part.begin, part.bytes, part.size);
    return part.bytes;
  }

  async #fetchHead(count) {
    try {
      return await this.#fetch(`0-${count - 1}`, count);
    } catch (problem) {
      // Some servers refuse a range that goes beyond the end of the file.
      if (![400, 416].includes(problem.status)) throw problem;
      return this.#fetch("0-", count);
    }
  }

  /** The bytes of some ranges [begin, end), one behind the other. */
  async read(ranges) {
    const numbers = new Set();
    for (const [begin, end] of ranges) {
      for (let number = Math.floor(begin / BLOCK); number * BLOCK < end; number++) numbers.add(number);
    }
    const blocks = new Map();
    await Promise.all([...numbers].map(async (number) => blocks.set(number, await this.#block(number))));
    const bytes = new Uint8Array(ranges.reduce((sum, [begin, end]) => sum + end - begin, 0));
    let place = 0;
    for (const [begin, end] of ranges) {
      for (let at = begin; at < end;) {
        const number = Math.floor(at / BLOCK);
        const part = blocks.get(number).subarray(at - number * BLOCK, Math.min(end - number * BLOCK, BLOCK));
        if (part.length === 0) throw changed(this.#name);
        bytes.set(part, place);
        place += part.length;
        at += part.length;
      }
    }
    return bytes;
  }

  #block(number) {
    const kept = this.#blocks.get(number);
    if (kept) {
      this.#blocks.delete(number);
      this.#blocks.set(number, kept);
      return kept;
    }
    let promise = this.#pending.get(number);
    if (!promise) {
      // Everything that is read in the same turn is fetched together.
      if (this.#wanted.size === 0) setTimeout(() => this.#flush(), 0);
      this.#wanted.add(number);
      let settle;
      promise = new Promise((resolve, reject) => { settle = { resolve, reject }; });
      promise.catch(() => {});
      this.#pending.set(number, { promise, ...settle });
      return promise;
    }
    return promise.promise;
  }

  #flush() {
    const numbers = [...this.#wanted].sort((a, b) => a - b);
    this.#wanted.clear();
    this.#fetchRuns(this.#host.hasManyRanges === false ? joined(numbers) : runs(numbers, 0));
  }

  #fetchRuns(all) {
    const text = ([from, to]) => `${from * BLOCK}-${Math.min((to + 1) * BLOCK, this.size ?? Infinity) - 1}`;
    const groups = [];
    let group = [];
    let blocks = 0;
    const most = this.#host.hasManyRanges === false ? MOST_BLOCKS_OF_RANGE : MOST_BLOCKS;
    const send = () => {
      if (group.length > 0) groups.push(group);
      [group, blocks] = [[], 0];
    };
    for (const [first, last] of all) {
      for (let from = first; from <= last;) {
        const to = Math.min(last, from + most - blocks - 1);
        group.push([from, to]);
        blocks += to - from + 1;
        const isFull = group.length >= this.#host.mostRanges || blocks >= most;
        if (this.#host.hasManyRanges === false || isFull) send();
        from = to + 1;
      }
    }
    send();
    const fetchAll = (some) => {
      for (const parts of some) this.#queue(() => this.#fetchGroup(parts, parts.map(text).join(",")));
    };
    const first = groups.find((parts) => parts.length > 1);
    if (!first || this.#host.hasManyRanges !== undefined) return fetchAll(groups);
    // Where the server answers with the whole file, one such answer is enough.
    const others = groups.filter((parts) => parts !== first);
    this.#queue(async () => {
      await this.#fetchGroup(first, first.map(text).join(","));
      if (this.#host.hasManyRanges === false) this.#fetchRuns(joined(others.flatMap((parts) => [...each(parts)])));
      else fetchAll(others);
    });
  }

  #queue(work) {
    this.#waiting.push(work);
    this.#next();
  }

  #next() {
    while (this.#active < (this.#concurrent ?? CONCURRENT) && this.#waiting.length > 0) this.#run(this.#waiting.shift());
  }

  async #run(work) {
    this.#active++;
    try {
      await work();
    } finally {
      this.#active--;
      this.#next();
    }
  }

  async #fetchGroup(parts, header) {
    const fail = (problem) => {
      for (const number of each(parts)) {
        this.#pending.get(number)?.reject(problem);
        this.#pending.delete(number);
      }
    };
    const isMissing = (number) => this.#pending.has(number);
    const controller = new AbortController();
    try {
      await this.#whole;
      if (![...each(parts)].some(isMissing)) return;
      const end = (parts.at(-1)[1] + 1) * BLOCK;
      const answer = await this.#fetch(header, end, { parts, signal: controller.signal });
      if (!answer) {
        // The server has one range per request.
        this.#host.hasManyRanges = false;
        return this.#fetchRuns(joined([...each(parts)]));
      }
      if (answer.status === 200) {
        // One such answer is enough.
        if (this.#whole) controller.abort();
        await (this.#whole ??= this.#takeWhole(answer));
        if ([...each(parts)].some(isMissing)) throw changed(this.#name);
        return;
      }
      const found = await bodyParts(answer, parts[0][0] * BLOCK, end);
      if (parts.length > 1) this.#host.hasManyRanges = true;
      this.received += found.bytes;
      for (const { begin, bytes, size } of found.parts) this.#take(begin, bytes, size);
      const missing = [...each(parts)].filter(isMissing);
      if (missing.length === 0) return;
      if (parts.length === 1) throw changed(this.#name);
      // What is left is fetched at the same time: as many ranges as came, or one after the other.
      if (found.parts.length > 1) {
        this.#host.mostRanges = Math.min(this.#host.mostRanges, found.parts.length);
        this.#fetchRuns(runs(missing, 0));
      } else {
        this.#host.hasManyRanges = false;
        this.#fetchRuns(joined(missing));
      }
    } catch (problem) {
      controller.abort();
      fail(problem);
    }
  }

  async #takeWhole(answer) {
    const { parts: [part], bytes } = await bodyParts(answer, 0, Infinity);
    this.received += bytes;
    this.#take(0, part.bytes, bytes);
  }

  /**
   * The answer to a request, of which nothing is needed from `end` on; nothing where the server does not answer the ranges of
   * `parts` together.
   */
  async #fetch(header, end, { parts = [], signal } = {}) {
    this.requests++;
    const isMany = parts.length > 1;
    // Where they may store answers, browsers have one request of an address wait for the other.
    const cache = this.size === undefined ? "default" : "no-store";
    let answer;
    try {
      answer = await fetch(this.#url, { cache, headers: { Range: `bytes=${header}` }, signal });
    } catch (problem) {
      // Other origins may refuse many ranges, which need their permission.
      if (isMany && problem instanceof TypeError) return undefined;
      throw problem;
    }
    if (answer.status === 206 || answer.status === 200 && this.#isUsable(answer, end, parts)) {
      this.#pin(answer);
      this.#host.hasRanges ||= answer.status === 206;
      if (sendsOneRange(answer)) this.#host.hasManyRanges ??= false;
      this.#concurrent ??= this.#most();
      return answer;
    }
    answer.body?.cancel();
    if (isMany && answer.status < 500 && answer.status !== 404) return undefined;
    if (answer.status === 416 && this.size !== undefined) throw changed(this.#name);
    if (answer.status === 200) throw noRanges(this.#name);
    throw answer;
  }

  /** Whether an answer with the whole file is one to use: to a request that covers it, or of a cache that has it meanwhile. */
  #isUsable(answer, end, parts) {
    const length = wholeLength(answer) ?? this.size ?? Infinity;
    if (this.size === undefined) return length <= end;
    const needed = BLOCK * parts.reduce((sum, [from, to]) => sum + to - from + 1, 0);
    if (length <= Math.max(SMALL_FILE, parts.length > 1 ? 2 * needed : end)) return true;
    return parts.length === 1 && this.#host.hasRanges && length <= MOST_WHOLE;
  }

  /** How many requests are sent at a time; undefined where the browser does not tell the protocol. */
  #most() {
    const protocol = globalThis.performance?.getEntriesByName?.(this.#url).at(-1)?.nextHopProtocol;
    if (!protocol) return undefined;
    return STREAMS.includes(protocol) ? CONCURRENT_STREAMS : CONCURRENT;
  }

  /** Refuses a file that has changed since the first request: whatever two answers state must be the same. */
  #pin(answer) {
    for (const [field, isSame] of [["ETag", isSameTag], ["Last-Modified", Object.is]]) {
      const value = answer.headers.get(field);
      const known = this.#version[field];
      if (value && known && !isSame(value, known)) throw changed(this.#name);
      this.#version[field] ??= value ?? undefined;
    }
  }

  #take(begin, bytes, size) {
    if (size !== undefined) {
      if (this.size !== undefined && size !== this.size) throw changed(this.#name);
      this.size = size;
    }
    const first = Math.ceil(begin / BLOCK);
    for (let number = first; number * BLOCK < begin + bytes.length; number++) {
      const start = number * BLOCK - begin;
      const block = bytes.slice(start, start + BLOCK);
      const isLast = this.size !== undefined && number * BLOCK + block.length === this.size;
      if (block.length < BLOCK && !isLast) continue;
      this.#blocks.set(number, block);
      this.#pending.get(number)?.resolve(block);
      this.#pending.delete(number);
    }
    for (const number of this.#blocks.keys()) {
      if (this.#blocks.size * BLOCK <= MOST_KEPT) break;
      this.#blocks.delete(number);
    }
  }
}

/** Runs [first, last] of ascending numbers, with gaps of at most `gap`. */
function runs(numbers, gap) {
  const found = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last && number - last[1] <= gap + 1) last[1] = number;
    else found.push([number, number]);
  }
  return found;
}

/**
 * Runs of ascending numbers for a server with one range per request: joined over small gaps, and over the smallest of
 * the others, as long as that does not fetch more than `SURPLUS` allows.
 */
function joined(numbers) {
  const all = runs(numbers, GAP);
  const gap = (index) => all[index][0] - all[index - 1][1] - 1;
  let budget = numbers.length * SURPLUS;
  const closed = new Set();
  const indices = Array.from({ length: all.length - 1 }, (_, index) => index + 1);
  for (const index of indices.sort((a, b) => gap(a) - gap(b))) {
    budget -= gap(index);
    if (budget < 0) break;
    closed.add(index);
  }
  const found = [];
  for (const [index, run] of all.entries()) {
    if (closed.has(index)) found.at(-1)[1] = run[1];
    else found.push(run);
  }
  return found;
}

function* each(runs) {
  for (const [from, to] of runs) for (let number = from; number <= to; number++) yield number;
}

/** The size that an answer with the whole file states; undefined where it has none, or is compressed. */
function wholeLength(answer) {
  const length = answer.headers.get("Content-Length");
  return length === null || answer.headers.get("Content-Encoding") ? undefined : Number(length);
}

/**
 * The parts of a response; `begin` is where the only part begins, if the server does not say. Of one that goes on, bytes behind
 * `end` are left out. Source: RFC 9110, 14.6.
 */
async function bodyParts(answer, begin, end) {
  const type = answer.headers.get("Content-Type") ?? "";
  const boundary = answer.status === 206 && /^multipart\/byteranges\s*;.*boundary="?([^";]+)"?/i.exec(type)?.[1];
  if (!boundary) {
    const asked = answer.status === 200
      ? { begin: 0, size: wholeLength(answer) } : contentRange(answer.headers.get("Content-Range")) ?? { begin };
    const bytes = await start(answer, end - asked.begin);
    return { parts: [{ ...asked, bytes }], bytes: bytes.length };
  }
  const body = new Uint8Array(await answer.arrayBuffer());
  const parts = [];
  const text = (from, to) => String.fromCharCode(...body.subarray(from, to));
  const mark = `--${boundary}`;
  for (let at = 0; at < body.length;) {
    const end = headerEnd(body, at);
    if (end < 0) break;
    const header = text(at, end);
    if (!header.includes(mark)) break;
    const range = contentRange(/content-range:\s*(.*)/i.exec(header)?.[1]);
    if (!range || end + range.length > body.length) break;
    parts.push({ ...range, bytes: body.subarray(end, end + range.length) });
    at = end + range.length;
  }
  return { parts, bytes: body.length };
}

/** The first bytes of a body: all, or at least `count`. */
async function start(answer, count) {
  const pieces = [];
  let length = 0;
  const reader = answer.body.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    pieces.push(value);
    length += value.length;
    // A few more keep the connection open.
    if (length >= count + (1 << 16)) {
      await reader.cancel();
      break;
    }
  }
  const bytes = new Uint8Array(length);
  for (let at = 0; pieces.length > 0; at += pieces.shift().length) bytes.set(pieces[0], at);
  return bytes;
}

/** The position behind the empty line of a header, at most 1000 bytes behind `at`. */
function headerEnd(body, at) {
  for (let end = at + 4; end <= Math.min(body.length, at + 1000); end++) {
    if (body[end - 4] === 13 && body[end - 3] === 10 && body[end - 2] === 13 && body[end - 1] === 10) {
      // The boundary itself begins with a line end.
      if (end - at > 4) return end;
    }
  }
  return -1;
}

/** Where bytes lie in the file. Some servers repeat the end that was requested: what is behind that of the file does not count. */
function contentRange(text) {
  const [, begin, end, size] = /bytes\s+(\d+)-(\d+)\/(\d+|\*)/i.exec(text ?? "") ?? [];
  if (begin === undefined) return undefined;
  const last = size === "*" ? Number(end) : Math.min(Number(end), Number(size) - 1);
  return { begin: Number(begin), length: last - Number(begin) + 1, size: size === "*" ? undefined : Number(size) };
}

/** The bytes of the module, which are given or have a URL; in Node.js, that of a file. */
async function bytesOf(module) {
  if (module instanceof ArrayBuffer || ArrayBuffer.isView(module)) return module;
  const files = new URL(module, import.meta.url).protocol === "file:" && globalThis.process?.getBuiltinModule?.("node:fs");
  if (files) return files.promises.readFile(new URL(module, import.meta.url));
  const answer = await fetch(module);
  if (!answer.ok) throw answer;
  return answer.arrayBuffer();
}

/** Throws for a result of the module that is an error. */
function check(name, file, result) {
  if (result >= 0) return;
  const reasons = {
    [-1]: `${file} is no sidecar that this page can read: make it with the same version of viewport.`,
    [-3]: `${file} is of an earlier version of viewport, or of an image that cannot be shown in parts: make the sidecar again.`,
    [-4]: OUTSIDE,
  };
  if (reasons[result]) throw new ImageProblem(reasons[result]);
  // The others read the sidecar.
  throw ["plan", "region", "verify"].includes(name)
    ? changed(file) : new ImageProblem(`${file} is damaged: make the sidecar again.`);
}

/** The compiled module of a URL, some bytes, or a compiled module. */
async function compiled(source) {
  const module = await source;
  return module instanceof WebAssembly.Module ? module : WebAssembly.compile(await bytesOf(module));
}

/** The module: one instance for each image. */
class RegionModule {
  #functions;

  static async load(source) {
    return new RegionModule((await WebAssembly.instantiate(await compiled(source))).exports);
  }

  constructor(functions) { this.#functions = functions; }

  /** Calls a function whose last argument is the length of some bytes; its result is never an error. */
  call(name, file, numbers, bytes) {
    const functions = this.#functions;
    if (bytes) {
      const place = functions.image_buffer(bytes.length);
      new Uint8Array(functions.memory.buffer, place, bytes.length).set(bytes);
      numbers = [...numbers, bytes.length];
    }
    const result = functions[`image_${name}`](...numbers);
    check(name, file, result);
    return result;
  }

  numbers(count) { return [...new Float64Array(this.#functions.memory.buffer, this.#functions.image_numbers(), count)]; }

  output(length) {
    return new Uint8Array(this.#functions.memory.buffer, this.#functions.image_output(), length).slice();
  }
}

/** An image with a sidecar. Rectangles and tiles are upright: the orientation of the file's metadata is applied. */
export class ViewportImage {
  #module;
  #image;
  #sidecar;
  #stored;
  #turn;
  #index;
  /** The ranges of the file that tell whether it belongs to the sidecar. */
  #blocks;
  #kind;
  /** The reader of parts of a progressive JPEG or PNG. */
  #parts;
  /** The tiles of a TIFF. */
  #tiff;
  /** Returns the module of progressive JPEGs, or its URL. */
  #progressive;
  /** The directory of the sidecar, for the module of progressive JPEGs. */
  #directory;
  /** The promises of the index and of the comparison. */
  #indexed;
  #verified;

  /**
   * Opens an image by its URL.
   *
   * `sidecar` is the URL of its sidecar, by default that of the image with `.vpi` behind it; `module` that of the
   * WebAssembly module, its bytes, or the compiled module; `progressive` returns the same of the module of progressive JPEGs when
   * it is needed. Throws an `ImageProblem` with a sentence for users, or the response of a server.
   */
  static async open(url, {
    sidecar = `${url}.vpi`, module = new URL("regions.wasm", import.meta.url),
    progressive = () => new URL("progressive.wasm", import.meta.url), begun,
  } = {}) {
    const { file, bytes } = begun ?? ViewportImage.begin(sidecar);
    let [functions, directory] = await Promise.all([RegionModule.load(module), bytes]);
    const size = file.size ?? 2 ** 31 - 1;
    const needed = functions.call("open", file.name, [size], directory);
    if (needed > 0) {
      // A JPEG with a large profile.
      directory = await file.read([[0, needed]]);
      functions.call("open", file.name, [size], directory);
    }
    const image = new ViewportImage(functions, url, file, { progressive, directory });
    if (image.#kind === "tiff") await (image.#indexed ??= image.#loadIndex());
    return image;
  }

  /** Begins to fetch a sidecar, for `begun` of `open`. */
  static begin(sidecar) {
    const file = new RangeFile(sidecar);
    const bytes = file.head(HEAD);
    // Who opens it is told.
    bytes.catch(() => {});
    return { file, bytes };
  }

  constructor(module, url, sidecar, { progressive, directory }) {
    [this.#progressive, this.#directory] = [progressive, directory];
    this.#module = module;
    this.#sidecar = sidecar;
    const facts = module.numbers(module.call("facts", sidecar.name, []));
    const [kind, width, height, orientation, size, indexBegin, indexEnd, tileSide, ...blocks] = facts;
    this.#kind = KINDS[kind];
    this.#image = new RangeFile(url, size);
    this.#blocks = pairs(blocks);
    this.#index = [indexBegin, indexEnd];
    this.#turn = new Turn(orientation);
    this.#stored = { width, height };
    /** The upright size. */
    this.size = this.#turn.size(this.#stored);
    this.tileSide = tileSide;
    /** The levels, finest first, upright: one pixel of them is `factor` pixels of the image. */
    this.levels = [];
    const tile = { width: tileSide, height: tileSide };
    for (let number = 0; module.call("level", sidecar.name, [number]) > 0; number++) {
      const [factor, width, height, columns, rows] = module.numbers(5);
      this.levels.unshift(
        { factor, number, tile, stored: { width, height }, ...this.#turn.size({ width, height }), columns, rows });
    }
    if (this.#kind === "tiff") return;
    const cut = this.#kind === "progressive" ? CUT_OF_SCANS : CUT;
    this.levels.unshift({ factor: 1, tile: cut, stored: this.#stored, ...this.size, ...grid(this.#stored, cut) });
  }

  /** How much was fetched so far. */
  get traffic() {
    return {
      requests: this.#image.requests + this.#sidecar.requests, bytes: this.#image.received + this.#sidecar.received,
    };
  }

  /**
   * The tiles of a level that touch an upright rectangle of its pixels: `{ column, row, x, y, width, height }`.
   *
   * Tiles begin at the corner where the stored image begins.
   */
  tiles(level, rect) {
    const stored = this.#turn.stored(rect, level);
    const range = (start, length, most, side) => {
      const first = Math.max(0, Math.floor(start / side));
      const end = Math.min(Math.ceil(most / side), Math.ceil((start + length) / side));
      return Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
    };
    return range(stored.y, stored.height, level.stored.height, level.tile.height).flatMap((row) =>
      range(stored.x, stored.width, level.stored.width, level.tile.width).map((column) =>
        ({ column, row, ...this.#turn.upright(this.#storedTile(level, column, row), level) })));
  }

  /** The upright bitmap of a tile. */
  async tile(level, column, row) {
    const rect = this.#storedTile(level, column, row);
    if (level.page !== undefined) return this.#turn.bitmap(await this.#tiffTile(level, column, row));
    return this.#turn.bitmap(level.factor === 1 ? await this.#cut(rect) : await this.#levelTile(level, column, row));
  }

  /** The upright bitmap of a rectangle of whole pixels of a level, by default of the image at 1:1. */
  async region(rect, level = this.levels[0]) {
    if (level.factor === 1 && !this.#tiff) return this.#turn.bitmap(await this.#cut(this.#turn.stored(rect, level)));
    const context = new OffscreenCanvas(rect.width, rect.height).getContext("2d");
    await Promise.all(this.tiles(level, rect).map(async ({ column, row, x, y }) => {
      context.drawImage(await this.tile(level, column, row), x - rect.x, y - rect.y);
    }));
    return context.canvas.transferToImageBitmap();
  }

  #storedTile({ stored, tile }, column, row) {
    const [x, y] = [column * tile.width, row * tile.height];
    return { x, y, width: Math.min(tile.width, stored.width - x), height: Math.min(tile.height, stored.height - y) };
  }

  /** The file of a tile of a smaller level; undefined where it is not upright as it is stored. */
  async file(level, column, row) {
    return this.#turn.isNone && level.number !== undefined ? this.#levelFile(level, column, row) : undefined;
  }

  async #levelTile(level, column, row) { return createImageBitmap(await this.#levelFile(level, column, row)); }

  async #levelFile({ number }, column, row) {
    const { name } = this.#sidecar;
    this.#module.call("tile", name, [number, column, row]);
    const bytes = await this.#sidecar.read([this.#module.numbers(2)]);
    const length = this.#module.call("tile_jpeg", name, [number, column, row], bytes);
    return jpeg(this.#module.output(length));
  }

  /**
   * An image of an upright rectangle at 1:1, for programs without bitmaps: `bytes` of a JPEG or PNG with what is around the
   * rectangle, as stored; its `type`; the place of the rectangle in it; and `orientation`, the value of EXIF that turns it upright.
   */
  async part(rect) {
    const part = await this.#part(this.#turn.stored(rect, this.levels[0]));
    return { ...part, orientation: this.#turn.orientation };
  }

  /** The bitmap of a stored rectangle of the image. */
  async #cut(rect) {
    return this.#decoded(await this.#part(rect));
  }

  async #decoded({ bytes, type, x, y, width, height }) {
    try {
      return await createImageBitmap(new Blob([bytes], { type }), x, y, width, height);
    } catch {
      throw changed(this.#image.name);
    }
  }

  async #tiffTile(level, column, row) {
    const { width, height } = this.#storedTile(level, column, row);
    return this.#decoded({ ...await this.#storedTIFFTile(level, column, row), x: 0, y: 0, width, height });
  }

  async #storedTIFFTile({ page }, column, row) {
    const [part] = await Promise.all([this.#tiff.tile(page, column, row), this.#verified ??= this.#verify()]);
    return part;
  }

  /** The JPEG of the blocks of a stored rectangle of the image, or the PNG of its rows, and where it is in it. */
  async #part(rect) {
    await (this.#indexed ??= this.#loadIndex());
    const { x, y, width, height } = rect;
    const { width: most, height: highest } = this.#stored;
    if (x < 0 || y < 0 || x + width > most || y + height > highest) throw new ImageProblem(OUTSIDE);
    if (this.#tiff) return this.#partOfTile(rect);
    const type = this.#kind === "png" ? "image/png" : "image/jpeg";
    const read = this.#parts ? this.#parts.part(rect) : this.#partOfBaseline(rect);
    const [part] = await Promise.all([read, this.#verified ??= this.#verify()]);
    return { ...part, type };
  }

  async #partOfBaseline({ x, y, width, height }) {
    const { name } = this.#image;
    const ranges = pairs(this.#module.numbers(this.#module.call("plan", name, [x, y, width, height])));
    const bytes = await this.#image.read(ranges);
    const length = this.#module.call("region", name, [x, y, width, height], bytes);
    const [left, top, across, down] = this.#module.numbers(4);
    return { bytes: this.#module.output(length), x: left, y: top, width: across, height: down };
  }

  /** Tiles are decoded one by one: a part of several is a bitmap only. */
  async #partOfTile({ x, y, width, height }) {
    const [level] = this.levels;
    const { tile } = level;
    const [column, row] = [Math.floor(x / tile.width), Math.floor(y / tile.height)];
    const [left, top] = [x - column * tile.width, y - row * tile.height];
    if (left + width > tile.width || top + height > tile.height) {
      throw new ImageProblem(`A part of a TIFF is inside of one of its tiles, of ${tile.width} × ${tile.height} pixels.`);
    }
    return { ...await this.#storedTIFFTile(level, column, row), x: left, y: top, width, height };
  }

  async #loadIndex() {
    try {
      const index = await this.#sidecar.read([this.#index]);
      const broken = () => changed(this.#image.name);
      if (this.#kind === "png") {
        const { PNGRegions } = await import("./png-regions.js");
        this.#parts = await PNGRegions.open(this.#image, index, broken);
      } else if (this.#kind === "progressive") {
        const [{ ProgressiveRegions }, module] =
          await Promise.all([import("./progressive-regions.js"), compiled(this.#progressive())]);
        const { name, size } = this.#sidecar;
        this.#parts = await ProgressiveRegions.open(
          this.#image, module, { directory: this.#directory, size: size ?? 2 ** 31 - 1, index },
          (call, result) => check(call, ["open", "index"].includes(call) ? name : this.#image.name, result));
      } else {
        this.#module.call("index", this.#sidecar.name, [], index);
        if (this.#kind === "tiff") await this.#loadTIFF(index, broken);
      }
    } catch (problem) {
      this.#indexed = undefined;
      throw problem;
    }
  }

  async #loadTIFF(index, broken) {
    const { TIFFTiles } = await import("./tiff-tiles.js");
    this.#tiff = new TIFFTiles(this.#image, index, broken);
    const own = this.#tiff.levels.map(({ factor, width, height, tile }, page) => {
      const stored = { width, height };
      return { factor, page, tile, stored, ...this.#turn.size(stored), ...grid(stored, tile) };
    });
    this.levels.unshift(...own);
  }

  /** Compares some blocks of the file with the sidecar. */
  async #verify() {
    try {
      const blocks = await this.#image.read(this.#blocks);
      if (this.#module.call("verify", this.#image.name, [], blocks) !== 1) throw changed(this.#image.name);
    } catch (problem) {
      this.#verified = undefined;
      throw problem;
    }
  }
}

/** The transformation from stored to upright pixels: a value of EXIF's Orientation. */
class Turn {
  #swaps;
  #flipsX;
  #flipsY;

  constructor(orientation) {
    this.orientation = orientation;
    this.#swaps = orientation >= 5;
    this.#flipsX = [2, 3, 6, 7].includes(orientation);
    this.#flipsY = [3, 4, 7, 8].includes(orientation);
  }

  get isNone() { return !this.#swaps && !this.#flipsX && !this.#flipsY; }

  size({ width, height }) { return this.#swaps ? { width: height, height: width } : { width, height }; }

  /** A stored rectangle of a level, upright. */
  upright(rect, level) { return this.#flipped(this.#swapped(rect), this.size(level.stored)); }

  /** An upright rectangle of a level, as stored. */
  stored(rect, level) { return this.#swapped(this.#flipped(rect, this.size(level.stored))); }

  #swapped({ x, y, width, height }) {
    return this.#swaps ? { x: y, y: x, width: height, height: width } : { x, y, width, height };
  }

  #flipped({ x, y, width, height }, size) {
    return {
      x: this.#flipsX ? size.width - x - width : x, y: this.#flipsY ? size.height - y - height : y, width, height,
    };
  }

  /** A stored bitmap, upright. */
  bitmap(stored) {
    if (this.isNone) return stored;
    const { width, height } = this.size(stored);
    const context = new OffscreenCanvas(width, height).getContext("2d");
    const [x, y] = [this.#flipsX ? -1 : 1, this.#flipsY ? -1 : 1];
    const linear = this.#swaps ? [0, y, x, 0] : [x, 0, 0, y];
    context.setTransform(...linear, this.#flipsX ? width : 0, this.#flipsY ? height : 0);
    context.drawImage(stored, 0, 0);
    stored.close();
    return context.canvas.transferToImageBitmap();
  }
}

function jpeg(bytes) { return new Blob([bytes], { type: "image/jpeg" }); }

/** The tiles of a level. */
function grid({ width, height }, tile) {
  return { columns: Math.ceil(width / tile.width), rows: Math.ceil(height / tile.height) };
}

function pairs(numbers) {
  return Array.from({ length: numbers.length / 2 }, (_, index) => numbers.slice(2 * index, 2 * index + 2));
}

/**
 * A tile source for OpenSeadragon of an image with a sidecar; options as for `ViewportImage.open`.
 *
 * `OpenSeadragon` is the library, version 4 or later.
 */
export async function tileSource(OpenSeadragon, url, options) {
  const image = await ViewportImage.open(url, options);
  const levels = image.levels.toReversed();
  const source = new OpenSeadragon.TileSource({
    width: image.size.width, height: image.size.height, tileSize: image.tileSide, tileOverlap: 0, minLevel: 0,
    maxLevel: levels.length - 1, ready: true,
  });
  const side = image.tileSide;
  return Object.assign(source, {
    image,
    getLevelScale: (level) => 1 / levels[level].factor,
    getNumTiles: (level) => new OpenSeadragon.Point(
      Math.ceil(levels[level].width / side), Math.ceil(levels[level].height / side)),
    getTileUrl: (level, x, y) => `${url}#tile=${level},${x},${y}`,
    getTileHashKey: (level, x, y) => `${url}#tile=${level},${x},${y}`,
    hasTransparency: () => false,
    async downloadTileStart(job) {
      try {
        const [level, column, row] = /#tile=(\d+),(\d+),(\d+)$/.exec(job.src).slice(1).map(Number);
        const { width, height } = levels[level];
        const [x, y] = [column * side, row * side];
        const rect = { x, y, width: Math.min(side, width - x), height: Math.min(side, height - y) };
        const bitmap = await image.region(rect, levels[level]);
        const canvas = document.createElement("canvas");
        Object.assign(canvas, { width: bitmap.width, height: bitmap.height });
        const context = canvas.getContext("2d");
        context.drawImage(bitmap, 0, 0);
        bitmap.close();
        job.finish(context, null, "context2d");
      } catch (problem) {
        job.finish(null, null, problem.message ?? `HTTP ${problem.status}`);
      }
    },
    downloadTileAbort() {},
    // Up to version 4; later ones convert the kinds of data by themselves.
    createTileCache: (cache, data) => { cache.data = data; },
    destroyTileCache: (cache) => { cache.data = undefined; },
    getTileCacheData: (cache) => cache.data,
    getTileCacheDataAsImage: (cache) => cache.data.canvas,
    getTileCacheDataAsContext2D: (cache) => cache.data,
  });
}
