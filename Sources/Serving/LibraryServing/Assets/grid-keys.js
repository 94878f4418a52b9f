// Keyboard navigation of the grid: arrows, Page Up and Down, Home and End move the focus, with Shift they select; Enter
// opens a photo, X selects it.

/** Listens; `grid` has layout, active, rowsInView, focus(number), selection and edits. */
export function listen(element, grid) {
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea, select, dialog")) return;
    if (event.key === "?") return document.getElementById("help").showModal();
    if (event.key === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey && grid.edits.undoLast()) {
      return event.preventDefault();
    }
    if (event.key === "Delete" && grid.selection.trash()) return event.preventDefault();
    // Arrows begin at the photos where nothing else has the focus.
    if (!element.contains(event.target) && event.target !== document.body) return;
    if (event.ctrlKey || event.metaKey || event.altKey) {
      if (event.key === "a" && (event.ctrlKey || event.metaKey) && grid.selection.isOn) {
        event.preventDefault();
        document.querySelector("[data-do=all]").click();
      }
      return;
    }
    const { layout, active } = grid;
    if (layout.count === 0) return;
    const page = Math.max(1, grid.rowsInView - 1);
    const targets = {
      ArrowLeft: () => layout.step(active, -1, 0),
      ArrowRight: () => layout.step(active, 1, 0),
      ArrowUp: () => layout.step(active, 0, -1),
      ArrowDown: () => layout.step(active, 0, 1),
      PageUp: () => layout.step(active, 0, -page),
      PageDown: () => layout.step(active, 0, page),
      Home: () => 0,
      End: () => layout.count - 1,
    };
    if (event.key === "x" || event.key === " ") {
      event.preventDefault();
      grid.selection.toggle(active);
      return;
    }
    const target = targets[event.key];
    if (!target) return;
    event.preventDefault();
    const number = target();
    if (event.shiftKey) {
      grid.selection.begin(active);
      grid.selection.extend(number);
    }
    grid.focus(number);
  });
}
