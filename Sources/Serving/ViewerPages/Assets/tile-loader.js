// Fetches the requested tiles in order, a few at a time, and caches them within a memory limit.

const CONCURRENT = 6;
const MOST_BYTES = 128 << 20;
const RETRY_SECONDS = [1, 2, 4, 8, 15];
/** Milliseconds for a tile above which a link is slow, and the weight of the last tile in their average. */
const SLOW = 400;
const WEIGHT = 0.3;

export class TileLoader {
  #arrived;
  #failed;
  #concurrent;
  /** Bitmaps by URL, least recently used first. */
  #bitmaps = new Map();
  #bytes = 0;
  /** The stages of the request by the owners of the requests. */
  #requested = new Map();
  /** Abort controllers of the fetches in progress, by URL. */
  #fetches = new Map();
  /** The timer of the next fetch. */
  #next = 0;
  /** Milliseconds that tiles took lately. */
  #pace = SLOW / 2;
  /** The number of failures of a tile and the time of the next attempt, by URL. */
  #failures = new Map();

  /**
   * `arrived(tile)` is called for every tile, `failed(problem, tile)` for every failure, with the status of a response,
   * 0 for no response, or an error. A tile has a URL, and may have the part of
   * its picture to `cut`, or `load(signal)`, which returns its bitmap.
   */
  constructor(arrived, failed, concurrent = CONCURRENT) {
    this.#arrived = arrived;
    this.#failed = failed;
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

  /** Whether tiles take long. */
  get isSlow() { return this.#pace > SLOW; }

  /** Whether a tile failed and has not arrived since. */
  hasFailed(tile) { return this.#failures.has(tile.url) && !this.#bitmaps.has(tile.url); }

  /**
   * Requests tiles in stages, most important first, and cancels all others of the owner. A stage begins when all tiles
   * of the stages before it have arrived or failed.
   */
  request(owner, stages) {
    this.#requested.set(owner, stages);
    const urls = this.#urls();
    for (const [url, controller] of this.#fetches) {
      if (urls.has(url)) continue;
      controller.abort();
      this.#fetches.delete(url);
    }
    this.#start();
  }

  #urls() { return new Set([...this.#requested.values()].flat(2).map((tile) => tile.url)); }

  /** Starts fetches: one in a turn, as each takes much of a frame, but together those that a tile loads by itself. */
  #start() {
    if (this.#next !== 0) return;
    const now = performance.now();
    for (const stages of this.#requested.values()) {
      for (const stage of stages) {
        for (const tile of stage) {
          const { url } = tile;
          if (this.#fetches.size >= this.#concurrent) return;
          if (this.#bitmaps.has(url) || this.#fetches.has(url) || this.#failures.get(url)?.until > now) continue;
          this.#fetch(tile);
          if (tile.load) continue;
          this.#next = setTimeout(() => {
            this.#next = 0;
            this.#start();
          });
          return;
        }
        if (stage.some((tile) => this.#fetches.has(tile.url))) break;
      }
    }
  }

  async #fetch(tile) {
    const { url } = tile;
    const controller = new AbortController();
    this.#fetches.set(url, controller);
    const start = performance.now();
    try {
      const bitmap = await (tile.load?.(controller.signal) ?? fetchBitmap(tile, controller.signal));
      if (controller.signal.aborted) return bitmap.close();
      this.#failures.delete(url);
      this.#pace += WEIGHT * (performance.now() - start - this.#pace);
      this.#keep(url, bitmap);
      this.#arrived(tile);
    } catch (problem) {
      if (controller.signal.aborted) return;
      this.#fail(tile, problem);
    } finally {
      if (this.#fetches.get(url) === controller) this.#fetches.delete(url);
      this.#start();
    }
  }

  #keep(url, bitmap) {
    this.#bitmaps.set(url, bitmap);
    this.#bytes += bitmap.width * bitmap.height * 4;
    if (this.#bytes <= MOST_BYTES) return;
    const urls = this.#urls();
    for (const [old, { width, height }] of this.#bitmaps) {
      if (this.#bytes <= MOST_BYTES) return;
      if (urls.has(old)) continue;
      this.#bitmaps.get(old).close();
      this.#bitmaps.delete(old);
      this.#bytes -= width * height * 4;
    }
  }

  #fail(tile, problem) {
    const { url } = tile;
    const count = this.#failures.get(url)?.count ?? 0;
    const asked = Number(problem.headers?.get("Retry-After"));
    const seconds = asked > 0 ? asked : RETRY_SECONDS[Math.min(count, RETRY_SECONDS.length - 1)];
    this.#failures.set(url, { count: count + 1, until: performance.now() + seconds * 1000 });
    setTimeout(() => this.#start(), seconds * 1000 + 10);
    this.#failed(problem instanceof Response ? problem.status : problem.isImageProblem ? problem : 0, tile);
  }
}

async function fetchBitmap({ url, cut = [] }, signal) {
  const answer = await fetch(url, { signal });
  if (!answer.ok) throw answer;
  return createImageBitmap(await answer.blob(), ...cut);
}
