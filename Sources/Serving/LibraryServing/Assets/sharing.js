// Links to an album or to chosen photos, for people who may see nothing else of the server.

import { ask, choices } from "./ask.js";
import { fail, post } from "./edits.js";
import { sentence } from "./words.js";

const DAYS = [["1", "1 day"], ["7", "7 days"], ["30", "30 days"], ["365", "1 year"]];

/** Asks for the title and the end of a link, and shows it; `what` is { assets } or { group } of the library at `place`. */
export function share(place, what, title) {
  const fields = document.createElement("div");
  const name = Object.assign(document.createElement("input"), { defaultValue: title, required: true, maxLength: 200, autocomplete: "off" });
  name.ariaLabel = "Title";
  const days = choices("days", DAYS, "30");
  const originals = Object.assign(document.createElement("input"), { type: "checkbox", name: "originals" });
  const more = document.createElement("div");
  more.className = "choices";
  more.innerHTML = "<label><span>With the originals, which tell places, dates and names</span></label>";
  more.firstElementChild.prepend(originals);
  fields.append(name, days, more);
  ask("Share", "Make a link", fields, async () => {
    try {
      const made = await post(`${place}/share`, {
        ...what, title: name.value, days: Number(days.querySelector(":checked").value), originals: originals.checked,
      });
      // Beside the dialog that asks, which closes now.
      setTimeout(() => showLink(new URL(`../../${made.address}`, new URL(`${place}/`, location.href)), made.ends));
      return true;
    } catch (problem) {
      return fail(problem instanceof Response ? await sentence(problem) : "The server does not answer; there is no link.");
    }
  }, "Whoever has the link sees these photos, and nothing else.");
}

function showLink(url, ends) {
  const dialog = Object.assign(document.createElement("dialog"), { id: "link" });
  dialog.setAttribute("aria-labelledby", "link-title");
  dialog.innerHTML = `<h2 id="link-title">The link</h2><input readonly aria-label="Link"><p class="faint"></p>
    <p class="row"><button type="button">Copy</button><button type="button" class="main">Close</button></p>`;
  const [input, note] = [dialog.querySelector("input"), dialog.querySelector(".faint")];
  input.value = url.href;
  const isLocal = /^(localhost|127\.|\[::1\])/.test(url.hostname);
  note.textContent = `It ends on ${ends}. ${isLocal ? "This address is that of this computer: others need one that they reach." : ""}`;
  const [copy, close] = dialog.querySelectorAll("button");
  copy.addEventListener("click", async () => {
    input.select();
    // Without HTTPS there is no clipboard but that of the selection.
    try { await navigator.clipboard.writeText(url.href); } catch { document.execCommand("copy"); }
    copy.textContent = "Copied";
  });
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  input.select();
}
