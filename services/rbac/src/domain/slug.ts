/**
 * Derives a slug from a name: its letters and digits in lower case, joined by dashes; never empty.
 */
export function slugFrom(name: string): string {
  const slug = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'resource' : slug.slice(0, 80);
}
