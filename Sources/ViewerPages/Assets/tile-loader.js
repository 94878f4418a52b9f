// Fetches the requested tiles in order, a few at a time, and caches them within a memory limit.

const CONCURRENT = 6;
const MOST_BYTES = 128 << 20;
const RETRY_SECONDS = [1, 2, 4, 8, 15];

export class TileLoader {
  #arrived;
  #failed;
  #load;
  #concurrent;
  /** Bitmaps by URL, least recently used first. */
  #bitmaps = new Map();
  #bytes = 0;
  #requested = [];
  /** Abort controllers of the fetches in progress, by URL. */
  #fetches = new Map();
  /** The number of failures of a tile and the time of the next attempt, by URL. */
  #failures = new Map();

  /**
   * `arrived()` is called for every tile, `failed(problem)` for every failure, with the status of a response, 0 for no
   * response, or an error. `load(tile, signal)` returns the bitmap of a tile, by default that of its URL.
   */
  constructor(arrived, failed, load = fetchBitmap, concurrent = CONCURRENT) {
    this.#arrived = arrived;
    this.#failed = failed;
    this.#load = load;
    this.#concurrent = concurrent;
  }

  /** The bitmap of a tile, if it has arrived. */
  bitmap(tile) {
    const bitmap = this.#bitmaps.get(tile.url);
    if (bitmap === undefined) return undefined;
    this.#bitmaps.delete(tile.url);
    this.#bitmaps.set(tile.url, bitmap);
    return bitmap;
  }

  /** Whether all these tiles have arrived. */
  has(tiles) { return tiles.every((tile) => this.#bitmaps.has(tile.url)); }

  /** Requests these tiles, most important first, and cancels all others. */
  request(tiles) {
    this.#requested = tiles;
    const urls = new Set(tiles.map((tile) => tile.url));
    for (const [url, controller] of this.#fetches) {
      if (urls.has(url)) continue;
      controller.abort();
      this.#fetches.delete(url);
    }
    this.#next();
  }

  #next() {
    const now = performance.now();
    for (const tile of this.#requested) {
      const { url } = tile;
      if (this.#fetches.size >= this.#concurrent) return;
      if (this.#bitmaps.has(url) || this.#fetches.has(url) || this.#failures.get(url)?.until > now) continue;
      this.#fetch(tile);
    }
  }

  async #fetch(tile) {
    const { url } = tile;
    const controller = new AbortController();
    this.#fetches.set(url, controller);
    try {
      const bitmap = await this.#load(tile, controller.signal);
      if (controller.signal.aborted) return bitmap.close();
      this.#failures.delete(url);
      this.#keep(url, bitmap);
      this.#arrived();
    } catch (problem) {
      if (controller.signal.aborted) return;
      this.#fail(url, problem);
    } finally {
      if (this.#fetches.get(url) === controller) this.#fetches.delete(url);
      this.#next();
    }
  }

  #keep(url, bitmap) {
    this.#bitmaps.set(url, bitmap);
    this.#bytes += bitmap.width * bitmap.height * 4;
    if (this.#bytes <= MOST_BYTES) return;
    const urls = new Set(this.#requested.map((tile) => tile.url));
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
    this.#failed(problem instanceof Response ? problem.status : problem.isImageProblem ? problem : 0);
  }
}

async function fetchBitmap({ url }, signal) {
  const answer = await fetch(url, { signal });
  if (!answer.ok) throw answer;
  return createImageBitmap(await answer.blob());
}
