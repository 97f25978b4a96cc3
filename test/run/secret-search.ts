/** The last step of a run: nothing that it left behind holds a secret that it handled. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EvidenceKind, evidenceKinds, type Secret, type SecretKind, secretKinds } from '../support/evidence.ts';

export type Searched = {
  readonly secrets: Readonly<Record<SecretKind, number>>;
  readonly bytes: Readonly<Record<EvidenceKind, number>>;
  /** Which secret stands in which kind of evidence, and what stands before it. */
  readonly finds: readonly string[];
};

type Pattern = { readonly bytes: Buffer; readonly secret: Secret };

const mostFinds = 20;
const shownBefore = 60;

export function searchSecrets(folder: string): Searched {
  const names = readdirSync(folder);
  const read = (kind: string) => names.filter((name) => name.startsWith(`${kind}.`)).map((name) => readFileSync(join(folder, name)));
  const lines = read('secrets').flatMap((file) => file.toString('utf8').trimEnd().split('\n'));
  const secrets = [...new Map(lines.map((line): [string, Secret] => [line, JSON.parse(line)])).values()];
  const index = indexOf([...secrets, pem]);
  const bytes = countsOf(evidenceKinds);
  const finds: string[] = [];
  for (const kind of evidenceKinds)
    for (const text of read(kind)) {
      bytes[kind] += text.length;
      for (const { secret, at } of search(text, index, mostFinds - finds.length)) {
        const before = text.toString('utf8', Math.max(0, at - shownBefore), at).replaceAll('\n', '⏎');
        finds.push(`${secret.kind} of ${secret.value.length} characters in a ${kind}, after: …${before}`);
      }
    }
  const counted = countsOf(secretKinds);
  for (const { kind } of secrets) counted[kind] += 1;
  return { secrets: counted, bytes, finds };
}

/** Whatever key it is. */
const pem: Secret = { kind: 'private key', value: 'PRIVATE KEY-----' };

function countsOf<Kind extends string>(kinds: readonly Kind[]) {
  return Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
}

/** As it is, as JSON and addresses write it, and in the encodings of bytes. */
function spellingsOf({ kind, value }: Secret): readonly string[] {
  const bytes = Buffer.from(value, kind === 'private key' ? 'base64url' : 'utf8');
  const texts = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)];
  return [...new Set([...texts, bytes.toString('hex'), bytes.toString('base64').replaceAll('=', ''), bytes.toString('base64url')])];
}

const bits = 20;
function slotOf(word: number) {
  return Math.imul(word, 0x9e3779b1) >>> (32 - bits);
}

type Index = { readonly slots: Uint8Array; readonly byStart: ReadonlyMap<number, readonly Pattern[]> };

/** By their first four bytes: most text is passed over at the cost of one look. */
function indexOf(secrets: readonly Secret[]): Index {
  const slots = new Uint8Array(1 << bits);
  const patterns = secrets.flatMap((secret) => spellingsOf(secret).map((spelling): Pattern => ({ bytes: Buffer.from(spelling), secret })));
  const byStart = Map.groupBy(patterns, ({ bytes }) => bytes.readInt32LE(0));
  for (const start of byStart.keys()) slots[slotOf(start)] = 1;
  return { slots, byStart };
}

function search(text: Buffer, { slots, byStart }: Index, most: number): readonly { readonly secret: Secret; readonly at: number }[] {
  const found: { secret: Secret; at: number }[] = [];
  let word = 0;
  for (let end = 0; end < text.length && found.length < most; end += 1) {
    word = (word >>> 8) | ((text[end] ?? 0) << 24);
    if (slots[slotOf(word)] === 0) continue;
    const at = Math.max(0, end - 3);
    const hit = byStart.get(word)?.find(({ bytes }) => text.subarray(at, at + bytes.length).equals(bytes));
    if (hit !== undefined) found.push({ secret: hit.secret, at });
  }
  return found;
}

/** What was searched, in a line; and why the run must not pass. */
export function judge(
  { secrets, bytes, finds }: Searched,
  isWholeRun: boolean,
): { readonly line: string; readonly faults: readonly string[] } {
  const parts = evidenceKinds.map((kind) => `${kind}s ${(bytes[kind] / 1e6).toFixed(1)} MB`);
  const counts = secretKinds.map((kind) => `${secrets[kind]} ${kind}${secrets[kind] === 1 ? '' : 's'}`);
  const empty = isWholeRun
    ? [...evidenceKinds.filter((kind) => bytes[kind] === 0), ...secretKinds.filter((kind) => secrets[kind] === 0)]
    : [];
  return {
    line: `Searched ${parts.join(', ')} for ${counts.join(', ')}`,
    faults: [...finds.map((find) => `A secret got out: ${find}`), ...empty.map((kind) => `Nothing to search: no ${kind} was kept`)],
  };
}
