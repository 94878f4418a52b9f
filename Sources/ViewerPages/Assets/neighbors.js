// Links to the previous and the next photo of the grid from which this one was opened, given by the page's URL.

const server = new URL("../", import.meta.url).href;

/** Adds the links. Arrow keys follow them, too, while `isWhole()`. */
export async function followNeighbors(isWhole) {
  const given = new URLSearchParams(location.search);
  const [library, asset] = [given.get("library"), given.get("asset")];
  if (!library || !asset) return;
  given.delete("library");
  given.delete("asset");
  const place = `${server}library/${encodeURIComponent(library)}`;
  const answer = await fetch(`${place}/neighbors?${given}&asset=${encodeURIComponent(asset)}`).catch(() => undefined);
  if (!answer?.ok) return;
  const { title, number, count, previous, next } = await answer.json();

  const back = document.querySelector("header a");
  const choices = new URLSearchParams(given);
  choices.delete("group");
  back.href = `${place}/group/${encodeURIComponent(given.get("group") ?? "all")}?${choices}#${encodeURIComponent(asset)}`;
  back.ariaLabel = `Back to ${title}`;
  back.title = back.ariaLabel;

  const query = (id) => new URLSearchParams([["library", library], ...given, ["asset", id]]);
  const address = (one) => one && `${server}${one.page}?${query(one.id)}`;
  const ways = { previous: address(previous), next: address(next) };
  const bar = document.createElement("nav");
  bar.ariaLabel = `${title}, ${number} of ${count}`;
  bar.append(way("‹", "Previous (P)", ways.previous), `${number} / ${count}`, way("›", "Next (N)", ways.next));
  document.querySelector("header.bar").append(bar);
  listen(ways, isWhole);
}

function way(sign, name, address) {
  const link = document.createElement("a");
  Object.assign(link, { textContent: sign, ariaLabel: name, title: name });
  if (address) link.href = address;
  else link.ariaDisabled = "true";
  return link;
}

function listen(ways, isWhole) {
  // In the capture phase, before the scroll view, which uses arrow keys while it can scroll.
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.target.closest?.("dialog")) return;
    const arrows = isWhole() ? { ArrowLeft: "previous", ArrowRight: "next" } : {};
    const name = { p: "previous", n: "next", ...arrows }[event.key];
    if (!name) return;
    event.preventDefault();
    event.stopPropagation();
    if (ways[name]) location.assign(ways[name]);
  }, { capture: true });
}
