// Titles of entries and assets, with the reader's locale for dates.

const utc = (options) => new Intl.DateTimeFormat(undefined, { timeZone: "UTC", ...options });
const FORMATS = {
  month: utc({ month: "long", year: "numeric" }),
  week: utc({ day: "numeric", month: "long", year: "numeric" }),
  day: utc({ weekday: "long", day: "numeric", month: "long", year: "numeric" }),
  hour: utc({ weekday: "long", day: "numeric", month: "long", year: "numeric", hour: "numeric" }),
};
const MOMENT = utc({ dateStyle: "long", timeStyle: "short" });
const DAY = 86_400_000;
const numbers = new Intl.NumberFormat();

/** The title of an entry by its key: 2014, 201405, 20140519 or 2014052510, or null for undated assets. */
export function entryTitle(by, key) {
  if (key === null) return "Undated";
  if (by === "all") return "";
  if (by === "year") return String(key);
  const date = dateOf(key);
  if (by === "week") return FORMATS.week.formatRange(date, new Date(date.getTime() + 6 * DAY));
  return FORMATS[by].format(date);
}

function dateOf(key) {
  const digits = String(key);
  const part = (from, to, otherwise) => Number(digits.slice(from, to) || otherwise);
  return new Date(Date.UTC(part(0, 4), part(4, 6, 1) - 1, part(6, 8, 1), part(8, 10, 0)));
}

export function countTitle(count) { return numbers.format(count); }

/** The accessible name of an asset. */
export function assetTitle({ name, kind, date }) {
  const when = date ? (date.length > 10 ? MOMENT : FORMATS.week).format(new Date(date.length > 10 ? `${date}Z` : date)) : "undated";
  return `${name}, ${kind}, ${when}`;
}

/** "1:05" of seconds. */
export function lengthTitle(seconds) {
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return `${minutes}:${String(rest).padStart(2, "0")}`;
}
