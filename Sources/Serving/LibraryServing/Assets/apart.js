// Joins clusters until none lies over another.

/** The least distance of two clusters in points: their pictures and numbers. */
const DISTANCE = 66;

/**
 * Joins clusters that are too near each other at a scale. Their x, left and right are places in the world, which repeats;
 * their position is the middle of all photos, and their picture that of the one with the most.
 */
export function apart(clusters, scale) {
  const least = DISTANCE / scale;
  let rest = [...clusters].sort((a, b) => b.count - a.count);
  for (let isJoined = true; isJoined;) {
    isJoined = false;
    const kept = [];
    for (const cluster of rest) {
      const near = kept.findIndex((one) => Math.abs(one.y - cluster.y) < least && Math.abs(shifted(cluster, one).x - one.x) < least);
      if (near < 0) kept.push(cluster);
      else {
        kept[near] = joined(kept[near], shifted(cluster, kept[near]));
        isJoined = true;
      }
    }
    rest = kept;
  }
  return rest;
}

/** The copy of a cluster that is nearest to another one. */
function shifted(cluster, other) {
  const turns = Math.round(other.x - cluster.x);
  return { ...cluster, x: cluster.x + turns, left: cluster.left + turns, right: cluster.right + turns };
}

function joined(a, b) {
  const count = a.count + b.count;
  const share = b.count / count;
  const [west, east] = [a.left <= b.left ? a : b, a.right >= b.right ? a : b];
  return {
    ...a, count, x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share, left: west.left, right: east.right,
    // A west beyond the east crosses the date line.
    bounds: [Math.min(a.bounds[0], b.bounds[0]), west.bounds[1], Math.max(a.bounds[2], b.bounds[2]), east.bounds[3]],
  };
}
