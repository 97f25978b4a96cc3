import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type End, formatVersion, type Manifest, type SequenceValue, type TableHead } from './format.ts';

export type Part =
  | { readonly kind: 'manifest'; readonly manifest: Manifest }
  | { readonly kind: 'table'; readonly head: TableHead }
  /** As Postgres wrote it, in JSON. */
  | { readonly kind: 'row'; readonly row: string }
  | { readonly kind: 'sequence'; readonly sequence: SequenceValue }
  | { readonly kind: 'end'; readonly end: End };

/** Reads a backup from its beginning, and throws when it was cut off or changed. */
export async function* readBackup(file: string): AsyncGenerator<Part> {
  const hash = createHash('sha256');
  let end: End | undefined;
  for await (const line of linesOf(file)) {
    if (end !== undefined) throw new Error('The backup goes on after its end.');
    const [kind, text] = [line[0], line.slice(2)];
    if (kind === 'E') {
      end = JSON.parse(text) as End;
      if (end.sha256 !== hash.digest('hex')) throw new Error('The backup was changed after it was written: its digest differs.');
      yield { kind: 'end', end };
      continue;
    }
    hash.update(`${line}\n`);
    yield partOf(kind, text);
  }
  if (end === undefined) throw new Error('The backup is incomplete: its end is missing.');
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const unzipped = createGunzip().setEncoding('utf8');
  // The iteration below throws what the pipeline would report.
  pipeline(createReadStream(file), unzipped, () => undefined);
  let begun = '';
  for await (const chunk of unzipped) {
    const lines = `${begun}${chunk}`.split('\n');
    begun = lines.pop() ?? '';
    yield* lines;
  }
  if (begun !== '') throw new Error('The backup is incomplete: its last line is cut off.');
}

function partOf(kind: string | undefined, text: string): Part {
  if (kind === 'R') return { kind: 'row', row: text };
  if (kind === 'T') return { kind: 'table', head: JSON.parse(text) as TableHead };
  if (kind === 'S') return { kind: 'sequence', sequence: JSON.parse(text) as SequenceValue };
  if (kind !== 'M') throw new Error('This is no backup of Tessera.');
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format !== formatVersion) throw new Error(`The backup has format ${manifest.format}; this code reads ${formatVersion}.`);
  return { kind: 'manifest', manifest };
}
