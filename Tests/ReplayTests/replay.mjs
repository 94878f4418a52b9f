// Plays gesture scripts on the WebAssembly module: node replay.mjs MODULE SCRIPTS, where SCRIPTS is a file of
// scripts, one JSON array of lines each. Prints one JSON array per line played: the numbers of the state, then the
// kinds of its events. It knows how to call, and no mathematics at all.
import { readFileSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const phases = { began: 0, moved: 1, ended: 2, cancelled: 3 };
const alignments = { nearest: 0, start: 1, center: 2, end: 3 };
const keys = {
  ArrowUp: 0, ArrowDown: 1, ArrowLeft: 2, ArrowRight: 3, PageUp: 4, PageDown: 5, Home: 6, End: 7, "+": 8, "-": 9,
  "0": 10,
};
const rates = { normal: 0.998, fast: 0.99 };
const shares = { topLeading: [0, 0], center: [0.5, 0.5] };

function player() {
  const page = new WebAssembly.Instance(module, {}).exports;
  const number = (value) => (value === true ? 1 : value === false ? 0 : value);
  let kinds = [];
  const note = (count) => {
    for (let index = 0; index < count; index++) kinds.push(page.scroll_event(index));
  };

  function setup(s) {
    page.scroll_create(...s.bounds, ...s.viewSize);
    if (s.rounding === "pixel") page.scroll_configure(8, s.displayScale ?? 1);
    const flags = [
      "bounces", "bouncesZoom", "alwaysBounceVertical", "alwaysBounceHorizontal", "isPagingEnabled",
      "isDirectionalLockEnabled", "isScrollEnabled",
    ];
    flags.forEach((flag, index) => {
      if (flag in s) page.scroll_configure(index, number(s[flag]));
    });
    page.scroll_configure(7, rates[s.decelerationRate] ?? s.decelerationRate ?? 0.998);
    page.scroll_configure(9, s.contentRotation ?? 0);
    page.scroll_set_content_alignment(...(shares[s.contentAlignment] ?? s.contentAlignment ?? [0, 0]));
    page.scroll_set_content_inset(...(s.contentInset ?? [0, 0, 0, 0]));
    page.scroll_configure(10, number(s.isReversed ?? false));
    const least = s.minimumZoomScale ?? 1;
    const greatest = s.maximumZoomScale ?? Math.max(1, least);
    page.scroll_set_zoom_limits(Math.min(least, 1), Math.max(greatest, 1));
    page.scroll_set_zoom_limits(least, greatest);
    page.scroll_set_zoom_scale(s.zoomScale ?? 1, 0, 0, -1);
    const end = [page.scroll_value(11), page.scroll_value(12)];
    page.scroll_set_content_offset(...(s.contentOffset ?? (s.isReversed ? end : [0, 0])), -1);
    // Insets set again take an offset that nobody asked for into range.
    if (!s.contentOffset) page.scroll_set_content_inset(...(s.contentInset ?? [0, 0, 0, 0]));
  }

  return (line) => {
    kinds = [];
    if (line.t !== undefined) note(page.scroll_advance(line.t));
    const seconds = line.animated === true ? 0.3 : -1;
    if (line.setup) setup(line.setup);
    if (line.setContentOffset) note(page.scroll_set_content_offset(...line.setContentOffset, seconds));
    if (line.setZoomScale) {
      note(page.scroll_set_zoom_scale(line.setZoomScale, ...(line.anchor ?? [NaN, NaN]), seconds));
    }
    if (line.zoomToRect) note(page.scroll_zoom_to_rect(...line.zoomToRect, seconds));
    if (line.scrollRectToVisible) {
      const alignment = alignments[line.alignment ?? "nearest"];
      note(page.scroll_rect_to_visible(...line.scrollRectToVisible, alignment, seconds));
    }
    if (line.setBounds) note(page.scroll_set_bounds(...line.setBounds));
    if (line.setContentInset) note(page.scroll_set_content_inset(...line.setContentInset));
    if (line.setViewSize) note(page.scroll_set_view_size(...line.setViewSize, 0));
    if (line.setZoomLimits) note(page.scroll_set_zoom_limits(...line.setZoomLimits));
    if (line.setContentRotation !== undefined) note(page.scroll_configure(9, line.setContentRotation));
    if (line.touches) {
      const [first, second] = [line.touches[0], line.touches[1] ?? [0, 0, 0]];
      note(page.scroll_touches(phases[line.phase], line.touches.length, ...first, ...second));
    }
    if (line.wheel) {
      note(page.scroll_wheel(...line.wheel, ...(line.at ?? [0, 0]), number(line.zoom ?? false), seconds));
    }
    if (line.doubleTap) note(page.scroll_double_tap(...line.doubleTap, line.animated === false ? -1 : 0.3));
    if (line.key) note(page.scroll_key(keys[line.key], seconds));
    if (line.flyTo) note(page.scroll_fly_to(...line.flyTo, line.duration ?? -1));
    if (line.stop) note(page.scroll_stop());
    if (line.advance !== undefined) note(page.scroll_advance(page.scroll_value(23) + line.advance));
    const numbers = [];
    for (let index = 0; index < 43; index++) numbers.push(page.scroll_value(index));
    return [...numbers, ...kinds];
  };
}

const answers = [];
for (const script of readFileSync(process.argv[3], "utf8").trim().split("\n")) {
  const play = player();
  for (const line of JSON.parse(script)) answers.push(JSON.stringify(play(line)));
}
process.stdout.write(answers.join("\n") + "\n");
