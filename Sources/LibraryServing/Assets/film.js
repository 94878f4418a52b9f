// The page of assets that the viewer cannot show, with links to the previous and the next asset.

import { followNeighbors } from "./neighbors.js";

followNeighbors(() => true);

const picture = document.querySelector("main img");
picture.addEventListener("error", () => picture.remove());
if (picture.complete && picture.naturalWidth === 0) picture.remove();
