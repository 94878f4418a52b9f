// Keyboard navigation of the grid: arrows, Page Up and Down, Home and End move the focus; Enter opens a photo.

/** Listens; `grid` has layout, active, rowsInView and focus(number). */
export function listen(element, grid) {
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
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
    const target = targets[event.key];
    if (!target) return;
    event.preventDefault();
    grid.focus(target());
  });
}
