// The visible part as the fragment of the page's URL, `#xywh=x,y,width,height&rotate=90` in pixels of the image, and
// as the URL of the server's rendering.

/** The visible part of the image. */
export function visiblePart({ x, y, width, height }, size) {
  const [left, top] = [Math.max(0, x), Math.max(0, y)];
  const [right, bottom] = [Math.min(size.width, x + width), Math.min(size.height, y + height)];
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The URL fragment of a view; empty for the whole image. */
export function fragment(view, size) {
  const part = visiblePart(view.visibleRect, size);
  const isWhole = part.width === size.width && part.height === size.height;
  const turned = view.rotation === 0 ? "" : `rotate=${view.rotation}`;
  if (isWhole && isNear(view.zoomScale, view.minimumZoomScale)) return turned;
  // For an image smaller than the window, the window is the more precise description.
  const { x, y, width, height } = isWhole ? view.visibleRect : part;
  const numbers = [x, y, width, height].map((number) => Number(number.toFixed(4)));
  return [`xywh=${numbers.join(",")}`, turned].filter(Boolean).join("&");
}

/** Shows the view of a fragment; the whole image if the fragment is empty or invalid. */
export function show(text, view) {
  const fields = new URLSearchParams(text.replace(/^#/, ""));
  const rotation = Number(fields.get("rotate"));
  view.turn(rotation % 90 === 0 ? rotation : 0);
  const numbers = fields.get("xywh")?.replace(/^pixel:/, "").split(",").map(Number) ?? [];
  const [x, y, width, height] = numbers;
  if (numbers.length !== 4 || !numbers.every(Number.isFinite) || width <= 0 || height <= 0) {
    return view.zoom(view.minimumZoomScale);
  }
  view.zoomToRect({ x, y, width, height });
}

/** The URL of the server's rendering of the visible part, in screen pixels within the server's limits. */
export function picture(view, pyramid, pixelRatio) {
  const { info, size } = pyramid;
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
    { rotation: view.rotation, format: "png" });
}

function isNear(a, b) { return Math.abs(a - b) <= 1e-6 * b; }
