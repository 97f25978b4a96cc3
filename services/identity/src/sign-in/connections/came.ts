/** What a provider said of a person, as an administrator reads it. */
import type { Came } from '../../ground/domain/connection-test.ts';

const [mostNames, mostValues, longestName, longestValue, mostCharacters] = [100, 50, 200, 500, 40_000];

/** Of the protocol alone: they say nothing of the person, and some belong to one answer. */
export const ofProtocol = new Set(['nonce', 'at_hash', 'c_hash', 's_hash', 'jti', 'sid']);
export const secretName = /token|secret|password|credential|assertion/i;
export const tokenShape = /\bey[\w-]{6,}\.[\w-]{6,}(\.[\w-]*)*/g;

/** Bounded in all. What is or looks like a credential is not among it. */
export function cameOf(said: Readonly<Record<string, unknown>>): Came[] {
  const came: Came[] = [];
  let characters = 0;
  for (const [name, value] of Object.entries(said)) {
    if (ofProtocol.has(name) || name.length > longestName) continue;
    const all = secretName.test(name) ? ['…'] : [value].flat().map(textOf);
    const values = all.slice(0, mostValues).map((text) => text.slice(0, longestValue));
    const isCut = all.length > mostValues || all.some((text) => text.length > longestValue);
    characters += values.reduce((sum, { length }) => sum + length, name.length);
    if (came.length === mostNames || characters > mostCharacters) return came;
    came.push({ name, values, isCut });
  }
  return came;
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  // Postgres cannot keep NUL.
  return text.replaceAll('\0', '').replace(tokenShape, '…');
}
