// Plays gesture scripts on the WebAssembly module: node replay.mjs MODULE SCROLL-VIEW.JS SCRIPTS, where SCRIPTS is
// a file of scripts, one JSON array of lines each. Prints one JSON object per line played: the numbers of the state
// by name, and the names of the events. It only calls the module and computes nothing itself.
import { readFileSync } from "node:fs";

const [modulePath, tablesPath, scriptsPath] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(modulePath));
// Without a package.json Node treats a .js file as CommonJS; a data URL makes it a module.
const { tables } = await import(`data:text/javascript,${encodeURIComponent(readFileSync(tablesPath, "utf8"))}`);
const rates = { normal: 0.998, fast: 0.99 };
const shares = { topLeading: [0, 0], center: [0.5, 0.5] };
const none = [0, 0, 0, 0];

function player() {
  const page = new WebAssembly.Instance(module, {}).exports;
  const { valueNames, value, property, key, phase, alignment, adjustment, eventNames } = tables(page);
  const number = (value) => (value === true ? 1 : value === false ? 0 : value);
  let events = [];
  let safeArea = none;
  const note = (count) => {
    const names = eventNames();
    if (names.length !== count) throw new Error(`${count} events, but ${names.length} names`);
    events.push(...names);
  };
  const read = value;
  const set = (name, value) => page.scroll_configure(property(name), number(value));

  function setup(s) {
    page.scroll_create(...s.bounds, ...s.viewSize);
    if (s.rounding === "pixel") set("displayScale", s.displayScale ?? 1);
    const flags = [
      "bounces", "bouncesHorizontally", "bouncesVertically", "bouncesZoom", "alwaysBounceVertical",
      "alwaysBounceHorizontal", "isPagingEnabled", "isDirectionalLockEnabled", "isScrollEnabled", "scrollsToTop",
    ];
    for (const flag of flags) if (flag in s) set(flag, s[flag]);
    set("decelerationRate", rates[s.decelerationRate] ?? s.decelerationRate ?? 0.998);
    set("contentRotation", s.contentRotation ?? 0);
    page.scroll_set_content_alignment(...(shares[s.contentAlignment] ?? s.contentAlignment ?? [0, 0]));
    const behavior = adjustment(s.contentInsetAdjustmentBehavior ?? "always");
    page.scroll_set_safe_area_insets(...none, behavior);
    page.scroll_set_content_inset(...(s.contentInset ?? none));
    safeArea = s.safeAreaInsets ?? none;
    page.scroll_set_safe_area_insets(...safeArea, behavior);
    set("isReversed", s.isReversed ?? false);
    const least = s.minimumZoomScale ?? 1;
    const greatest = s.maximumZoomScale ?? Math.max(1, least);
    page.scroll_set_zoom_limits(Math.min(least, 1), Math.max(greatest, 1));
    page.scroll_set_zoom_limits(least, greatest);
    page.scroll_set_zoom_scale(s.zoomScale ?? 1, 0, 0, -1);
    const end = [read("maximumContentOffset.x"), read("maximumContentOffset.y")];
    page.scroll_set_content_offset(...(s.contentOffset ?? (s.isReversed ? end : [0, 0])), -1);
    // Setting the insets again moves an offset that the script did not set into range.
    if (!s.contentOffset) page.scroll_set_content_inset(...(s.contentInset ?? none));
  }

  return (line) => {
    events = [];
    if (line.t !== undefined) note(page.scroll_advance(line.t));
    const seconds = line.animated === true ? 0.3 : -1;
    if (line.setup) setup(line.setup);
    if (line.setContentOffset) note(page.scroll_set_content_offset(...line.setContentOffset, seconds));
    if (line.setZoomScale) {
      note(page.scroll_set_zoom_scale(line.setZoomScale, ...(line.anchor ?? [NaN, NaN]), seconds));
    }
    if (line.zoomToRect) note(page.scroll_zoom_to_rect(...line.zoomToRect, seconds));
    if (line.scrollRectToVisible) {
      const place = alignment(line.alignment ?? "nearest");
      note(page.scroll_rect_to_visible(...line.scrollRectToVisible, place, seconds));
    }
    if (line.setBounds) note(page.scroll_set_bounds(...line.setBounds));
    if (line.setContentInset) note(page.scroll_set_content_inset(...line.setContentInset));
    if (line.setSafeAreaInsets) {
      safeArea = line.setSafeAreaInsets;
      note(page.scroll_set_safe_area_insets(...safeArea, -1));
    }
    if (line.setContentInsetAdjustmentBehavior) {
      note(page.scroll_set_safe_area_insets(...safeArea, adjustment(line.setContentInsetAdjustmentBehavior)));
    }
    if (line.setViewSize) note(page.scroll_set_view_size(...line.setViewSize, 0));
    if (line.setZoomLimits) note(page.scroll_set_zoom_limits(...line.setZoomLimits));
    if (line.setContentRotation !== undefined) note(set("contentRotation", line.setContentRotation));
    if (line.touches) {
      const [first, second] = [line.touches[0], line.touches[1] ?? [0, 0, 0]];
      note(page.scroll_touches(phase(line.phase), line.touches.length, ...first, ...second));
    }
    if (line.wheel) {
      note(page.scroll_wheel(...line.wheel, ...(line.at ?? [0, 0]), number(line.zoom ?? false), seconds));
    }
    if (line.doubleTap) note(page.scroll_double_tap(...line.doubleTap, line.animated === false ? -1 : 0.3));
    if (line.statusBarTap) {
      const isAllowed = number(line.shouldScrollToTop ?? true);
      note(page.scroll_status_bar_tap(isAllowed, line.animated === false ? -1 : 0.3));
    }
    if (line.key) note(page.scroll_key(key(line.key), seconds));
    if (line.flyTo) note(page.scroll_fly_to(...line.flyTo, line.duration ?? -1));
    if (line.stop) note(page.scroll_stop());
    if (line.advance !== undefined) note(page.scroll_advance(read("time") + line.advance));
    const values = Object.fromEntries(valueNames.map((name) => [name, read(name)]));
    return { values, events };
  };
}

const answers = [];
for (const script of readFileSync(scriptsPath, "utf8").trim().split("\n")) {
  const play = player();
  for (const line of JSON.parse(script)) answers.push(JSON.stringify(play(line)));
}
process.stdout.write(answers.join("\n") + "\n");
