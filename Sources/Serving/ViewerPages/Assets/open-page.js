// Tells a server that ends when nobody uses it that a page is open.

/** Milliseconds between two connections; browsers allow pages in the background one per minute. */
const INTERVAL = 60_000;

const health = new URL("../health", import.meta.url);
setInterval(() => fetch(health).catch(() => {}), INTERVAL);
