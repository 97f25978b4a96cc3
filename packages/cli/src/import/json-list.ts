/** One JSON document with a list of people, read object by object. */
import { Failure } from '../failure.ts';
import { type Entry, isEntry } from './person.ts';

const mostUserLength = 512 * 1024;

type Found = {
  /** Undefined when it is no JSON. */
  readonly entry: Entry | undefined;
  readonly line: number;
  readonly bytes: number;
};

type Export = {
  /** The key of the list in the document's own object. */
  readonly list: string;
  readonly system: string;
};

/** The objects of that list: memory does not grow with the document. */
export async function* entriesOf(source: AsyncIterable<Buffer>, { list, system }: Export): AsyncIterable<Found> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [line, bytes, depth, startedAt] = [1, 0, 0, 1];
  let [isText, isEscaped, isInUsers] = [false, false, false];
  /** The last text at the top of the document: the key, when a list begins. */
  let key = '';
  let user: string | undefined;
  let isFound = false;
  for await (const chunk of source) {
    bytes += chunk.length;
    const text = decode(decoder, chunk, line);
    // Where the part of a user begins that is not in `user` yet.
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at];
      if (character === '\n') line += 1;
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (character === '\\') isEscaped = true;
        else if (character === '"') isText = false;
        if (isText && depth === 1 && key.length < 100) key += character;
      } else if (character === '"') {
        isText = true;
        if (depth === 1) key = '';
      } else if (character === '{' || character === '[') {
        depth += 1;
        if (depth === 2 && character === '[' && key === list) isInUsers = isFound = true;
        else if (depth === 3 && isInUsers && character === '{') [user, startedAt, from] = ['', line, at];
      } else if (character === '}' || character === ']') {
        depth -= 1;
        if (depth === 2 && user !== undefined) {
          yield { entry: entryOf(user + text.slice(from, at + 1)), line: startedAt, bytes };
          user = undefined;
        } else if (depth === 1) isInUsers = false;
      }
    }
    if (user !== undefined) user += text.slice(from);
    if (user !== undefined && user.length > mostUserLength)
      throw new Failure(`Line ${startedAt}: a user is longer than ${mostUserLength} characters.`);
  }
  if (user !== undefined || depth !== 0) throw new Failure(`Line ${line}: the file ends in the middle of the document.`);
  if (!isFound) throw new Failure(`This is no export of ${system}: it has no list ${JSON.stringify(list)}.`);
}

function decode(decoder: InstanceType<typeof TextDecoder>, chunk: Buffer, line: number): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch (cause) {
    throw new Failure(`After line ${line}: the file is not UTF-8.`, undefined, { cause });
  }
}

function entryOf(text: string): Entry | undefined {
  const value = parseJson(text);
  return isEntry(value) ? value : undefined;
}

/** Undefined for what is no JSON: the message of the parser shows the text, which may be a hash. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
