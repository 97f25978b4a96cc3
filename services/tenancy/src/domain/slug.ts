const maxLength = 60;

/**
 * 'Größe & Söhne' → 'grosse-sohne'. A name without any letter or digit of ASCII gets `fallback`.
 */
export function deriveSlug(name: string, fallback: string): string {
  const slug = name
    .normalize('NFKD')
    .replaceAll('ß', 'ss')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxLength)
    .replace(/^-+|-+$/g, '');
  return slug === '' ? fallback : slug;
}

/**
 * The slugs to try, in order: the slug itself, then with a small number, at last with the random
 * end of the row's own id, which is unique. All transactions try in the same order, so two that
 * wait for each other's rows cannot deadlock.
 */
export function* slugCandidates(slug: string, id: string): Generator<string> {
  yield slug;
  for (let number = 2; number <= 5; number++) yield `${slug}-${number}`;
  yield `${slug}-${id.slice(-12)}`;
}
