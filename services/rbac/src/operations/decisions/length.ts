import { failures } from '@tessera/kernel/errors';

const lengths = new WeakMap<object, number>();

/** In characters of JSON, about. What is repeated is measured once. */
export function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  const known = lengths.get(value);
  if (known !== undefined) return known;
  const { length } = JSON.stringify(value);
  lengths.set(value, length);
  return length;
}

/** How many more characters an explanation may have. */
export type Room = { left: number };

export function newRoom(): Room {
  return { left: 8 * 1_024 * 1_024 };
}

/** The names around a value. */
const frameLength = 50;

/** Refuses an explanation that grows too large: comparisons repeat the values that they read. */
export function takeRoom(room: Room, ...values: readonly unknown[]): void {
  for (const value of values) {
    room.left -= lengthOf(value) + frameLength;
    if (room.left < 0) throw failures.answerTooLarge();
  }
}
