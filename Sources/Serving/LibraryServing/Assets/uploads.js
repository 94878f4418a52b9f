// Adds photos to the library: files that are dropped on the page or chosen are sent in pieces, and imported by the
// library's rules. A connection that breaks is continued where it ended.

import { post, say } from "./edits.js";
import { countOf } from "./titles.js";
import { sentence } from "./words.js";

/** The bytes of a piece, as the server takes them at most. */
const PIECE = 8 * 2 ** 20;
/** Milliseconds after which a piece is sent again, longer each time, and how often. */
const RETRY = 1000;
const TRIES = 6;

export class Uploads {
  #place;
  #changed;
  #isBusy = false;

  /** `place` is the address of the library; `changed()` follows an import. */
  constructor(place, changed) {
    this.#place = place;
    this.#changed = changed;
    const input = Object.assign(document.createElement("input"), { type: "file", multiple: true, hidden: true, id: "files" });
    input.accept = "image/*,video/*,.xmp,.aae,.cr2,.cr3,.nef,.arw,.dng,.raf,.orf,.rw2";
    document.body.append(input);
    const button = document.getElementById("add");
    button.hidden = false;
    button.addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      this.#send([...input.files].map((file) => ({ file, folder: "" })));
      input.value = "";
    });
    this.#listenToDrops();
  }

  #listenToDrops() {
    const isFiles = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
    addEventListener("dragover", (event) => {
      if (!isFiles(event)) return;
      event.preventDefault();
      document.body.classList.add("dropping");
    });
    addEventListener("dragleave", ({ relatedTarget }) => relatedTarget || document.body.classList.remove("dropping"));
    addEventListener("drop", async (event) => {
      document.body.classList.remove("dropping");
      if (!isFiles(event)) return;
      event.preventDefault();
      const { items, files } = event.dataTransfer;
      const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
      this.#send(entries.length > 0 ? await filesIn(entries) : [...files].map((file) => ({ file, folder: "" })));
    });
  }

  async #send(list) {
    if (list.length === 0) return;
    if (this.#isBusy) return say("Other photos are being added; add these afterwards.");
    this.#isBusy = true;
    const guard = (event) => event.preventDefault();
    addEventListener("beforeunload", guard);
    const session = [...crypto.getRandomValues(new Uint8Array(16))].map((one) => one.toString(16).padStart(2, "0")).join("");
    const place = `${this.#place}/upload/${session}`;
    try {
      const folders = [...new Set(list.map(({ folder }) => folder))];
      const total = list.reduce((sum, { file }) => sum + file.size, 0);
      let sent = 0;
      for (const [index, { file, folder }] of list.entries()) {
        const address = `${place}/${folders.indexOf(folder)}/${encodeURIComponent(file.name)}`;
        await sendFile(address, file, (bytes) => {
          const share = total > 0 ? Math.floor(((sent + bytes) / total) * 100) : 100;
          say(`Adding ${countOf(list.length, "file")}: ${index + 1} of ${list.length}, ${share} %.`, { stays: true });
        });
        sent += file.size;
      }
      say("Importing…", { stays: true });
      const done = await again(() => post(place, { do: "finish" }));
      say(summary(list.length, done), { stays: done.failures.length > 0 });
      this.#changed();
    } catch (problem) {
      say(problem instanceof Response ? await sentence(problem) : "The server does not answer; add the files again later.", { stays: true });
    } finally {
      this.#isBusy = false;
      removeEventListener("beforeunload", guard);
    }
  }
}

/** What became of the files: "12 photos added, 3 were there already." */
function summary(count, { imported, present, duplicates, failures }) {
  const there = present + duplicates;
  const other = count - imported - there - failures.length;
  const [first] = failures;
  return [
    `${countOf(imported, "file")} added`, there > 0 && `${there} there already`,
    other > 0 && `${other} left out, which are no photos`,
    first && `${failures.length} failed: ${first.name} ${first.reason}`,
  ].filter(Boolean).join(", ") + ".";
}

async function sendFile(address, file, progress) {
  let at = 0;
  do {
    progress(at);
    const piece = file.slice(at, at + PIECE);
    at = await again(() => sendPiece(address, file, piece, at));
  } while (at < file.size);
}

/** Sends a piece; returns the number of bytes that have arrived. */
async function sendPiece(address, file, piece, at) {
  const answer = await fetch(`${address}?at=${at}&size=${file.size}`, {
    method: "POST", headers: { "Content-Type": "application/octet-stream", "X-Viewport-Request": "page" }, body: piece,
  });
  if (answer.ok) return (await answer.json()).bytes;
  // A piece may have arrived though its answer was lost, or have been lost with the server.
  const arrived = answer.status === 409 ? /^(\d+) bytes/.exec(await answer.clone().text()) : undefined;
  if (arrived && Number(arrived[1]) !== at) return Number(arrived[1]);
  throw answer;
}

/** Tries again while the server does not answer, or is busy. */
async function again(work) {
  for (let count = 1; ; count++) {
    try {
      return await work();
    } catch (problem) {
      const isOver = problem instanceof Response && problem.status !== 503;
      if (isOver || count >= TRIES) throw problem;
      await new Promise((done) => setTimeout(done, RETRY * 2 ** (count - 1)));
    }
  }
}

/** All files of what was dropped, with the paths of their folders. */
async function filesIn(entries, folder = "") {
  const found = [];
  for (const entry of entries) {
    if (entry.name.startsWith(".")) continue;
    if (entry.isFile) {
      found.push({ file: await new Promise((done, fail) => entry.file(done, fail)), folder });
      continue;
    }
    const reader = entry.createReader();
    let part;
    do {
      part = await new Promise((done, fail) => reader.readEntries(done, fail));
      found.push(...await filesIn(part, `${folder}/${entry.name}`));
    } while (part.length > 0);
  }
  return found;
}
