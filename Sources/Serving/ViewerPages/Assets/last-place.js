// The last place in an image or a library, kept in this browser's localStorage, without cookies.
// Storage that is full, corrupt or denied changes nothing else.

const PREFIX = "viewport.place:";
/** The most places that are kept; the oldest ones are removed. */
const MOST = 500;

/** The state that was kept under a key, if it is an object. */
export function recall(key) {
  try {
    const { state } = JSON.parse(localStorage.getItem(PREFIX + key));
    return typeof state === "object" && state !== null ? state : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a state under a key; without a state, removes what was kept. */
export function remember(key, state) {
  try {
    localStorage.removeItem(PREFIX + key);
    if (state === undefined) return;
    const places = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
    if (places.length >= MOST) {
      const time = (name) => { try { return Number(JSON.parse(localStorage.getItem(name)).time) || 0; } catch { return 0; } };
      const oldest = places.map((name) => [time(name), name]).sort(([a], [b]) => a - b);
      for (const [, name] of oldest.slice(0, places.length - MOST / 2)) localStorage.removeItem(name);
    }
    localStorage.setItem(PREFIX + key, JSON.stringify({ time: Date.now(), state }));
  } catch {
    // Another page may use all of the storage.
  }
}
