// Mercator's projection: x and y are shares of its square, from the west and from the north.

const LARGEST = 85.051_128_779_8;
/** The points across the world at level 0. */
export const TILE = 256;

export function x(longitude) { return (longitude + 180) / 360; }

export function y(latitude) {
  const angle = Math.min(Math.max(latitude, -LARGEST), LARGEST) * Math.PI / 180;
  return 0.5 - Math.log(Math.tan(Math.PI / 4 + angle / 2)) / (2 * Math.PI);
}

export function longitude(x) { return x * 360 - 180; }

export function latitude(y) { return Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) * 180 / Math.PI; }
