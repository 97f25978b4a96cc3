/** What a list of ids gains and loses. */
export type Change = { readonly added: readonly string[]; readonly removed: readonly string[] };

export function changeOf(before: readonly string[], after: readonly string[]): Change {
  return { added: after.filter((id) => !before.includes(id)), removed: before.filter((id) => !after.includes(id)) };
}

export function isAny({ added, removed }: Change): boolean {
  return added.length + removed.length > 0;
}
