// Fetches tiles in the order in which they are wanted, a few at a time, and keeps what memory allows.

const CONCURRENT = 6;
const MOST_BYTES = 128 << 20;
const RETRY_SECONDS = [1, 2, 4, 8, 15];

export class TileLoader {
  #arrived;
  #troubled;
  /** Bitmaps by address, the least recently used first. */
  #bitmaps = new Map();
  #bytes = 0;
  #wanted = [];
  /** Controllers of the requests that are under way, by address. */
  #requests = new Map();
  /** How often a tile has failed, and from when on it may be tried again. */
  #failures = new Map();

  /** `arrived()` is called for every tile, `troubled(status)` for every failure: 0 is no answer at all. */
  constructor(arrived, troubled) {
    this.#arrived = arrived;
    this.#troubled = troubled;
  }

  /** The bitmap of a tile, if it is here. */
  bitmap(tile) {
    const bitmap = this.#bitmaps.get(tile.url);
    if (bitmap === undefined) return undefined;
    this.#bitmaps.delete(tile.url);
    this.#bitmaps.set(tile.url, bitmap);
    return bitmap;
  }

  /** Whether all of some tiles are here. */
  has(tiles) { return tiles.every((tile) => this.#bitmaps.has(tile.url)); }

  /** Wants these tiles, the most important first, and no others any more. */
  want(tiles) {
    this.#wanted = tiles;
    const urls = new Set(tiles.map((tile) => tile.url));
    for (const [url, controller] of this.#requests) {
      if (urls.has(url)) continue;
      controller.abort();
      this.#requests.delete(url);
    }
    this.#next();
  }

  #next() {
    const now = performance.now();
    for (const { url } of this.#wanted) {
      if (this.#requests.size >= CONCURRENT) return;
      if (this.#bitmaps.has(url) || this.#requests.has(url) || this.#failures.get(url)?.until > now) continue;
      this.#fetch(url);
    }
  }

  async #fetch(url) {
    const controller = new AbortController();
    this.#requests.set(url, controller);
    try {
      const answer = await fetch(url, { signal: controller.signal });
      if (!answer.ok) throw answer;
      const bitmap = await createImageBitmap(await answer.blob());
      if (controller.signal.aborted) return bitmap.close();
      this.#failures.delete(url);
      this.#keep(url, bitmap);
      this.#arrived();
    } catch (problem) {
      if (controller.signal.aborted) return;
      this.#fail(url, problem);
    } finally {
      if (this.#requests.get(url) === controller) this.#requests.delete(url);
      this.#next();
    }
  }

  #keep(url, bitmap) {
    this.#bitmaps.set(url, bitmap);
    this.#bytes += bitmap.width * bitmap.height * 4;
    if (this.#bytes <= MOST_BYTES) return;
    const urls = new Set(this.#wanted.map((tile) => tile.url));
    for (const [old, { width, height }] of this.#bitmaps) {
      if (this.#bytes <= MOST_BYTES) return;
      if (urls.has(old)) continue;
      this.#bitmaps.get(old).close();
      this.#bitmaps.delete(old);
      this.#bytes -= width * height * 4;
    }
  }

  #fail(url, problem) {
    const count = this.#failures.get(url)?.count ?? 0;
    const asked = Number(problem.headers?.get("Retry-After"));
    const seconds = asked > 0 ? asked : RETRY_SECONDS[Math.min(count, RETRY_SECONDS.length - 1)];
    this.#failures.set(url, { count: count + 1, until: performance.now() + seconds * 1000 });
    setTimeout(() => this.#next(), seconds * 1000 + 10);
    this.#troubled(problem instanceof Response ? problem.status : 0);
  }
}
