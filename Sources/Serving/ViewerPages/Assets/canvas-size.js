// The size of a canvas in pixels of the screen.

/** Calls `resize(width, height)`, in pixels of the screen, after each change of the size or the resolution of a canvas. */
export function watchSize(canvas, resize) {
  const knowsPixels = "devicePixelContentBoxSize" in ResizeObserverEntry.prototype;
  new ResizeObserver(([entry]) => {
    // The box in device pixels is exact if the edge of the window is not, but wrong on emulated screens.
    const [box] = entry.devicePixelContentBoxSize ?? [];
    const pixels = (exact, points) => {
      const near = points * devicePixelRatio;
      return Math.abs(exact - near) < 1 ? exact : near;
    };
    const { width, height } = entry.contentRect;
    resize(pixels(box?.inlineSize, width), pixels(box?.blockSize, height));
  }).observe(canvas, knowsPixels ? { box: "device-pixel-content-box" } : {});
  const watchRatio = () => matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", () => {
    measure(canvas, resize);
    watchRatio();
  }, { once: true });
  watchRatio();
}

/** Calls `resize` with the size of a canvas at once. */
export function measure(canvas, resize) {
  const { width, height } = canvas.getBoundingClientRect();
  resize(width * devicePixelRatio, height * devicePixelRatio);
}
