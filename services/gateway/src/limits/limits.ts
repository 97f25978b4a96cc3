import type { Count, Counter } from '@tessera/kernel/quota';
import { limitKey, type TrustedProxies } from '../edge/address.ts';
import type { EdgeContext } from '../edge/context.ts';
import type { Caller, Callers } from './caller.ts';
import { type ClientRequest, clientOfBody, clientOfHeader } from './clients.ts';
import type { Layer, Layers } from './layers.ts';

export type LimitOptions = {
  readonly counter: Counter;
  readonly layers: Layers;
  readonly callers: Callers;
  /** Networks whose requests are not counted by address. */
  readonly isTrusted: TrustedProxies;
};

export type DirectoryRequest = { readonly authorization: string | undefined; readonly url: string };

/** The time until a retry can succeed, and the layer that lasts longest. */
export type Refusal = { readonly resetSeconds: number; readonly layer: Layer['name'] };

/** Returned at once if the counts are in this process. */
export type MaybeRefusal = Refusal | undefined | Promise<Refusal | undefined>;

export type Limiter = {
  /**
   * Counts a request in its layers and adds the rate limit headers. `auth` counts in the global
   * layer, too; `public` counts in no other.
   */
  request(edge: EdgeContext, limit: 'global' | 'auth' | 'public', authorization: string | undefined): MaybeRefusal;
  /**
   * A request to an endpoint where clients authenticate. Refused when as many of this address have
   * failed as the auth layer allows; one that names its client in the header is not counted by
   * address.
   */
  client(edge: EdgeContext, authorization: string | undefined): MaybeRefusal;
  /** What its answer proved: a failure counts in the auth layer, a client as a credential. */
  clientAnswered(edge: EdgeContext, request: ClientRequest, status: number): Promise<void>;
  /**
   * What an answer of SCIM proved: a directory counts by its token from then on. Each operation of
   * a bulk request counts as a request.
   */
  directoryAnswered(edge: EdgeContext, request: DirectoryRequest, status: number): Promise<void>;
  /** Counts the attempts of a GraphQL document in the auth layer. */
  attempts(edge: EdgeContext, amount: number): MaybeRefusal;
};

/** For a gateway without limits. */
export const noLimits: Limiter = {
  request: () => undefined,
  attempts: () => undefined,
  client: () => undefined,
  clientAnswered: async () => undefined,
  directoryAnswered: async () => undefined,
};

/** Counts before it compares: of any number of concurrent requests exactly `max` pass. */
export function createLimiter({ counter, layers, callers, isTrusted }: LimitOptions): Limiter {
  const needsCaller = [layers.tenant, layers.credential, layers.agent, layers.agentOfPerson].some((layer) => layer !== undefined);
  const count = (layer: Layer | undefined, key: string | undefined, edge: EdgeContext, amount = 1): Counted =>
    layer === undefined || key === undefined ? undefined : counter.increment(layer, key, amount, edge.arrivedMs);
  const addressOf = ({ address }: EdgeContext) => (isTrusted(address, 0) ? undefined : limitKey(address));
  const countFor = (edge: EdgeContext, limit: 'global' | 'auth', caller: Caller | undefined, amount = 1): MaybeRefusal => {
    const credential = layers.credential && caller?.credential;
    const address = addressOf(edge);
    const agent = caller?.agent;
    const ofPerson = count(layers.agentOfPerson, agent?.keyOfPerson, edge, amount);
    // Who is over the limit of a person uses up nothing of the others’.
    const ofAgent = (person: MaybeCount): Counted => (isOver(person) ? undefined : count(layers.agent, agent?.key, edge, amount));
    return refusalOf(edge, [
      credential === undefined ? count(layers.global, address, edge, amount) : count(layers.credential, credential, edge, amount),
      limit === 'auth' ? count(layers.auth, address, edge) : undefined,
      count(layers.tenant, caller?.tenant, edge, amount),
      ofPerson,
      ofPerson instanceof Promise ? ofPerson.then(ofAgent) : ofAgent(ofPerson),
    ]);
  };
  /** The layer is used up: nothing is counted. */
  const usedUp = async (layer: Layer | undefined, key: string | undefined, edge: EdgeContext): Promise<Refusal | undefined> => {
    const counted = await count(layer, key, edge, 0);
    return counted !== undefined && counted.count >= counted.layer.max ? refusalBy(counted) : undefined;
  };
  // People who sign in at the same address do not use this up.
  const keyOfFailures = (address: string | undefined) => (address === undefined ? undefined : `client:${address}`);
  const keyOfClient = (id: string | undefined) => (id === undefined ? undefined : `client:${id}`);
  return {
    client: async (edge, authorization) => {
      const named = layers.credential && keyOfClient(clientOfHeader(authorization));
      const failures = keyOfFailures(addressOf(edge));
      const refusal =
        (await usedUp(layers.auth, failures, edge)) ??
        (named === undefined
          ? undefined
          : ((await usedUp(layers.credential, named, edge)) ?? (await usedUp(layers.credential, failures, edge))));
      return refusal ?? (named === undefined ? countFor(edge, 'global', undefined) : undefined);
    },
    clientAnswered: async (arrived, { authorization, body }, status) => {
      const edge = { ...arrived, responseHeaders: [], arrivedMs: performance.now() };
      const address = addressOf(edge);
      const named = clientOfHeader(authorization);
      const key = keyOfClient(named ?? clientOfBody(body));
      if (status === 401) for (const one of [address, keyOfFailures(address)]) await count(layers.auth, one, edge);
      // Only a success proves the client.
      if (status >= 400) {
        // A caller that fails may give another name each time, so its address counts. It may fail
        // as often as a client may ask: a back end whose people come with old tokens is no attack.
        if (named !== undefined) await count(layers.credential, keyOfFailures(address), edge);
        return;
      }
      const counted = await count(layers.credential, key, edge);
      // It was counted by address before its body was read.
      if (counted !== undefined && named === undefined && counted.count <= counted.layer.max) await count(layers.global, address, edge, -1);
    },
    directoryAnswered: async (edge, { authorization, url }, status) => {
      const organizationId = status < 300 ? organizationOf(url) : undefined;
      const isRefused = status === 401 || status === 403;
      if (needsCaller && (organizationId !== undefined || isRefused)) callers.learnDirectory(authorization, organizationId, edge);
      // The first was counted when the request came.
      const more = (edge.operationCount ?? 1) - 1;
      if (more < 1) return;
      const now = { ...edge, responseHeaders: [], arrivedMs: performance.now() };
      await countFor(now, 'global', needsCaller ? await callers.of(authorization, now) : undefined, more);
    },
    request: (edge, limit, authorization) => {
      if (limit === 'public') return refusalOf(edge, [count(layers.public, addressOf(edge), edge)]);
      const caller = needsCaller ? callers.of(authorization, edge) : undefined;
      return caller instanceof Promise ? caller.then((known) => countFor(edge, limit, known)) : countFor(edge, limit, caller);
    },
    attempts: (edge, amount) =>
      amount === 0 ? undefined : refusalOf(edge, [count(layers.auth, addressOf(edge), { ...edge, arrivedMs: performance.now() }, amount)]),
  };
}

/** Of a request for people or groups: discovery may be answered to all. */
function organizationOf(url: string): string | undefined {
  return /^\/scim\/v2\/([\da-f-]{36})\/(?:Users|Groups|Bulk)(?=[/?]|$)/.exec(url)?.[1];
}

type MaybeCount = Count<Layer> | undefined;
type Counted = MaybeCount | Promise<MaybeCount>;

function isOver(counted: MaybeCount): boolean {
  return counted !== undefined && counted.count > counted.layer.max;
}

function refusalOf(edge: EdgeContext, counted: readonly Counted[]): MaybeRefusal {
  return areCounted(counted) ? headersAndRefusal(edge, counted) : Promise.all(counted).then((counts) => headersAndRefusal(edge, counts));
}

function areCounted(counted: readonly Counted[]): counted is readonly MaybeCount[] {
  return !counted.some((one) => one instanceof Promise);
}

function headersAndRefusal(edge: EdgeContext, counted: readonly MaybeCount[]): Refusal | undefined {
  let policies = '';
  let remaining = '';
  let refusal: Refusal | undefined;
  for (const known of counted) {
    if (known === undefined) continue;
    const { layer, count, resetSeconds } = known;
    const comma = policies === '' ? '' : ', ';
    policies += comma + layer.policy;
    remaining += `${comma}"${layer.name}";r=${Math.max(0, layer.max - count)};t=${resetSeconds}`;
    if (count > layer.max && resetSeconds > (refusal?.resetSeconds ?? 0)) refusal = refusalBy(known);
  }
  if (policies !== '') addLimitHeaders(edge.responseHeaders, policies, remaining);
  return refusal;
}

function refusalBy({ layer, resetSeconds }: Count<Layer>): Refusal {
  return { resetSeconds, layer: layer.name };
}

/**
 * The headers of draft-ietf-httpapi-ratelimit-headers-10. Layers that are counted later are added
 * to the same pair.
 */
function addLimitHeaders(headers: string[], policies: string, remaining: string): void {
  const known = headers.indexOf('ratelimit-policy');
  if (known === -1) {
    headers.push('ratelimit-policy', policies, 'ratelimit', remaining);
    return;
  }
  headers[known + 1] += `, ${policies}`;
  headers[known + 3] += `, ${remaining}`;
}
