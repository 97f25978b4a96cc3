/** Windows of time: between two moments, at hours of the day, on days of the week. */
const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const momentPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;
const clockPattern = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const minutesOfDay = 1_440;

type Window = (timeMs: number) => boolean;

function readMoment(value: unknown): number | undefined {
  const time = typeof value === 'string' && momentPattern.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
function readClock(value: unknown): number | undefined {
  if (typeof value !== 'string' || !clockPattern.test(value)) return undefined;
  return Number(value.slice(0, 2)) * 60 + Number(value.slice(3));
}
function readDays(value: unknown): readonly number[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const found = value.map((name) => days.indexOf(name));
  return found.includes(-1) ? undefined : [...new Set(found)];
}
/** A format takes 30 kB, and requests may bring thousands of windows. A zone has many spellings. */
const zones = new Map<string, Intl.DateTimeFormat>();
const mostZones = 200;

/** Reads weekday, hour and minute in a time zone; undefined for an unknown zone. */
function readZone(value: unknown): Intl.DateTimeFormat | undefined {
  if (typeof value !== 'string') return undefined;
  const known = zones.get(value);
  if (known !== undefined) return known;
  try {
    const parts = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    const zone = new Intl.DateTimeFormat('en-US', { ...parts, timeZone: value });
    if (zones.size === mostZones) zones.clear();
    zones.set(value, zone);
    return zone;
  } catch {
    return undefined;
  }
}

const readers = { after: readMoment, before: readMoment, from: readClock, to: readClock, days: readDays, timeZone: readZone };

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A part that is not there restricts nothing; one that can not be read makes no window. */
function parse(value: unknown): Window | undefined {
  if (!isRecord(value)) return undefined;
  const keys = Object.keys(value);
  if (!keys.some((key) => key !== 'timeZone') || !keys.every((key) => Object.hasOwn(readers, key))) return undefined;
  if (!keys.every((key) => readers[key as keyof typeof readers](value[key]) !== undefined)) return undefined;
  const [after = -Infinity, before = Infinity] = [readMoment(value['after']), readMoment(value['before'])];
  const [from, to] = [readClock(value['from']), readClock(value['to'])];
  if ((from === undefined) !== (to === undefined) || (from !== undefined && from === to)) return undefined;
  const onDays = readDays(value['days']);
  const isBetween: Window = (timeMs) => timeMs >= after && timeMs < before;
  if (from === undefined && onDays === undefined) return isBetween;
  const zone = readZone(value['timeZone'] ?? 'UTC');
  return zone && ((timeMs) => isBetween(timeMs) && recurs(zone, timeMs, from ?? 0, to ?? minutesOfDay, onDays));
}

/** A window over midnight belongs to the day on which it begins. */
function recurs(zone: Intl.DateTimeFormat, timeMs: number, from: number, to: number, onDays: readonly number[] | undefined): boolean {
  const parts = Object.fromEntries(zone.formatToParts(timeMs).map(({ type, value }) => [type, value]));
  const minute = Number(parts['hour']) * 60 + Number(parts['minute']);
  const day = days.indexOf(parts['weekday'] ?? '');
  const isOverMidnight = from > to;
  const isPastMidnight = isOverMidnight && minute < to;
  const isAtHour = isOverMidnight ? minute >= from || isPastMidnight : minute >= from && minute < to;
  return isAtHour && (onDays === undefined || onDays.includes(isPastMidnight ? (day + 6) % 7 : day));
}

/** Making a time zone's format costs a hundred times what its use does. */
const windows = new WeakMap<object, { readonly window: Window | undefined }>();

function windowOf(value: unknown): Window | undefined {
  if (!isRecord(value)) return undefined;
  const known = windows.get(value);
  if (known !== undefined) return known.window;
  const window = parse(value);
  windows.set(value, { window });
  return window;
}

export function isTimeWindow(value: unknown): boolean {
  return windowOf(value) !== undefined;
}

/** Whether a moment, as ISO 8601 writes it, lies in the window. */
export function isWithin(moment: string, window: unknown): boolean {
  const time = readMoment(moment);
  return time !== undefined && windowOf(window)?.(time) === true;
}
