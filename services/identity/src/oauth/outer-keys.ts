/**
 * Public keys at addresses that organizations registered: of the issuers that their service
 * accounts trust, and of the accounts themselves. Fetched under the rule of all registered
 * addresses (kernel/guard), and kept for ten minutes.
 */
import type { GuardedFetch } from '@tessera/kernel/guard';
import { type CryptoKey, createLocalJWKSet, errors, type JSONWebKeySet, type JWSHeaderParameters } from 'jose';
import { LRUCache } from 'lru-cache';
import { usableKeys } from '../apps/domain/service-keys.ts';
import type { Jwks } from '../ground/domain/project-app.ts';

/**
 * Where the keys are: at an address, or where the discovery of an issuer says. `ownerId`: the
 * organization whose account names it.
 */
export type KeyPlace = ({ readonly jwksUri: string } | { readonly issuer: string }) & { readonly ownerId: string };

/** They cannot be read. The message is for the log of the organization. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

export type OuterKeys = {
  /**
   * The key of a signature. Undefined when the place has none of this id: it has then been asked
   * again, once a minute at most. Throws `KeysUnavailable`.
   */
  find(place: KeyPlace, header: JWSHeaderParameters, now: Date): Promise<CryptoKey | undefined>;
};

const keptMs = 600_000;
/** How often a place is asked again, for an id that is not there or after a failure. */
const againMs = 60_000;
const afterFailureMs = 5_000;
const mostPlaces = 500;
const mostKeys = 50;

type Keys = ReturnType<typeof createLocalJWKSet>;
type Entry = {
  ownerId: string;
  keys?: Keys;
  failure?: KeysUnavailable;
  readAtMs: number;
  askedAtMs: number;
  loading?: Promise<void> | undefined;
};

export function createOuterKeys(fetch: GuardedFetch): OuterKeys {
  // Organizations share an entry: many trust the same issuer.
  const entries = new LRUCache<string, Entry>({ max: mostPlaces });

  /**
   * The organization with the most places loses the one that it used longest ago, so that none
   * pushes out those of others.
   */
  function makeRoom(): void {
    if (entries.size < mostPlaces) return;
    const oldestOf = new Map<string, { readonly name: string; places: number }>();
    entries.rforEach(({ ownerId }, name) => {
      const owner = oldestOf.get(ownerId);
      if (owner === undefined) oldestOf.set(ownerId, { name, places: 1 });
      else owner.places += 1;
    });
    const [largest] = [...oldestOf.values()].toSorted((one, other) => other.places - one.places);
    if (largest !== undefined) entries.delete(largest.name);
  }

  function entryOf(place: KeyPlace): Entry {
    const { ownerId } = place;
    const name = 'issuer' in place ? `issuer ${place.issuer}` : `keys ${place.jwksUri}`;
    const known = entries.get(name);
    if (known !== undefined) return Object.assign(known, { ownerId });
    makeRoom();
    const entry = { ownerId, readAtMs: -Infinity, askedAtMs: -Infinity };
    entries.set(name, entry);
    return entry;
  }

  /** One request at a time for a place, however many wait for it. */
  async function load(place: KeyPlace, entry: Entry, now: Date): Promise<void> {
    entry.askedAtMs = now.getTime();
    entry.loading ??= read(fetch, place)
      .then(
        (keys) => void Object.assign(entry, { keys, failure: undefined, readAtMs: now.getTime() }),
        (error: unknown) => void Object.assign(entry, { failure: error instanceof KeysUnavailable ? error : unavailable(place) }),
      )
      .finally(() => void Object.assign(entry, { loading: undefined }));
    await entry.loading;
  }

  return {
    async find(place, header, now) {
      const entry = entryOf(place);
      const passed = (since: number) => now.getTime() - since;
      if (passed(entry.readAtMs) >= keptMs && (entry.failure === undefined || passed(entry.askedAtMs) >= afterFailureMs))
        await load(place, entry, now);
      const isOld = () => passed(entry.readAtMs) >= keptMs;
      if (entry.keys === undefined || isOld()) throw entry.failure ?? unavailable(place);
      const found = await pick(entry.keys, header);
      if (found !== undefined || passed(entry.askedAtMs) < againMs) return found;
      await load(place, entry, now);
      return pick(entry.keys, header);
    },
  };
}

function unavailable(place: KeyPlace): KeysUnavailable {
  return new KeysUnavailable('issuer' in place ? 'the keys of the issuer cannot be read' : 'the keys at jwksUri cannot be read');
}

/** By the id and the algorithm. Of several without an id none is taken. */
async function pick(keys: Keys, header: JWSHeaderParameters): Promise<CryptoKey | undefined> {
  try {
    return await keys(header);
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) return undefined;
    throw error;
  }
}

/** The key of a set that is known. */
export function findKey(jwks: Jwks, header: JWSHeaderParameters): Promise<CryptoKey | undefined> {
  return pick(createLocalJWKSet(asKeySet(jwks)), header);
}

async function read(fetch: GuardedFetch, place: KeyPlace): Promise<Keys> {
  const address = 'issuer' in place ? await discover(fetch, place.issuer) : place.jwksUri;
  const { keys } = await readObject(fetch, address, unavailable(place).message);
  if (!Array.isArray(keys) || !keys.every(isObject)) throw new KeysUnavailable('what stands at the address of the keys is no key set');
  if (keys.length > mostKeys) throw new KeysUnavailable(`the key set has more than ${mostKeys} keys`);
  return createLocalJWKSet(asKeySet({ keys: usableKeys(keys) }));
}

/** OpenID Connect Discovery 1.0 section 4: an issuer speaks for itself only. */
async function discover(fetch: GuardedFetch, issuer: string): Promise<string> {
  const what = 'the discovery document of the issuer cannot be read';
  const document = await readObject(fetch, `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, what);
  if (document['issuer'] !== issuer) throw new KeysUnavailable('the discovery document names another issuer');
  const { jwks_uri: address } = document;
  if (typeof address !== 'string' || !URL.canParse(address)) throw new KeysUnavailable('the discovery document names no address of keys');
  return address;
}

async function readObject(fetch: GuardedFetch, address: string, what: string): Promise<Readonly<Record<string, unknown>>> {
  const value: unknown = await fetch(address, { headers: { accept: 'application/json' } })
    .then((response) => (response.status === 200 ? response.json() : undefined))
    .catch(() => undefined);
  if (!isObject(value)) throw new KeysUnavailable(what);
  return value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Each was checked by `usableKeys`, or when it was registered. */
function asKeySet(jwks: Jwks): JSONWebKeySet {
  return { keys: jwks.keys.map((key) => ({ ...key, kty: String(key['kty']) })) };
}
