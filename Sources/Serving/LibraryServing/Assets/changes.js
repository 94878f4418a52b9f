// Applies change events of the server to the state of the page. Index paths are [entry, asset].

import { starts } from "./grid-layout.js";

/** The entries after a change; nothing where it does not fit to them, and all has to be loaded again. */
export function changedEntries(entries, change) {
  if (change.reload) return undefined;
  const deleted = new Set(change.deletedEntries);
  const list = entries.filter((_, index) => !deleted.has(index));
  for (const [index, key, count] of change.insertedEntries) list.splice(index, 0, [key, count]);
  for (const [index, key, count] of change.changedEntries) {
    if (list[index]?.[0] !== key) return undefined;
    list[index] = [key, count];
  }
  const total = list.reduce((sum, [, count]) => sum + count, 0);
  return list.length === change.entries && total === change.assets ? list : undefined;
}

/** A function from assets' numbers before a change to those behind it; nothing for those that are gone. */
export function newNumbers(change, entriesBefore, entriesAfter) {
  const [before, after] = [starts(entriesBefore), starts(entriesAfter)];
  const number = (sums) => ([entry, asset]) => sums[entry] + asset;
  const rising = (a, b) => a - b;
  const moves = new Map(change.moved.map(([from, to]) => [number(before)(from), number(after)(to)]));
  const gone = [...change.removed.map(number(before)), ...moves.keys()].sort(rising);
  const came = [...change.inserted.map(number(after)), ...moves.values()].sort(rising);
  const isGone = new Set(gone);
  return (old) => {
    if (moves.has(old)) return moves.get(old);
    if (isGone.has(old)) return undefined;
    let place = old - gone.findLastIndex((other) => other < old) - 1;
    for (const other of came) {
      if (other > place) break;
      place++;
    }
    return place;
  };
}

/** The numbers, behind a change, of assets of which something else has changed. */
export function updatedNumbers(change, entriesAfter) {
  const after = starts(entriesAfter);
  return change.updated.map(([entry, asset]) => after[entry] + asset);
}
