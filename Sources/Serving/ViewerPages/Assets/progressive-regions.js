// Parts of large progressive JPEGs: the coefficients of a part are read from checkpoints in all scans, and written as a small
// sequential JPEG, in a worker where there are some. Part of viewport-tiles.js, which loads this file when it is needed.

/** The name of the worker, which is this file again. */
const WORKER = "viewport progressive regions";

/** Calls a function of the module; gives its result, its numbers, and its bytes where `hasOutput`. */
function run(functions, { name, numbers, bytes, hasOutput }) {
  const place = functions.image_buffer(bytes.length);
  new Uint8Array(functions.memory.buffer, place, bytes.length).set(bytes);
  const result = functions[`image_${name}`](...numbers, bytes.length);
  if (result <= 0 || name === "open") return { result };
  const { buffer } = functions.memory;
  const count = hasOutput ? 4 : result;
  return {
    result, numbers: [...new Float64Array(buffer, functions.image_numbers(), count)],
    output: hasOutput && new Uint8Array(buffer, functions.image_output(), result).slice(),
  };
}

if (globalThis.name === WORKER && !globalThis.document) {
  let instance;
  globalThis.onmessage = async ({ data: { id, module, call } }) => {
    try {
      instance ??= WebAssembly.instantiate(module);
      const answer = run((await instance).exports, call);
      globalThis.postMessage({ id, answer }, answer.output ? [answer.output.buffer] : []);
    } catch (problem) {
      globalThis.postMessage({ id, problem: String(problem) });
    }
  };
}

/** Returns a function that calls those of a module in a worker; undefined where there can be none. */
async function worker(module) {
  if (typeof Worker === "undefined" || typeof document === "undefined") return undefined;
  let made;
  try {
    made = new Worker(import.meta.url, { type: "module", name: WORKER });
  } catch {
    // Of another origin, or refused by the policy of the page.
    return undefined;
  }
  const waiting = new Map();
  let last = 0;
  const send = (call) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    made.postMessage({ id: last, module: last === 1 ? module : undefined, call });
  });
  made.onmessage = ({ data: { id, answer, problem } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (problem) reject(new Error(problem));
    else resolve(answer);
  };
  const failed = new Promise((resolve) => {
    made.onerror = () => {
      for (const { reject } of waiting.values()) reject(new Error("the worker ended"));
      resolve(false);
    };
  });
  // Whether it begins at all is known after the first answer.
  const begins = await Promise.race([failed, send({ name: "facts", numbers: [], bytes: new Uint8Array(0) }).then(() => true, () => false)]);
  if (begins) return send;
  made.terminate();
  return undefined;
}

/** A progressive JPEG of which parts are read. `file.read(ranges)` gives bytes of the file. */
export class ProgressiveRegions {
  #file;
  #call;

  /**
   * `module` is the compiled module, `directory` the first bytes of the sidecar, whose size is `size`. `check(name, result)` throws
   * for results that are errors.
   */
  static async open(file, module, { directory, size, index }, check) {
    const send = await worker(module) ?? await here(module);
    const call = async (name, numbers, bytes, hasOutput = false) => {
      const answer = await send({ name, numbers, bytes, hasOutput });
      check(name, answer.result);
      return answer;
    };
    await call("open", [size], directory);
    await call("index", [], index);
    return new ProgressiveRegions(file, call);
  }

  constructor(file, call) { [this.#file, this.#call] = [file, call]; }

  /** A small JPEG of a stored rectangle: { bytes, x, y, width, height }, the place of the rectangle in it. */
  async part({ x, y, width, height }) {
    const rect = [x, y, width, height];
    const { numbers } = await this.#call("plan", rect, new Uint8Array(0));
    const ranges = Array.from({ length: numbers.length / 2 }, (_, index) => numbers.slice(2 * index, 2 * index + 2));
    const { output, numbers: [left, top, across, down] } =
      await this.#call("region", rect, await this.#file.read(ranges), true);
    return { bytes: output, x: left, y: top, width: across, height: down };
  }
}

async function here(module) {
  const { exports } = await WebAssembly.instantiate(module);
  return async (call) => run(exports, call);
}
