/** JSON of one object a line, read as a stream: memory does not grow with the file. */
import { type Entry, invalid, isEntry, type Row } from './person.ts';

export const mostLineBytes = 512 * 1024;
const lineFeed = 10;

type Line = { readonly line: number; readonly bytes: number; readonly text: Buffer | undefined };

/** The lines that are not empty. One that is too long has no text. */
export async function* linesOf(source: AsyncIterable<Buffer>): AsyncIterable<Line> {
  let [line, bytes, length] = [1, 0, 0];
  let parts: Buffer[] = [];
  const take = (): Line => {
    const text = length > mostLineBytes ? undefined : Buffer.concat(parts);
    parts = [];
    length = 0;
    return { line, bytes, text };
  };
  const keep = (part: Buffer) => {
    length += part.length;
    if (length <= mostLineBytes) parts.push(part);
    else parts = [];
  };
  for await (const chunk of source) {
    let from = 0;
    for (let at = chunk.indexOf(lineFeed, from); at !== -1; at = chunk.indexOf(lineFeed, from)) {
      keep(chunk.subarray(from, at));
      bytes += at + 1 - from;
      if (length > 0) yield take();
      line += 1;
      from = at + 1;
    }
    keep(chunk.subarray(from));
    bytes += chunk.length - from;
  }
  if (length > 0) yield take();
}

export type Convert = (entry: Entry) => Row['found'];

export async function* rowsOfNdjson(source: AsyncIterable<Buffer>, convert: Convert): AsyncIterable<Row> {
  for await (const { line, bytes, text } of linesOf(source)) {
    if (text === undefined) yield { line, bytes, found: invalid(`the line is longer than ${mostLineBytes} bytes`) };
    else {
      const found = read(text, convert);
      if (found !== undefined) yield { line, bytes, found };
    }
  }
}

/** Undefined for a line of white space. The decoder takes a byte order mark away. */
function read(bytes: Buffer, convert: Convert): Row['found'] | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
  } catch {
    return invalid('the line is not UTF-8');
  }
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isEntry(value) ? convert(value) : invalid('the line is no JSON object');
  } catch {
    // The message of the parser shows the text, which may be a hash.
    return invalid('the line is no JSON');
  }
}
