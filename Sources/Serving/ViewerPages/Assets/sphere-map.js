// The positions in a level of a panorama that the points of a look show, and the pages of the level that it touches.
// The formulas are those of the Swift package's LookMap, in rectilinear projection.

const RADIAN = Math.PI / 180;
/** The side of a page in pixels of its level. */
export const SIDE = 256;
/** The distance in screen pixels of the points of which positions are computed to find pages. */
const STEP = 32;
/** The pixels around a position that cubics need. */
const MARGIN = 3;
/** The side of a cell of the screen, in which positions change nearly linearly, or not. */
export const CELL = 8;
/** The greatest error of positions that are interpolated in a cell, in pixels of the level per pixel of the screen. */
const TOLERANCE = 0.04;
/** The most pixels of the level between two samples, also those of the greatest step of a cell with cubics. */
const SPACING = 1.7;
/** The steps up to which a pixel is one sample. */
const SINGLE = 1.05;
/** The most samples of a pixel along an axis. */
const MOST_SAMPLES = 12;

/** The most pages that a painter holds: 256 MB, which all columns of 20,000 pixels around a pole take, and 128 MB on phones. */
export function mostPages() {
  const isSmall = navigator.deviceMemory < 8 || matchMedia("(pointer: coarse)").matches;
  return isSmall ? 512 : 1024;
}

export class SphereMap {
  /** The position that was asked for last, from `base`, in pixels of the level. */
  x = 0;
  y = 0;
  /** Whether all columns are touched; known after `pages`. */
  isAround = false;

  /**
   * `facts` are those of the panorama, `size` is that of its picture, `radius` is that of the sphere in screen pixels,
   * and `screen` the size of the screen in them.
   */
  constructor(facts, size, level, look, radius, screen) {
    const { factor } = level;
    const [left, top, width, height] = facts.whole.map((length) => length / factor);
    this.level = level;
    this.radius = radius;
    this.screen = screen;
    this.isCylinder = facts.projection === "cylindrical";
    this.isCircle = size.width / factor >= width * (1 - 1e-9);
    const hasPoles = !this.isCylinder && this.isCircle;
    this.hasPole = { up: hasPoles && top >= -1e-6, down: hasPoles && top + height <= size.height / factor + 1e-6 };
    /** The size of the picture in pixels of the level: the last ones may be cut. */
    this.size = { width: size.width / factor, height: size.height / factor };
    this.whole = { width, height };
    this.scale = { x: width / (2 * Math.PI), y: this.isCylinder ? width / (2 * Math.PI) : height / Math.PI };
    const turn = inPicture(axes(look.yaw, look.pitch, look.roll), axes(0, facts.posePitch ?? 0, facts.poseRoll ?? 0));
    // Longitudes count from that of the middle: small numbers are precise, also in 32 bits.
    const ahead = turn[2];
    const longitude = Math.atan2(ahead[0], ahead[2]);
    const [cosine, sine] = [Math.cos(longitude), Math.sin(longitude)];
    /** The images of the axes to the right, up and ahead. */
    this.turn = turn.map(([x, y, z]) => [x * cosine - z * sine, y, z * cosine + x * sine]);
    const across = left + (longitude / (2 * Math.PI) + 0.5) * width;
    this.base = { x: this.isCircle ? across - Math.floor(across / width) * width : across, y: top + height / 2 };
  }

  /** Finds the position of a point of the screen, from `base`. */
  find(x, y) {
    const [right, up, ahead] = this.turn;
    const [a, b] = [(x - this.screen.width / 2) / this.radius, (this.screen.height / 2 - y) / this.radius];
    const dx = right[0] * a + up[0] * b + ahead[0];
    const dy = right[1] * a + up[1] * b + ahead[1];
    const dz = right[2] * a + up[2] * b + ahead[2];
    const across = Math.sqrt(dx * dx + dz * dz);
    this.x = Math.atan2(dx, dz) * this.scale.x;
    this.y = -(this.isCylinder ? dy / Math.max(across, 1e-9 * Math.abs(dy)) : Math.atan2(dy, across)) * this.scale.y;
  }

  /** Whether a position is in the picture, or continues it. */
  contains(x, y) {
    const [column, row] = [this.base.x + x, this.base.y + y];
    return (this.isCircle || (column >= 0 && column <= this.size.width)) && row >= 0 && row <= this.size.height;
  }

  /**
   * How the pixels of a cell are made, as the renderer decides it: from the positions of its four corners, between which
   * others are interpolated unless `isExact`, from how many samples, and whether cubics interpolate these.
   */
  cell(left, top) {
    const find = (x, y, other) => {
      this.find(left + x, top + y);
      const isOther = other && this.isCircle;
      return [isOther ? this.x - Math.round((this.x - other[0]) / this.whole.width) * this.whole.width : this.x, this.y];
    };
    const a = find(0, 0);
    const [b, c, d, e] = [find(CELL, 0, a), find(0, CELL, a), find(CELL, CELL, a), find(CELL / 2, CELL / 2, a)];
    const corners = [a, b, c, d];
    if (![...corners, e].every(([x, y]) => this.contains(x, y))) {
      return { corners, isExact: true, samples: [1, 1], isCubic: true };
    }
    const error = Math.max(
      Math.abs(e[0] - (a[0] + b[0] + c[0] + d[0]) / 4), Math.abs(e[1] - (a[1] + b[1] + c[1] + d[1]) / 4));
    // Each difference by itself: opposite sides of a pole are on either turn.
    const distance = (from, to) => {
      const across = to[0] - from[0];
      const turns = this.isCircle ? Math.round(across / this.whole.width) : 0;
      return Math.hypot(across - turns * this.whole.width, to[1] - from[1]);
    };
    const steps = [distance(a, b) + distance(c, d), distance(a, c) + distance(b, d)].map((sum) => sum / (2 * CELL));
    const isExact = this.#isAtEdge(corners) || error > TOLERANCE * Math.max(1, Math.min(...steps));
    return { corners, isExact, samples: steps.map(samplesOf), isCubic: Math.max(...steps) <= SPACING };
  }

  /** Whether corners are at the upper or the lower edge of the picture, or where its ends meet. */
  #isAtEdge(corners) {
    const rows = corners.map(([, y]) => this.base.y + y);
    if (Math.min(...rows) < MARGIN || Math.max(...rows) > this.size.height - MARGIN) return true;
    const columns = corners.map(([x]) => this.base.x + x);
    const turn = (x) => Math.floor(x / this.whole.width);
    return this.isAround && turn(Math.min(...columns) - MARGIN) !== turn(Math.max(...columns) + MARGIN);
  }

  get pagesAcross() { return Math.ceil(this.level.width / SIDE); }
  get pagesDown() { return Math.ceil(this.level.height / SIDE); }

  /** The numbers of the pages that are touched, row by row. */
  pages() {
    const found = new Set();
    const [columns, rows] = [Math.ceil(this.screen.width / STEP), Math.ceil(this.screen.height / STEP)];
    let above = this.#line(columns, 0);
    for (let row = 1; row <= rows; row++) {
      const below = this.#line(columns, row);
      for (let column = 0; column < columns; column++) {
        this.#touch([above[column], above[column + 1], below[column], below[column + 1]], found);
      }
      above = below;
    }
    return found;
  }

  #line(columns, row) {
    return Array.from({ length: columns + 1 }, (_, column) => {
      this.find(column * STEP, row * STEP);
      return [this.base.x + this.x, this.base.y + this.y];
    });
  }

  /** Adds the pages between the positions of four corners. */
  #touch(corners, found) {
    const { width } = this.whole;
    const columns = corners.map(([x]) => x - Math.round((x - corners[0][0]) / width) * width);
    const rows = corners.map(([, y]) => y);
    let [left, right] = [Math.min(...columns), Math.max(...columns)];
    let [top, bottom] = [Math.min(...rows), Math.max(...rows)];
    // Columns between corners are between theirs; rows may come nearer to a pole, by a part of the distance of corners.
    const slack = 0.1 * (bottom - top) + (0.15 * STEP * this.scale.y) / this.radius + MARGIN;
    [top, bottom] = [top - slack, bottom + slack];
    // Around a pole are all columns.
    if (right - left > width / 8 || (this.isCircle && (top < 0 || bottom > this.size.height))) {
      [left, right] = [0, this.level.width];
      this.isAround = this.isCircle;
      if (top < this.size.height / 4) top = 0;
      if (bottom > (this.size.height * 3) / 4) bottom = this.size.height;
    } else {
      [left, right] = [left - MARGIN, right + MARGIN];
    }
    if (bottom < 0 || top > this.level.height || (!this.isCircle && (right < 0 || left > this.level.width))) return;
    const across = this.pagesAcross;
    const last = Math.min(this.pagesDown - 1, Math.floor(bottom / SIDE));
    const add = (from, to) => {
      for (let row = Math.max(0, Math.floor(top / SIDE)); row <= last; row++) {
        for (let column = Math.max(0, Math.floor(from / SIDE)); column <= Math.min(across - 1, Math.floor(to / SIDE)); column++) {
          found.add(row * across + column);
        }
      }
    };
    if (!this.isCircle) return add(left, right);
    const columnsOfLevel = this.level.width;
    const turns = Math.floor(left / columnsOfLevel) * columnsOfLevel;
    add(left - turns, right - turns);
    if (right - turns >= columnsOfLevel) add(0, right - turns - columnsOfLevel);
  }
}

/** The samples of a pixel along an axis, whose step is given in pixels of the level. */
function samplesOf(step) {
  return step > SINGLE ? Math.min(Math.max(Math.ceil(step / SPACING), 2), MOST_SAMPLES) : 1;
}

/** The images of the axes to the right, up and ahead under a roll, then a pitch, then a yaw. */
function axes(yaw, pitch, roll) {
  const [cy, sy] = [Math.cos(yaw * RADIAN), Math.sin(yaw * RADIAN)];
  const [cp, sp] = [Math.cos(pitch * RADIAN), Math.sin(pitch * RADIAN)];
  const [cr, sr] = [Math.cos(roll * RADIAN), Math.sin(roll * RADIAN)];
  return [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(([x, y, z]) => {
    const [x1, y1] = [x * cr + y * sr, y * cr - x * sr];
    const [y2, z2] = [y1 * cp + z * sp, z * cp - y1 * sp];
    return [x1 * cy + z2 * sy, y2, z2 * cy - x1 * sy];
  });
}

/** A turn in the frame of the picture, whose camera was turned by a pose. */
function inPicture(turn, pose) {
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  return turn.map((axis) => pose.map((own) => dot(own, axis)));
}
