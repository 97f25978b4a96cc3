/** The storage of oidc-provider, in Postgres. */
import { isId } from '@tessera/kernel/ids';
import type { Transaction } from '@tessera/kernel/postgres';
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import {
  type Artifact,
  consumeArtifact,
  deleteArtifact,
  deleteGrant,
  digestOf,
  type FoundArtifact,
  findArtifact,
  findByUserCode,
  findOwnSession,
  insertArtifact,
  insertUnderGrant,
  type Place,
  upsertArtifact,
} from '../../apps/storage/openid-artifacts.ts';
import { findMachineToken, takeAppToken, takeExchangedToken, takeTokensOfGrant } from '../../apps/storage/project-app-tokens.ts';
import type { Revocation } from '../../ground/storage/revocations.ts';
import { endSession } from '../../sign-in/storage/sessions.ts';
import type { ProtocolContext } from '../deps.ts';
import { findClientApp, findMetadata } from './clients.ts';
import { digestOfUserCode, findPolledCode, saveDeviceCode } from './device-codes.ts';
import type { Issuer } from './issuer.ts';
import { findRepeatedSuccessor, refreshModel, rotate } from './refresh-rotation.ts';
import { currentRequest, type OpenidRequest } from './request.ts';

const digestPrefix = 'digest:';
const codeModels: ReadonlySet<string> = new Set(['AuthorizationCode', 'DeviceCode']);
/** What a client presents, and what says for which organization its tokens are. */
const presentedModels: ReadonlySet<string> = new Set(['AuthorizationCode', 'DeviceCode', 'RefreshToken', 'AccessToken']);

/**
 * What was found by a user code has no value to name it, as the database knows the digest only.
 * Such a name works for writing and, in a person's own request, for `find`: never for a device.
 */
export function digestOfName(model: string, name: string): Buffer {
  return name.startsWith(digestPrefix) ? Buffer.from(name.slice(digestPrefix.length), 'hex') : digestOf(model, name);
}

function payloadOf({ payload, consumedAt }: FoundArtifact, jti: string): AdapterPayload {
  return { ...payload, jti, ...(consumedAt === null ? {} : { consumed: Math.floor(Date.parse(consumedAt) / 1_000) }) };
}

/** The library calls storage without its context: this is the one place that looks for it. */
export function createAdapter({ url }: Issuer, model: string): Adapter {
  const storage = () => storageFor(currentRequest(), url, model);
  return {
    upsert: (...artifact) => storage().upsert(...artifact),
    find: (id) => storage().find(id),
    findByUserCode: (code) => storage().findByUserCode(code),
    findByUid: (uid) => storage().findByUid(uid),
    consume: (id) => storage().consume(id),
    destroy: (id) => storage().destroy(id),
    revokeByGrantId: (grantId) => storage().revokeByGrantId(grantId),
  };
}

function storageFor(request: OpenidRequest, issuer: string, model: string): Adapter {
  const { now, deps } = request.context;
  const db = deps.database;
  const placeOf = (name: string) => ({ issuer, model, digest: digestOfName(model, name) });
  const findValue = (value: string) => {
    if (model !== 'DeviceCode') return findArtifact(db, { issuer, model, digest: digestOf(model, value) }, now);
    if (!value.startsWith(digestPrefix)) return findPolledCode(issuer, value, request);
    return request.browser === undefined ? undefined : findArtifact(db, placeOf(value), now);
  };

  /** The first use may be giving it a grant of its own at this moment: then that one ends, too. */
  const endWhatItGave = async (place: Place): Promise<void> => {
    let ended: unknown;
    for (let tries = 0; tries < 2; tries += 1) {
      const { payload } = (await findArtifact(db, place, now)) ?? {};
      const grantId = payload?.['grantId'];
      if (typeof grantId !== 'string' || grantId === ended) return;
      await endGrant(issuer, grantId, request.context);
      ended = grantId;
    }
  };

  const saveFirst = async (artifact: Artifact): Promise<void> => {
    if (!(await insertUnderGrant(db, artifact))) throw new errors.InvalidGrant('the grant has ended');
  };

  const saveSuccessor = async (spent: string, artifact: Artifact, value: string): Promise<void> => {
    const rotated = await rotate(spent, artifact, value, request);
    if (rotated === undefined) {
      await endWhatItGave(placeOf(spent));
      throw new errors.InvalidGrant('it was used already');
    }
    request.rotated = rotated;
  };

  return {
    async upsert(id, { jti: _, ...payload }, expiresIn = 0) {
      const artifact = { ...placeOf(id), ...(await ownersOf(model, id, payload, request)), payload: bound(model, payload, request) };
      if (model === 'DeviceCode') return saveDeviceCode(artifact, expiresIn, request);
      const kept = { ...artifact, userCodeDigest: null, expiresAt: new Date(now.getTime() + expiresIn * 1_000) };
      const { spent } = request;
      if (model === refreshModel) return spent === undefined ? saveFirst(kept) : saveSuccessor(spent, kept, id);
      if (model !== 'ReplayDetection') return upsertArtifact(db, kept).catch(refuseEndedSession);
      // The library looks before it writes: of parallel requests with one assertion, one writes.
      if (!(await insertArtifact(db, kept))) throw new errors.InvalidClientAuth('it was used already');
      // A DPoP proof says nothing of who the client is.
      if (request.apps.get(String(payload['iss']))?.tokenEndpointAuthMethod === 'private_key_jwt') request.isClientProven = true;
    },
    async find(id) {
      if (model === 'Client') return findMetadata(id, request);
      if (model === 'ClientCredentials') return findPayloadOfMachine(id, request);
      const found = await findValue(id);
      if (found === undefined) return undefined;
      if (presentedModels.has(model) && found.organizationId !== null) request.organizationId = found.organizationId;
      // Introspection sees a spent token as what it is.
      const { isExchange } = request;
      if (isExchange && codeModels.has(model)) request.code = placeOf(id);
      const isRepeated = model === refreshModel && isExchange && (await findRepeatedSuccessor(db, id, request)) !== undefined;
      const kept = payloadOf(isRepeated ? { ...found, consumedAt: null } : found, id);
      // The library would compare the proof with the handle that it sees in the token's place.
      if (model === 'AccessToken' && request.presented?.isProven === true) delete kept['jkt'];
      return kept;
    },
    async findByUserCode(code) {
      const found = await findByUserCode(db, { issuer, userCodeDigest: digestOfUserCode(code) }, now);
      return found && { ...payloadOf(found, digestPrefix + Buffer.from(found.digest).toString('hex')), userCode: code };
    },
    findByUid: async () => undefined,
    async consume(id) {
      const place = placeOf(id);
      if (await consumeArtifact(db, place, now)) return;
      await endWhatItGave(place);
      throw new errors.InvalidGrant('it was used already');
    },
    async destroy(id) {
      // The library ends tokens and grant at once: the first of them must see what the grant holds.
      if (model === 'Grant') return endGrant(issuer, id, request.context);
      // It has no grant that would end with it.
      if (model === 'ClientCredentials') return endMachineToken(id, request);
      if (model === 'AccessToken' && isId(id)) await endExchanged(id, request.context);
      return deleteArtifact(db, placeOf(id));
    },
    async revokeByGrantId(grantId) {
      // The library asks each of its models; one of them is enough.
      if (model !== 'AccessToken') return;
      await endGrant(issuer, grantId, request.context);
      // It was read before its first use moved it to a grant of its own.
      const { code } = request;
      if (code !== undefined) await endWhatItGave(code);
    },
  };
}

/** The session may end between the tokens of one response: then none of them is worth anything. */
function refuseEndedSession(error: unknown): never {
  const isEnded = error instanceof Object && Reflect.get(error, 'constraint') === 'openid_artifacts_session_id_fkey';
  throw isEnded ? new errors.InvalidGrant('the session has ended') : error;
}

/** Ends a grant with all its tokens, also those that verifiers know already. */
export async function endGrant(issuer: string, grantId: string, { deps, now }: Pick<ProtocolContext, 'deps' | 'now'>): Promise<void> {
  deps.revoker.announce(await deps.database.transaction((tx) => endGrantIn(tx, issuer, grantId, { deps, now })));
}

/** In a transaction of the caller, who announces the result after the commit. */
export async function endGrantIn(
  tx: Transaction,
  issuer: string,
  grantId: string,
  { deps, now }: Pick<ProtocolContext, 'deps' | 'now'>,
): Promise<Revocation[]> {
  // The session first: a refresh locks the two in this order.
  const own = await findOwnSession(tx, issuer, grantId);
  const sessions = own !== undefined && (await endSession(tx, own.userId, own.sessionId)) ? [own.sessionId] : [];
  await deleteGrant(tx, issuer, grantId);
  return deps.revoker.revokeSessions(tx, [...sessions, ...(await takeTokensOfGrant(tx, grantId))], now);
}

/** What introspection says of a machine app's token, which the request has presented. */
async function findPayloadOfMachine(tokenId: string, { context, presented }: OpenidRequest): Promise<AdapterPayload | undefined> {
  if (presented?.tokenId !== tokenId) return undefined;
  const token = await findMachineToken(context.deps.database, tokenId, context.now);
  if (token === undefined) return undefined;
  const { clientId, expiresAt } = token;
  const { issuedAt: iat, keyThumbprint: jkt } = presented;
  const exp = Math.floor(Date.parse(expiresAt) / 1_000);
  return { kind: 'ClientCredentials', jti: tokenId, clientId, iat, exp, ...(jkt === undefined ? {} : { jkt }) };
}

/** Ends one token of a machine app: services that verify tokens themselves refuse it, too. */
async function endMachineToken(tokenId: string, { context: { deps, now } }: OpenidRequest): Promise<void> {
  const revocations = await deps.database.transaction(async (tx) => {
    await takeAppToken(tx, tokenId);
    return deps.revoker.revokeSessions(tx, [tokenId], now);
  });
  deps.revoker.announce(revocations);
}

/** Ends a token that came by exchange. Every other one ends with its grant, as the library asks. */
export async function endExchanged(tokenId: string, { deps, now }: Pick<ProtocolContext, 'deps' | 'now'>): Promise<void> {
  const revocations = await deps.database.transaction(async (tx) =>
    (await takeExchangedToken(tx, tokenId)) ? deps.revoker.revokeSessions(tx, [tokenId], now) : [],
  );
  deps.revoker.announce(revocations);
}

type Owners = Pick<Artifact, 'grantId' | 'userId' | 'projectAppId' | 'sessionId' | 'organizationId'>;
const requestModels: ReadonlySet<string> = new Set(['Interaction', 'PushedAuthorizationRequest', 'ReplayDetection']);

/** What ends this artifact when it ends itself. */
async function ownersOf(
  model: string,
  id: string,
  { accountId, clientId, grantId, sessionUid, params }: AdapterPayload,
  request: OpenidRequest,
): Promise<Owners> {
  const client = clientId ?? params?.['client_id'];
  const app = typeof client === 'string' ? await findClientApp(client, request) : undefined;
  // The grant of the token before is another client's: the library is not told of it.
  const exchanged = model === 'AccessToken' ? request.exchange?.parent : undefined;
  const session = model === 'Grant' ? request.session?.id : (sessionUid ?? exchanged?.sessionId);
  return {
    grantId: model === 'Grant' ? id : (grantId ?? exchanged?.grantId ?? null),
    userId: accountId !== undefined && isId(accountId) ? accountId : null,
    projectAppId: app?.id ?? null,
    sessionId: session !== undefined && isId(session) ? session : null,
    organizationId: requestModels.has(model) ? null : (request.organizationId ?? null),
  };
}

/** An interaction belongs to the browser that began it, and to the organization chosen so far. */
function bound(model: string, payload: AdapterPayload, { browser, organization }: OpenidRequest): Artifact['payload'] {
  return { ...payload, ...(model === 'Interaction' ? { browser, organization } : {}) };
}
