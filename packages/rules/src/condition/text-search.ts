/** Up to here the engine's own search is quick, whatever the texts are. */
const quickProduct = 100_000;

/** How much of the part ends at each of its characters and begins it, too. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  for (let at = 1; at < part.length; at += 1) borders[at] = longer(part, borders, borders[at - 1] ?? 0, part.charCodeAt(at));
  return borders;
}

function longer(part: string, borders: Uint32Array, known: number, next: number): number {
  let border = known;
  while (border > 0 && part.charCodeAt(border) !== next) border = borders[border - 1] ?? 0;
  return part.charCodeAt(border) === next ? border + 1 : border;
}

/**
 * `text.includes(part)`, in a time that grows with the sum of both lengths (Knuth, Morris, Pratt):
 * the engine's own search can take as long as their product.
 */
export function includesText(text: string, part: string): boolean {
  if (text.length * part.length <= quickProduct) return text.includes(part);
  if (part.length > text.length) return false;
  const borders = bordersOf(part);
  let found = 0;
  for (let at = 0; at < text.length; at += 1) {
    found = longer(part, borders, found, text.charCodeAt(at));
    if (found === part.length) return true;
  }
  return false;
}
