/** Requests of the doctor: bounded in time and size, and no redirect is followed. */
import type { Reading } from './clock.ts';
import { within } from './finding.ts';

export type Visit = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly reading: Reading;
};

export type Visitor = (path: string, headers?: Readonly<Record<string, string>>) => Promise<Visit>;

const mostBytes = 4 * 1024 * 1024;

export function createVisitor(url: string, timeoutMs: number): Visitor {
  return async (path, headers = {}) => {
    const askedMs = Date.now();
    const ended = new AbortController();
    const work = async (): Promise<Visit> => {
      const response = await fetch(url + path, { headers, redirect: 'manual', signal: ended.signal });
      const answeredMs = Date.now();
      const reading = { atMs: Date.parse(response.headers.get('date') ?? ''), askedMs, answeredMs, resolutionMs: 1_000 };
      return { status: response.status, headers: response.headers, text: await textOf(response), reading };
    };
    try {
      return await within(timeoutMs, work());
    } catch (error) {
      // `fetch failed` says nothing; its cause says why.
      const { cause } = error as { readonly cause?: unknown };
      throw cause ?? error;
    } finally {
      ended.abort();
    }
  };
}

async function textOf({ body }: Response): Promise<string> {
  if (body === null) return '';
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > mostBytes) throw new Error(`the answer is longer than ${mostBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The object of a JSON answer, and an empty one for all else. */
export function jsonOf({ text }: Visit): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
