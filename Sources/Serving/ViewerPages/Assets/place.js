// The visible part as the fragment of the page's URL, `#xywh=x,y,width,height&rotate=90&flip=1` in pixels of the image,
// and as the URL of the server's rendering.

/** The visible part of the image. */
export function visiblePart({ x, y, width, height }, size) {
  const [left, top] = [Math.max(0, x), Math.max(0, y)];
  const [right, bottom] = [Math.min(size.width, x + width), Math.min(size.height, y + height)];
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The URL fragment of a view; empty for the whole image. */
export function fragment(view, size) {
  const turned = [
    view.rotation === 0 ? "" : `rotate=${Number(view.rotation.toFixed(2))}`, view.isFlipped ? "flip=1" : "",
  ];
  const { visibleRect } = view;
  const part = visiblePart(visibleRect, size);
  const isWhole = part.width === size.width && part.height === size.height;
  if ((isWhole || !view.isUpright) && isNear(view.zoomScale, view.minimumZoomScale)) {
    return turned.filter(Boolean).join("&");
  }
  // For an image smaller than the window, the window is the more precise description.
  const { x, y, width, height } = view.isUpright ? (isWhole ? visibleRect : part) : frame(view);
  const numbers = [x, y, width, height].map((number) => Number(number.toFixed(4)));
  return [`xywh=${numbers.join(",")}`, ...turned].filter(Boolean).join("&");
}

/** The window turned back about its middle. */
function frame(view) {
  const [width, height] = [view.bounds.width / view.zoomScale, view.bounds.height / view.zoomScale];
  const { x, y } = view.middle;
  return { x: x - width / 2, y: y - height / 2, width, height };
}

/**
 * Shows the view of a fragment; the whole image if the fragment is empty or invalid.
 *
 * `xywh` is that of media fragments: in pixels, or in `percent:` of the image.
 */
export function show(text, view, size) {
  const fields = new URLSearchParams(text.replace(/^#/, ""));
  const rotation = Number(fields.get("rotate"));
  view.turn(Number.isFinite(rotation) ? rotation : 0, fields.get("flip") === "1");
  const [, unit, list] = /^(pixel:|percent:)?(.*)$/.exec(fields.get("xywh") ?? "");
  const numbers = list.split(",").map((number) => (number === "" ? NaN : Number(number)));
  const isShare = unit === "percent:";
  const [x, y, width, height] = numbers.map((number, index) =>
    isShare ? (number / 100) * (index % 2 === 0 ? size.width : size.height) : number);
  if (numbers.length !== 4 || !numbers.every(Number.isFinite) || width <= 0 || height <= 0) {
    return view.zoom(view.minimumZoomScale);
  }
  view.zoomToRect({ x, y, width, height });
}

/** The part of one image that shows the same as the view of another one: its middle and its scale. */
export function carried(view, from, to) {
  const { x, y } = view.middle;
  // Versions of one photo have the same shape; of others, pixels are compared.
  const isAlike = Math.abs((from.width * to.height) / (from.height * to.width) - 1) < 0.01;
  return {
    x: (x / from.width) * to.width, y: (y / from.height) * to.height,
    scale: isAlike ? (view.zoomScale * from.width) / to.width : view.zoomScale,
  };
}

/**
 * The URL of the server's rendering of the visible part, in screen pixels within the server's limits; undefined if
 * the server does not render the view.
 */
export function picture(view, pyramid, pixelRatio) {
  const { info, size } = pyramid;
  if (!view.isUpright || (view.isFlipped && !info.extraFeatures?.includes("mirroring"))) return undefined;
  const part = visiblePart(view.visibleRect, size);
  const x = Math.min(Math.round(part.x), size.width - 1);
  const y = Math.min(Math.round(part.y), size.height - 1);
  const width = Math.max(1, Math.min(Math.round(part.width), size.width - x));
  const height = Math.max(1, Math.min(Math.round(part.height), size.height - y));
  const enlarges = info.extraFeatures?.includes("sizeUpscaling");
  const scale = Math.min(
    view.zoomScale * pixelRatio, enlarges ? Infinity : 1, (info.maxWidth ?? Infinity) / width,
    (info.maxHeight ?? info.maxWidth ?? Infinity) / height, Math.sqrt((info.maxArea ?? Infinity) / (width * height)));
  const pixels = (length) => Math.max(1, Math.round(length * (isNear(scale, 1) ? 1 : scale)));
  return pyramid.address(
    { x, y, width, height }, { width: pixels(width), height: pixels(height) },
    { rotation: `${view.isFlipped ? "!" : ""}${view.rotation}`, format: "png" });
}

function isNear(a, b) { return Math.abs(a - b) <= 1e-6 * b; }
