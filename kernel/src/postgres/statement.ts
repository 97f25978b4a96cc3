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

/** For administration and generated text: parsed anew each time. */
export function sql(text: string): Statement {
  return { text };
}
