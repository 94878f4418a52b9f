// Messages for problems, and the one place that is read aloud.

export class NoWebAssembly extends Error {}

const element = document.querySelector("#notice");
/** What is said of the image while there is no problem. */
let remark;

/** The sentence of a server's error. */
export async function sentence(answer) {
  const text = (await answer.text().catch(() => "")).trim();
  return text ? `${text[0].toUpperCase()}${text.slice(1)}.` : `The server answers ${answer.status}.`;
}

/** Has a text read aloud. */
export function say(words) {
  const status = document.querySelector("#status");
  if (status.textContent !== words) status.textContent = words;
}

/** Shows a message over the picture, or the remark if `words` is empty. `again` adds a button. */
export function notice(words, again) {
  words ||= remark;
  element.hidden = !words;
  if (!words || element.firstChild?.data === words) return;
  element.replaceChildren(words);
  say(words);
  if (!again) return;
  const button = document.createElement("button");
  button.textContent = "Try again";
  button.addEventListener("click", again);
  element.append(button);
}

/** Has a remark shown beside the image; without words, none. */
export function setRemark(words) {
  remark = words;
  notice();
}

/** Whether nothing but a picture can be shown in this browser. */
export function needsPlainPicture(problem) {
  return problem instanceof NoWebAssembly || (typeof WebAssembly === "object" &&
    [WebAssembly.CompileError, WebAssembly.LinkError, WebAssembly.RuntimeError].some((kind) => problem instanceof kind));
}

/** Shows the picture of the page for browsers without scripts, with a link to a large one. */
export function showPlainPicture() {
  const template = new DOMParser().parseFromString(document.querySelector("noscript").textContent, "text/html");
  document.querySelector("#picture").hidden = true;
  document.body.append(...template.body.children);
}

/** The message for a problem: a response, its status (0 for no response), or an error. */
export function explain(problem) {
  const status = problem instanceof Response ? problem.status : problem;
  if (problem.isImageProblem) return problem.message;
  if (needsPlainPicture(problem)) {
    return "This browser cannot run WebAssembly, so the picture cannot be enlarged here. Select it to open it in full size.";
  }
  if (status === 0 || problem instanceof TypeError) {
    return "The server does not respond. The view continues when it does.";
  }
  const { sentence } = problem;
  if (sentence && sentence.length < 300 && [403, 404, 422, 502].includes(status)) return `${sentence[0].toUpperCase()}${sentence.slice(1)}.`;
  if (status === 404 || status === 410) return "The server no longer has this image.";
  if (status === 401 || status === 403) return "You have no permission to view this image.";
  if (status === 422) return "The file of this image is damaged.";
  if (status === 429 || status === 503) return "The server is busy. Missing parts appear when it has time.";
  if (status >= 400) return `The server could not render a part of the image (${status}).`;
  return "The server's description of the image is invalid.";
}
