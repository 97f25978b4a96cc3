const MAX_LENGTH = 60;

/** 'Größe & Söhne' → 'grosse-sohne'. A name without a single letter or digit that we can write gets `fallback`. */
export function deriveSlug(name: string, fallback: string): string {
  const slug = name
    .normalize('NFKD')
    .replaceAll('ß', 'ss')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, '');
  return slug === '' ? fallback : slug;
}

/**
 * What to try when a slug is taken: the next small numbers, and at last the random end of the row's own id, which nobody else has.
 * Everybody tries in the same order, so that two who wait for each other's rows can't form a circle.
 */
export function* slugCandidates(slug: string, id: string): Generator<string> {
  yield slug;
  for (let number = 2; number <= 5; number++) yield `${slug}-${number}`;
  yield `${slug}-${id.slice(-12)}`;
}
