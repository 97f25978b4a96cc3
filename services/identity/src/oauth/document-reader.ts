/**
 * Reads the documents of clients, under the rule of all registered addresses (kernel/guard), and
 * not more often than a stranger may make us.
 */
import type { GuardedFetch } from '@tessera/kernel/guard';
import { LRUCache } from 'lru-cache';
import { type ClientDocument, DocumentFault, readDocument } from '../apps/domain/client-document.ts';
import type { Cache } from '../ground/cache/cache.ts';

export type DocumentRead = { readonly document: ClientDocument; readonly freshSeconds: number };

/** It cannot be read now; what was read before may still count for a while. */
export class DocumentUnavailable extends Error {
  override readonly name = 'DocumentUnavailable';
}

export type DocumentReader = {
  /**
   * `address` is one that the project lets in. Throws `DocumentFault` when the document is none, or
   * none that counts, and `DocumentUnavailable`. `askedFrom`: the client address of a request for
   * a document that is not kept. Kept ones become old once a minute at most: strangers who use up
   * what a host is asked must not keep them from being read again.
   */
  read(address: URL, askedFrom: string | undefined): Promise<DocumentRead>;
};

const longestDocument = 65_536;
const [leastFreshSeconds, mostFreshSeconds] = [60, 3_600];
/** What failed is not asked for again at once; the caller keeps what was read. */
const [successMs, failureMs, underWayMs] = [500, 10_000, 30_000];
const mostRecent = 1_000;
const windowSeconds = 60;
const mostOfHost = 30;
const mostFromAddress = 20;

type Options = { readonly fetch: GuardedFetch; readonly counters: Pick<Cache, 'increment'> };

export function createDocumentReader({ fetch, counters }: Options): DocumentReader {
  const recent = new LRUCache<string, Promise<DocumentRead>>({ max: mostRecent });

  async function assertNotTooOften({ host }: URL, askedFrom: string | undefined): Promise<void> {
    if (askedFrom === undefined) return;
    const counts = await Promise.all([
      counters.increment(`client-document:host:${host}`, 1, windowSeconds),
      counters.increment(`client-document:from:${askedFrom}`, 1, windowSeconds),
    ]);
    const [ofHost = 0, fromAddress = 0] = counts;
    if (ofHost > mostOfHost || fromAddress > mostFromAddress)
      throw new DocumentUnavailable('too many documents were asked for: wait a minute');
  }

  async function fetchDocument(address: URL): Promise<DocumentRead> {
    const response = await fetch(address, { headers: { accept: 'application/json' } }).catch((cause: unknown) => {
      throw new DocumentUnavailable('the address of the document does not answer, or answers too much or too slowly', { cause });
    });
    const { status } = response;
    if (status >= 500 || status === 429) throw new DocumentUnavailable(`the address of the document answers ${status}`);
    if (status !== 200) throw new DocumentFault(`the address of the document answers ${status} instead of 200`);
    const type = response.headers.get('content-type') ?? '';
    if (!/^application\/([a-z0-9.-]+\+)?json\s*(;|$)/i.test(type)) throw new DocumentFault('the document must be application/json');
    const bytes = await response.arrayBuffer();
    if (bytes.byteLength > longestDocument) throw new DocumentFault(`the document must not exceed ${longestDocument} bytes`);
    return { document: readDocument(new TextDecoder().decode(bytes), address), freshSeconds: freshSecondsOf(response.headers) };
  }

  return {
    async read(address, askedFrom) {
      const { href } = address;
      const known = recent.get(href);
      if (known !== undefined) return known;
      const read = assertNotTooOften(address, askedFrom).then(() => fetchDocument(address));
      // Requests at once ask the host once.
      recent.set(href, read, { ttl: underWayMs });
      read.then(
        () => recent.set(href, read, { ttl: successMs }),
        () => recent.set(href, read, { ttl: failureMs }),
      );
      return read;
    },
  };
}

/** As the host says (RFC 9111 section 5.2.2), within bounds of ours. */
function freshSecondsOf(headers: Headers): number {
  const [, seconds] = /(?:^|,)\s*max-age\s*=\s*(\d{1,9})/i.exec(headers.get('cache-control') ?? '') ?? [];
  return Math.min(Math.max(Number(seconds ?? 0), leastFreshSeconds), mostFreshSeconds);
}
