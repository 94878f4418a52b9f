// Fetches metadata of visible assets in blocks, and caches some of it.

const BLOCK = 60;
const MOST_KEPT = 6000;
const CONCURRENT = 3;
/** Milliseconds for which a tile has to be visible before its asset is requested. */
const DWELL_TIME = 60;
const RETRY = 2000;

export class AssetStore {
  #url;
  #arrived;
  #lost;
  #layout;
  /** By number: { asset, sequence }, the earliest first. */
  #assets = new Map();
  #requests = new Map();
  #wanted = [0, 0];
  #waiting;
  #notBefore = 0;

  /** `url(path)` is the address of a block, `arrived()` follows every block, `lost()` a place that is no more. */
  constructor(url, arrived, lost) {
    this.#url = url;
    this.#arrived = arrived;
    this.#lost = lost;
  }

  get(number) { return this.#assets.get(number)?.asset; }

  /** Begins anew with another arrangement. */
  reset(layout) {
    this.#assets.clear();
    this.#abort(() => true);
    this.#layout = layout;
  }

  /** The same assets in another geometry. */
  rearrange(layout) { this.#layout = layout; }

  /** Brings what is kept to another state of the library; what was read in neither state is dropped. */
  advance(since, sequence, newNumber, updated) {
    const assets = new Map();
    const outdated = new Set(updated);
    for (const [number, known] of this.#assets) {
      const place = known.sequence === since ? newNumber(number) : known.sequence === sequence ? number : undefined;
      if (place !== undefined && !(known.sequence === since && outdated.has(place))) {
        assets.set(place, { asset: known.asset, sequence });
      }
    }
    this.#assets = assets;
    this.#abort(() => true);
  }

  /** Wants the assets of these numbers, and no others any more. */
  want(from, to) {
    this.#wanted = [from, to];
    this.#abort((block) => (block + 1) * BLOCK <= from || block * BLOCK >= to);
    this.#waiting ??= setTimeout(() => {
      this.#waiting = undefined;
      this.#next();
    }, Math.max(DWELL_TIME, this.#notBefore - performance.now()));
  }

  #abort(isUnwanted) {
    for (const [block, controller] of this.#requests) {
      if (!isUnwanted(block)) continue;
      controller.abort();
      this.#requests.delete(block);
    }
  }

  #next() {
    const [from, to] = this.#wanted;
    const middle = (from + to) / 2 / BLOCK;
    const blocks = [];
    for (let block = Math.floor(from / BLOCK); block * BLOCK < to; block++) {
      if (!this.#requests.has(block) && this.#isMissing(block, from, to)) blocks.push(block);
    }
    blocks.sort((a, b) => Math.abs(a + 0.5 - middle) - Math.abs(b + 0.5 - middle));
    for (const block of blocks) {
      if (this.#requests.size >= CONCURRENT) return;
      this.#fetch(block);
    }
  }

  #isMissing(block, from, to) {
    const end = Math.min((block + 1) * BLOCK, to);
    for (let number = Math.max(block * BLOCK, from); number < end; number++) {
      if (!this.#assets.has(number)) return true;
    }
    return false;
  }

  async #fetch(block) {
    const controller = new AbortController();
    this.#requests.set(block, controller);
    try {
      const [entry, asset] = this.#layout.place(block * BLOCK);
      const answer = await fetch(this.#url(`from=${entry}.${asset}&count=${BLOCK}`), { signal: controller.signal });
      if (!answer.ok) throw answer;
      const { sequence, assets } = await answer.json();
      if (controller.signal.aborted) return;
      assets.forEach((one, index) => {
        this.#assets.delete(block * BLOCK + index);
        this.#assets.set(block * BLOCK + index, { asset: one, sequence });
      });
      this.#trim();
      this.#requests.delete(block);
      this.#arrived();
      this.#next();
    } catch (problem) {
      if (controller.signal.aborted) return;
      this.#requests.delete(block);
      this.#notBefore = performance.now() + RETRY;
      this.want(...this.#wanted);
      this.#lost(problem);
    }
  }

  #trim() {
    for (const number of this.#assets.keys()) {
      if (this.#assets.size <= MOST_KEPT) return;
      if (number < this.#wanted[0] || number >= this.#wanted[1]) this.#assets.delete(number);
    }
  }
}
