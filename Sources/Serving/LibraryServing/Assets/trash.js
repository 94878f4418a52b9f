// The trash of a library: what is selected is restored.

import { Edits } from "./edits.js";
import { countOf } from "./titles.js";

const button = (id) => document.getElementById(id);
const checks = () => [...document.querySelectorAll("[data-trashed] input")];
const chosen = () => checks().filter((one) => one.checked);
/** The last check that was clicked: shift and a click choose all from there. */
let anchor;

function update() {
  const { length } = chosen();
  const [all, restore] = [button("all"), button("restore")];
  restore.disabled = length === 0;
  restore.textContent = length > 0 ? `Restore ${length}` : "Restore";
  all.textContent = length > 0 && length === checks().length ? "Select none" : "Select all";
}

function choose(list, isChosen) {
  for (const one of list) one.checked = isChosen;
  update();
}

/** Shows the page anew. */
async function reload() {
  const answer = await fetch(location.href).catch(() => undefined);
  if (!answer?.ok) return location.reload();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  document.querySelector("main").replaceWith(page.querySelector("main"));
  begin();
}

const edits = new Edits(".", reload);

async function restore() {
  const trashed = chosen().map((one) => one.closest("[data-trashed]").dataset.trashed);
  if (trashed.length === 0 || button("restore").ariaBusy === "true") return;
  button("restore").ariaBusy = "true";
  await edits.run({ do: "restore", trashed }, ({ changed }) => `${countOf(changed, "photo")} restored.`);
  button("restore").ariaBusy = "false";
}

function begin() {
  anchor = undefined;
  button("restoring").hidden = checks().length === 0;
  for (const one of checks()) one.parentElement.hidden = false;
  update();
}

function press(event) {
  const isAll = (event.ctrlKey || event.metaKey) && event.key === "a";
  if (isAll) choose(checks(), true);
  else if (event.key === "Escape" && chosen().length > 0) choose(checks(), false);
  else if (event.key === "Enter" && event.target.matches("[data-trashed] input")) restore();
  else return;
  event.preventDefault();
}

if (document.body.dataset.edits) {
  button("all").addEventListener("click", () => choose(checks(), chosen().length < checks().length));
  button("restore").addEventListener("click", restore);
  document.addEventListener("keydown", press);
  document.addEventListener("click", ({ target, shiftKey }) => {
    const list = checks();
    const number = list.indexOf(target);
    if (number < 0) return;
    if (shiftKey && anchor !== undefined) choose(list.slice(Math.min(anchor, number), Math.max(anchor, number) + 1), target.checked);
    anchor = number;
    update();
  });
  begin();
}
