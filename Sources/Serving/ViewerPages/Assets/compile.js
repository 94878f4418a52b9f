// WebAssembly modules of pages, which static hosts have compressed.

/** The compiled module, of which each view is an instance; `isPacked` where a compressed copy lies beside it. */
export async function compile(url, isPacked = false) {
  const answer = await fetch(isPacked && "DecompressionStream" in globalThis ? `${url}.gz` : url);
  if (!answer.ok) throw answer;
  // Not streaming: static hosts may not have the media type.
  const bytes = await answer.arrayBuffer();
  const [first, second] = new Uint8Array(bytes, 0, 2);
  // Hosts that announce the compression of `.gz` have browsers unpack it.
  if (first !== 0x1f || second !== 0x8b) return WebAssembly.compile(bytes);
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(unpacked).arrayBuffer());
}
