// The dialog that asks for one value. Enter saves it; what was typed is discarded only after a question.

/** Asks for a value; the dialog stays open until `save(value)` returns true. */
export function ask(title, action, fields, save, note = "") {
  const dialog = Object.assign(document.createElement("dialog"), { id: "form" });
  dialog.setAttribute("aria-labelledby", "form-title");
  dialog.innerHTML = `<form method="dialog"><h2 id="form-title"></h2><div id="form-fields"></div>
    <p class="faint"></p><p class="problem" role="alert"></p>
    <p class="row"><button type="button">Cancel</button><button id="form-do" class="main"></button></p>
    <p class="row" hidden><span>Discard what you typed?</span><button type="button">Discard</button
      ><button type="button" class="main">Keep editing</button></p></form>`;
  const [form] = dialog.children;
  const part = (selector) => dialog.querySelector(selector);
  const [usual, question] = dialog.querySelectorAll(".row");
  part("#form-title").textContent = title;
  part("#form-do").textContent = action;
  part("#form-fields").append(fields);
  part(".faint").textContent = note;
  part(".faint").hidden = !note;
  const typed = [...fields.querySelectorAll("input:not([type=radio]), textarea")];
  const isTyped = () => typed.some((one) => one.value !== one.defaultValue);
  const focus = () => {
    (fields.querySelector("input:checked") ?? typed[0])?.focus();
    const end = typed[0]?.value.length;
    typed[0]?.setSelectionRange(end, end);
  };

  const guard = (event) => { if (isTyped()) event.preventDefault(); };
  const close = () => {
    dialog.close();
    dialog.remove();
    removeEventListener("beforeunload", guard);
  };
  const asks = (isAsking) => {
    usual.hidden = isAsking;
    question.hidden = !isAsking;
    if (isAsking) question.lastElementChild.focus();
    else focus();
  };
  const leave = () => (isTyped() ? asks(question.hidden) : close());
  addEventListener("beforeunload", guard);
  usual.firstElementChild.addEventListener("click", leave);
  question.querySelector("button").addEventListener("click", close);
  question.lastElementChild.addEventListener("click", () => asks(false));
  // The gesture that leads back on phones; the key is not left to the browser, which closes at its second press.
  dialog.addEventListener("cancel", (event) => { event.preventDefault(); leave(); });
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leave();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    else return;
    event.preventDefault();
  });

  let isSaving = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isSaving || usual.hidden) return;
    isSaving = true;
    part(".problem").textContent = "";
    const { value } = fields.querySelector("input:checked") ?? typed[0];
    const isDone = await save(value);
    isSaving = false;
    if (isDone) close();
  });
  document.body.append(dialog);
  dialog.showModal();
  focus();
}

/** Asks for the name of an album, one of those that exist or a new one. */
export async function askForAlbum(place, save) {
  const answer = await fetch(`${place}/groups`).catch(() => undefined);
  const { groups } = answer?.ok ? await answer.json() : { groups: [] };
  const field = document.createElement("div");
  const input = Object.assign(document.createElement("input"), { name: "name", required: true, maxLength: 200, autocomplete: "off" });
  input.setAttribute("list", "albums");
  input.ariaLabel = "Name of the album";
  const list = Object.assign(document.createElement("datalist"), { id: "albums" });
  list.append(...groups.filter(({ kind }) => kind === "album").map(({ title }) => Object.assign(document.createElement("option"), { value: title })));
  field.append(input, list);
  await ask("Add to an album", "Add", field, async (name) => !name.trim() || save(name.trim()), "A new name makes a new album.");
}

/** Radio buttons of values and their titles. */
export function choices(name, list, chosen) {
  const group = document.createElement("div");
  group.className = "choices";
  group.append(...list.map(([value, title]) => {
    const label = document.createElement("label");
    const input = Object.assign(document.createElement("input"), { type: "radio", name, value, checked: String(value) === chosen });
    const words = document.createElement("span");
    words.textContent = title;
    label.append(input, words);
    return label;
  }));
  return group;
}

/** Asks for a text; `save(text)` gets it without the spaces around it. */
function askForText(title, value, label, note, save) {
  const input = Object.assign(document.createElement("input"), { defaultValue: value, autocomplete: "off" });
  input.ariaLabel = label;
  const field = document.createElement("div");
  field.append(input);
  return ask(title, "Save", field, (text) => save(text.trim()), note);
}

/** Asks for a date, or for a shift of dates. */
export function askForDate(value, save) {
  return askForText(
    "Date", value, "Date and time", "A date such as 2014-05-25 10:00, or a shift of the date such as +1h, -30m or +2d.",
    (text) => !text || save(text));
}

/** Asks for a position; an empty one removes it. */
export function askForPlace(value, save) {
  return askForText("Place", value, "Latitude and longitude", "Degrees, such as 47.05, 8.31. Without a text, the place is removed.", save);
}
