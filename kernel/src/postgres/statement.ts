import { createHash } from 'node:crypto';

/** One SQL text, written once as a module constant. A name makes it a prepared statement on every connection that runs it. */
export type Statement = { readonly name?: string; readonly text: string };

const named = new Map<string, string>();

/** Names are unique in a process: two texts under one name would run the wrong one on a warm connection. */
export function statement(name: string, text: string): Statement {
  const known = named.get(name);
  if (known !== undefined && known !== text) throw new Error(`Two SQL texts are named '${name}'.`);
  named.set(name, text);
  return Object.freeze({ name, text });
}

const prepared = new Map<string, Statement>();

/**
 * A text put together from constants, of which there are only so many: never from input. It is named by what it says, so that each
 * connection plans it once: planning costs several times what running does.
 */
export function composed(text: string): Statement {
  const known = prepared.get(text);
  if (known) return known;
  const made = statement(`c_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`, text);
  prepared.set(text, made);
  return made;
}

/** For administration and generated text: parsed anew each time. */
export function sql(text: string): Statement {
  return { text };
}
