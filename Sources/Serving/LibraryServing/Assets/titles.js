// Titles of entries and assets, with the reader's locale for dates.

const utc = (options) => new Intl.DateTimeFormat(undefined, { timeZone: "UTC", ...options });
const FORMATS = {
  year: utc({ year: "numeric" }),
  month: utc({ month: "long", year: "numeric" }),
  week: utc({ day: "numeric", month: "long", year: "numeric" }),
  day: utc({ weekday: "long", day: "numeric", month: "long", year: "numeric" }),
  hour: utc({ weekday: "long", day: "numeric", month: "long", year: "numeric", hour: "numeric" }),
};
/** For headings that have little space. */
const SHORT = {
  year: FORMATS.year,
  month: utc({ month: "short", year: "numeric" }),
  week: utc({ day: "numeric", month: "short", year: "numeric" }),
  day: utc({ day: "numeric", month: "short", year: "numeric" }),
  hour: utc({ day: "numeric", month: "short", hour: "numeric" }),
};
/** For headings of a single tile of a phone. */
const TINY = {
  year: FORMATS.year, month: SHORT.month, week: utc({ day: "numeric", month: "short" }), day: utc({ day: "numeric", month: "short" }),
  hour: utc({ day: "numeric", month: "numeric", hour: "numeric" }),
};
const MOMENT = utc({ dateStyle: "long", timeStyle: "short" });
const DAY = 86_400_000;
/** The space of a long title, and of a short one, in points. */
const LONG = { year: 0, month: 120, week: 290, day: 280, hour: 340 };
const BRIEF = 100;
const numbers = new Intl.NumberFormat();

/**
 * The title of an entry by its key: 2014, 201405, 20140519 or 2014052510, the name of a place, or null for assets without
 * one; shorter where the space, in points, is too small for a long one. Zeros stand for an unknown month or day: 201400.
 */
export function entryTitle(by, key, space = Infinity) {
  if (key === null && by === "place") return "No place";
  if (key === null) return "Undated";
  if (by === "all") return "";
  if (by === "year" || by === "place") return String(key);
  const date = dateOf(key);
  const known = knownOf(key) ?? by;
  const isShort = space < LONG[known];
  if (known === "week" && !isShort) return FORMATS.week.formatRange(date, new Date(date.getTime() + 6 * DAY));
  return (space < BRIEF ? TINY : isShort ? SHORT : FORMATS)[known].format(date);
}

/** The month of an entry, for the date scrubber. */
export function monthTitle(key) {
  return key === null ? "Undated" : String(key).length < 6 ? String(key) : FORMATS[knownOf(key) ?? "month"].format(dateOf(key));
}

/** The date at which an entry begins. */
function dateOf(key) {
  const digits = String(key);
  const part = (from, to, otherwise) => Number(digits.slice(from, to) || otherwise);
  return new Date(Date.UTC(part(0, 4), (part(4, 6, 1) || 1) - 1, part(6, 8, 1) || 1, part(8, 10, 0)));
}

/** "year" or "month" where the date of an entry has no more. */
function knownOf(key) {
  const [month, day] = [String(key).slice(4, 6), String(key).slice(6, 8)];
  return month === "00" ? "year" : day === "00" ? "month" : undefined;
}

export function countTitle(count) { return numbers.format(count); }

/** "3 photos"; pass the plural if it is not the word with an s. */
export function countOf(count, one, many = `${one}s`) { return `${countTitle(count)} ${count === 1 ? one : many}`; }

/** "2014-05-25T10:00:00", or less of it, in words: "2014-05-25", "2014-05", "2014". */
export function momentTitle(date) {
  const hasTime = date.length > 10;
  const format = hasTime ? MOMENT : date.length > 7 ? FORMATS.week : date.length > 4 ? FORMATS.month : FORMATS.year;
  return format.format(new Date(hasTime ? `${date}Z` : date));
}

/** The accessible name of an asset. */
export function assetTitle({ id, name, kind, date, panorama, stack }) {
  const others = stack ? `, ${stack.cover === id ? "cover" : "part"} of a stack of ${stack.files}` : "";
  return `${name}, ${panorama ? "panorama" : kind}, ${date ? momentTitle(date) : "undated"}${others}`;
}

/** "+2" for the cover of a stack of three files, "1/3" for those behind it. */
export function stackBadge({ id, stack }) { return stack.cover === id ? `+${stack.files - 1}` : `1/${stack.files}`; }

/** "1:05" of seconds. */
export function lengthTitle(seconds) {
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return `${minutes}:${String(rest).padStart(2, "0")}`;
}

/** "3.4 MB". */
export function bytesTitle(bytes) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return new Intl.NumberFormat(undefined, {
    style: "unit", unit: units[step], unitDisplay: "short", maximumFractionDigits: step > 0 && value < 10 ? 1 : 0,
  }).format(value);
}
