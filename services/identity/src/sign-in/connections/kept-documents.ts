/**
 * What an identity provider publishes of itself (discovery document, key set), by its address. It
 * is read again when it is no longer fresh, and used for a day while that fails: an outage of what
 * a provider publishes ends no sign-in.
 */
import { LRUCache } from 'lru-cache';
import type { DocumentStore, KeptDocument } from '../storage/provider-documents.ts';

type Kept<Document> = KeptDocument & { readonly document: Document };

export type KeptDocuments<Document> = {
  /** Throws what `read` throws, where nothing of the last day is known. */
  get(address: string): Promise<Document>;
  /** Reads it now, and throws what `read` throws. What is kept stays when that fails. */
  renew(address: string): Promise<Document>;
  /** Reads it now, once a minute at most: undefined when it was asked for within the last one. */
  again(address: string): Promise<Document | undefined>;
};

type Options<Document> = {
  readonly kind: string;
  readonly freshMs: number;
  readonly read: (address: string) => Promise<Document>;
  readonly store: DocumentStore;
  readonly clock: () => number;
  /** Of the store: it only helps, and is not waited for. */
  readonly failed: (error: unknown) => void;
};

const longestMs = 86_400_000;
/** A provider that does not answer is not waited for at each sign-in. */
const pauseMs = 60_000;
const mostCharacters = 20_000_000;
const mostAddresses = 1_000;

export function createKeptDocuments<Document extends object>(options: Options<Document>): KeptDocuments<Document> {
  const { kind, freshMs, read, store, clock, failed } = options;
  const known = new LRUCache<string, Kept<Document>>({
    max: mostAddresses,
    maxSize: mostCharacters,
    sizeCalculation: ({ document }) => JSON.stringify(document).length,
  });
  const askedAtMs = new LRUCache<string, number>({ max: mostAddresses });
  const loading = new Map<string, Promise<Document>>();

  const ageOf = (kept: Kept<Document> | undefined) => (kept === undefined ? Number.POSITIVE_INFINITY : clock() - kept.readAtMs);
  const wasJustAsked = (address: string) => clock() - (askedAtMs.get(address) ?? Number.NEGATIVE_INFINITY) < pauseMs;

  async function load(address: string): Promise<Document> {
    askedAtMs.set(address, clock());
    const kept = { document: await read(address), readAtMs: clock() };
    known.set(address, kept);
    await store.keep(kind, address, kept).catch(failed);
    return kept.document;
  }

  /** One request at a time for an address, however many wait for it. */
  function renew(address: string): Promise<Document> {
    const under = loading.get(address);
    if (under !== undefined) return under;
    const begun = load(address).finally(() => loading.delete(address));
    loading.set(address, begun);
    return begun;
  }

  /** What this process has read, or what another one has read later. */
  async function newestOf(address: string): Promise<Kept<Document> | undefined> {
    const own = known.get(address);
    // Only `keep` writes there, so it has the type that was read.
    const shared = (await store.find(kind, address).catch(failed)) as Kept<Document> | undefined;
    if (shared === undefined || ageOf(shared) >= ageOf(own)) return own;
    known.set(address, shared);
    return shared;
  }

  return {
    renew,
    async get(address) {
      const own = known.get(address);
      if (own !== undefined && ageOf(own) < freshMs) return own.document;
      const newest = await newestOf(address);
      if (newest !== undefined && ageOf(newest) < freshMs) return newest.document;
      const usable = ageOf(newest) < longestMs ? newest : undefined;
      if (usable !== undefined && wasJustAsked(address)) return usable.document;
      try {
        return await renew(address);
      } catch (error) {
        if (usable !== undefined) return usable.document;
        throw error;
      }
    },
    async again(address) {
      return wasJustAsked(address) ? loading.get(address) : renew(address);
    },
  };
}
