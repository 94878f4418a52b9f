// The page of what the viewer does not show: it has neighbors all the same.

import { followNeighbors } from "./neighbors.js";

followNeighbors(() => true);

const picture = document.querySelector("main img");
picture.addEventListener("error", () => picture.remove());
if (picture.complete && picture.naturalWidth === 0) picture.remove();
