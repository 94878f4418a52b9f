// What went wrong, in words.

export class NoWebAssembly extends Error {}

const element = document.querySelector("#notice");

/** Says something over the picture; nothing takes away what was said. */
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

/** A sentence for a problem: an answer of the server, its status (0 is none), or an error. */
export function explain(problem) {
  const status = problem instanceof Response ? problem.status : problem;
  if (problem instanceof NoWebAssembly) {
    return "This browser has no WebAssembly, which moving and zooming need. A newer one will show the image.";
  }
  if (problem instanceof WebAssembly.CompileError || problem instanceof WebAssembly.LinkError) {
    return "This browser cannot run the part of the page that moves and zooms. A newer one will show the image.";
  }
  if (status === 0 || problem instanceof TypeError) {
    return "The server does not answer. The view will go on as soon as it does.";
  }
  if (status === 404 || status === 410) return "This image is no longer where it was.";
  if (status === 401 || status === 403) return "The server does not show this image without permission.";
  if (status === 429 || status === 503) return "The server is busy. The missing parts come as soon as it has time.";
  if (status >= 400) return `The server could not make a part of the image (${status}).`;
  return "The server's description of the image makes no sense to this page.";
}
