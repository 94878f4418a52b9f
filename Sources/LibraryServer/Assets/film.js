// The page of what the viewer does not show: it has neighbours all the same.

import { followNeighbours } from "./neighbours.js";

followNeighbours(() => true);

const picture = document.querySelector("main img");
picture.addEventListener("error", () => picture.remove());
if (picture.complete && picture.naturalWidth === 0) picture.remove();
