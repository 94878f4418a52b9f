// The page of assets that the viewer cannot show: films, and files without a decoder, with links to the previous and the
// next asset.

import { followNeighbors } from "./neighbors.js";

const { kind, type, file, picture } = document.body.dataset;
const frame = document.getElementById("frame");
const words = document.getElementById("words");

/** Takes away a picture that cannot be made. */
function drop() {
  frame.addEventListener("error", () => frame.remove());
  if (frame.complete && frame.naturalWidth === 0) frame.remove();
}

function play() {
  const film = Object.assign(document.createElement("video"), { src: file, poster: picture, controls: true, playsInline: true, preload: "metadata" });
  film.ariaLabel = document.title;
  film.addEventListener("error", () => {
    // Of a film that no browser plays there is one frame to see, and the file.
    frame.hidden = false;
    film.replaceWith(frame);
    words.textContent = film.error?.code === MediaError.MEDIA_ERR_NETWORK
      ? "The film does not arrive; the server does not answer."
      : `This browser cannot play films of this kind (${type}). Download the file to play it with another program.`;
  });
  frame.replaceWith(film);
  film.focus({ preventScroll: true });
}

if (kind === "film") play();
else drop();
// While the film has the focus, arrow keys move in it.
followNeighbors(() => document.activeElement?.localName !== "video");
if (new URLSearchParams(location.search).get("library")) import("./photo.js");
