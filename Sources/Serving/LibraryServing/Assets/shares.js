// The links of a library, which can be revoked.

import { fail, post, say } from "./edits.js";
import { sentence } from "./words.js";

for (const button of document.querySelectorAll("[data-share] button")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const item = button.closest("[data-share]");
    try {
      await post("share", { revoke: Number(item.dataset.share) });
      say(`The link to ${item.querySelector("a").textContent} was revoked.`);
      item.remove();
    } catch (problem) {
      fail(problem instanceof Response ? await sentence(problem) : "The server does not answer; the link is still valid.");
    }
  });
}
