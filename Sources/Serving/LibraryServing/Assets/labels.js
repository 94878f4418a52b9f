// The names on the map: of seas, countries and towns, none over another, the most important ones first.

/** Half of the space around a name, in points. */
const SPACE = 3;
const FONTS = {
  sea: "italic 12px system-ui, sans-serif", country: "600 12px system-ui, sans-serif", town: "12px system-ui, sans-serif",
};
/** The levels at which seas and countries have names. */
const SEAS = [1, 7];
const COUNTRIES = 7;
/** Thousands of people of the smallest town with a name at level 2, and by how much they shrink with each level. */
const LARGE = 6000;
const SHRINKING = 2.6;

export class Labels {
  #widths = new Map();

  draw(context, labels, { scale, left, top, width, height }, level, { ink, water, land }, obstacles) {
    const least = LARGE / SHRINKING ** (level - 2);
    const isShown = {
      sea: () => level >= SEAS[0] && level < SEAS[1],
      country: ({ rank }) => level >= rank && level < COUNTRIES,
      town: ({ rank }) => rank >= least || level >= 9,
    };
    const order = { country: 1, sea: 2, town: 3 };
    const taken = [...obstacles];
    const shown = labels.filter((label) => isShown[label.kind](label))
      .sort((a, b) => order[a.kind] - order[b.kind] || (a.kind === "country" ? a.rank - b.rank : b.rank - a.rank));
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 3;
    for (const label of shown) {
      const { kind, text } = label;
      // The world repeats: the copy that is nearest to the middle counts.
      const middle = (left + width / 2) / scale;
      const across = (label.x + Math.round(middle - label.x)) * scale - left;
      const down = label.y * scale - top;
      if (across < -80 || down < -10 || across > width + 80 || down > height + 10) continue;
      const size = this.#width(context, kind, text);
      const isTown = kind === "town";
      const start = isTown ? across + 6 : across - size / 2;
      const box = [Math.min(start, across - SPACE) - SPACE, down - 8 - SPACE, start + size + SPACE, down + 8 + SPACE];
      if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
      taken.push(box);
      context.font = FONTS[kind];
      context.fillStyle = kind === "sea" ? water : ink;
      context.strokeStyle = land;
      if (isTown) {
        context.beginPath();
        context.arc(across, down, 2.5, 0, 7);
        context.stroke();
        context.fill();
      }
      if (kind !== "sea") context.strokeText(text, start, down);
      context.fillText(text, start, down);
    }
  }

  #width(context, kind, text) {
    const key = kind + text;
    let width = this.#widths.get(key);
    if (width === undefined) {
      context.font = FONTS[kind];
      this.#widths.set(key, width = context.measureText(text).width);
    }
    return width;
  }
}
