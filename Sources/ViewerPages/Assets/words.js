// Messages for problems.

export class NoWebAssembly extends Error {}

const element = document.querySelector("#notice");

/** Shows a message over the picture, or hides it if `words` is empty. `again` adds a button. */
export function notice(words, again) {
  element.hidden = !words;
  if (!words || element.firstChild?.data === words) return;
  element.replaceChildren(words);
  if (!again) return;
  const button = document.createElement("button");
  button.textContent = "Try again";
  button.addEventListener("click", again);
  element.append(button);
}

/** The message for a problem: a response, its status (0 for no response), or an error. */
export function explain(problem) {
  const status = problem instanceof Response ? problem.status : problem;
  if (problem.isImageProblem) return problem.message;
  if (problem instanceof NoWebAssembly) {
    return "This page needs WebAssembly, which this browser does not support. Use a newer browser.";
  }
  if (problem instanceof WebAssembly.CompileError || problem instanceof WebAssembly.LinkError) {
    return "This browser cannot run this page's WebAssembly. Use a newer browser.";
  }
  if (status === 0 || problem instanceof TypeError) {
    return "The server does not respond. The view continues when it does.";
  }
  if (status === 404 || status === 410) return "The server no longer has this image.";
  if (status === 401 || status === 403) return "You have no permission to view this image.";
  if (status === 429 || status === 503) return "The server is busy. Missing parts appear when it has time.";
  if (status >= 400) return `The server could not render a part of the image (${status}).`;
  return "The server's description of the image is invalid.";
}
