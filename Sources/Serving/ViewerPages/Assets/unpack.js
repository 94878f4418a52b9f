// Loads the scripts of a page of a static site from their compressed copies, which the page preloads: many hosts send
// scripts as they are, which takes three times as long. A script becomes a blob, so it is told its address, and those of
// what it imports.

const copies = [...document.querySelectorAll("link[rel=preload][href$='.js.gz']")].map(({ href }) => href);
const plain = (copy) => copy.slice(0, -".gz".length);
const folder = new URL("./", import.meta.url).href;

async function text(copy) {
  const answer = await fetch(copy);
  if (!answer.ok) throw answer;
  const bytes = await answer.arrayBuffer();
  const [first, second] = new Uint8Array(bytes, 0, 2);
  // Hosts that announce the compression of `.gz` have browsers unpack it.
  if (first !== 0x1f || second !== 0x8b) return new TextDecoder().decode(bytes);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

async function load() {
  const made = new Map();
  const texts = copies.map(text);
  for (const one of texts) one.catch(() => {});
  for (const [index, copy] of copies.entries()) {
    const script = (await texts[index]).replaceAll("import.meta.url", `"${plain(copy)}"`)
      .replaceAll(/import\("\.\/([^"]+)"\)/g, (_, name) => `import("${made.get(folder + name) ?? folder + name}")`);
    const blob = new Blob([`${script}\n//# sourceURL=${plain(copy)}`], { type: "text/javascript" });
    made.set(plain(copy), URL.createObjectURL(blob));
    await import(made.get(plain(copy)));
  }
}

// Browsers without DecompressionStream, and policies of hosts that forbid blobs.
load().catch(async () => { for (const copy of copies) await import(plain(copy)); });
