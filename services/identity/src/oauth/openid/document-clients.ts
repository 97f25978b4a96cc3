/**
 * Clients that are known by a document at an address of their own (docs/decisions/025). Each is an
 * app of the project that lets it in, so that consents, tokens and ends are those of every app.
 */
import { newId } from '@tessera/kernel/ids';
import type { Transaction } from '@tessera/kernel/postgres';
import { errors } from 'oidc-provider';
import { type ClientDocument, DocumentFault, digestOf, isDocumentAddress, readAddress } from '../../apps/domain/client-document.ts';
import {
  type ClientDocumentRules,
  findDocument,
  findRules,
  holdRules,
  makeRoom,
  type ReadDocument,
  saveDocument,
} from '../../apps/storage/client-documents.ts';
import { deleteArtifactsOfApps } from '../../apps/storage/openid-artifacts.ts';
import { deleteConsentsOfApp } from '../../apps/storage/project-app-consents.ts';
import { takeTokensOfApps } from '../../apps/storage/project-app-tokens.ts';
import {
  deleteProjectAppRow,
  findDocumentApp,
  insertProjectApp,
  lockProjectApp,
  updateProjectApp,
} from '../../apps/storage/project-apps.ts';
import { type ProjectApp, type ProjectScope, untyped } from '../../ground/domain/project-app.ts';
import { holdScope } from '../../ground/storage/ended-scopes.ts';
import { newOpaqueToken } from '../../ground/tokens/opaque-token.ts';
import { transact, type Unit } from '../../ground/transact.ts';
import type { OauthDeps } from '../deps.ts';
import { type DocumentRead, DocumentUnavailable } from '../document-reader.ts';
import type { OpenidRequest } from './request.ts';

const mostOfProject = 500;
/** Of these, one that no person has allowed by then makes room. */
const unusedMs = 15 * 60_000;
/** For how long a document counts that cannot be read again. */
const staleMs = 3_600_000;

/** The app of such a client, if the project lets it in now. What is kept is not read again. */
export async function findKnownDocumentApp(
  clientId: string,
  scope: ProjectScope,
  deps: Pick<OauthDeps, 'database' | 'settings'>,
): Promise<ProjectApp | undefined> {
  const address = readAddress(clientId, deps.settings.allowPrivateAddresses);
  if (address === undefined || !letsIn(await findRules(deps.database, scope), address)) return undefined;
  return findDocumentApp(deps.database, scope, address.href);
}

export { isDocumentAddress };

/**
 * The app of a client that comes with a request: its document is read, unless what was read is
 * fresh. Undefined for an address that names no document.
 */
export async function admitDocumentClient(clientId: string, request: OpenidRequest): Promise<ProjectApp | undefined> {
  const { context, issuer } = request;
  const { deps, now } = context;
  const { scope } = issuer;
  const address = readAddress(clientId, deps.settings.allowPrivateAddresses);
  if (address === undefined || scope === undefined) return undefined;
  const rules = await findRules(deps.database, scope);
  if (!letsIn(rules, address)) throw refusal('the project lets in no client whose document lies at this host');
  const known = await findDocumentApp(deps.database, scope, address.href);
  const kept = known && (await findDocument(deps.database, known.id));
  if (kept !== undefined && Date.parse(kept.freshUntil) > now.getTime()) return known;
  try {
    const read = await deps.documentReader.read(address, kept === undefined ? context.request.ipAddress : undefined);
    return await keep(address, scope, read, request);
  } catch (error) {
    if (error instanceof MadeMeanwhile) return findDocumentApp(deps.database, scope, address.href);
    if (error instanceof DocumentFault) throw refusal(error.message);
    if (!(error instanceof DocumentUnavailable)) throw error;
    if (kept !== undefined && Date.parse(kept.readAt) > now.getTime() - staleMs) return known;
    throw refusal(error.message);
  }
}

function letsIn(rules: ClientDocumentRules | undefined, { host }: URL): rules is ClientDocumentRules {
  return rules?.isAllowed === true && rules.domains.includes(host);
}

function refusal(words: string): Error {
  return new errors.InvalidClient('the client is not known by its document', words);
}

/** Writes what was read. Another document than the one that people allowed ends all it gave. */
async function keep(address: URL, scope: ProjectScope, { document, freshSeconds }: DocumentRead, request: OpenidRequest) {
  const { context } = request;
  const { deps, now } = context;
  const read = {
    digest: digestOf(document),
    ownName: document.ownName,
    readAt: now.toISOString(),
    freshUntil: new Date(now.getTime() + freshSeconds * 1_000).toISOString(),
  };
  const { result } = await transact(context, 'openid', async (unit) => {
    // A change of the rules waits, and then finds the app that is made here.
    await holdScope(unit.tx, scope.id);
    const rules = await holdRules(unit.tx, scope);
    if (!letsIn(rules, address)) throw refusal('the project lets in no client whose document lies at this host');
    const known = await findDocumentApp(unit.tx, scope, address.href);
    const place = { address, scope, rules };
    return known === undefined
      ? { app: await make(place, document, read, unit), ended: [] }
      : renew(known, place, { document, read }, unit, deps);
  });
  deps.revoker.announce(result.ended);
  return result.app;
}

type Place = { readonly address: URL; readonly scope: ProjectScope; readonly rules: ClientDocumentRules };

/** The name is the domain: what a client calls itself stands on the consent page alone. */
function fieldsOf(document: ClientDocument, { address, rules }: Pick<Place, 'address' | 'rules'>) {
  const { ownName: _ownName, ...fields } = document;
  return {
    ...untyped,
    ...fields,
    name: address.host,
    scopes: rules.scopes,
    enabledProviders: [],
    allowSignUp: false,
    signUpRoleId: null,
  };
}

async function make(place: Place, document: ClientDocument, read: ReadDocument, { tx, now, audit }: Unit): Promise<ProjectApp> {
  const { address, scope, rules } = place;
  if (rules.voucher === null) throw refusal('nobody answers for the clients of the project that are known by a document');
  if (!(await makeRoom(tx, scope, mostOfProject, new Date(now.getTime() - unusedMs))))
    throw refusal('the project has too many clients that are known by a document');
  const { type } = document;
  const fields = fieldsOf(document, place);
  const ids = { id: newId(), clientId: `app_${newOpaqueToken().slice(0, 32)}`, documentUrl: address.href };
  const made = await insertProjectApp(tx, { ...fields, ...ids, type, scope, voucher: rules.voucher }, now).catch((error: unknown) => {
    throw isTaken(error) ? new MadeMeanwhile() : error;
  });
  await saveDocument(tx, made.id, read);
  const { redirectUris, scopes } = fields;
  audit('openid.document', { targetType: 'ProjectApp', targetId: made.id, detail: { documentUrl: address.href, redirectUris, scopes } });
  return made;
}

/** By another of the first requests of a client. */
class MadeMeanwhile extends Error {
  override readonly name = 'MadeMeanwhile';
}

function isTaken(error: unknown): boolean {
  return error instanceof Object && Reflect.get(error, 'constraint') === 'project_apps_document_url';
}

type Read = { readonly document: ClientDocument; readonly read: ReadDocument };

async function renew(known: ProjectApp, place: Place, { document, read }: Read, unit: Unit, { revoker }: OauthDeps) {
  const { tx, now, audit } = unit;
  const { scope } = place;
  const app = await lockProjectApp(tx, scope, known.id);
  if (app === undefined) throw refusal('the client was removed meanwhile');
  const before = await findDocument(tx, app.id);
  // Read by another request meanwhile, and later than this one.
  if (before !== undefined && before.readAt > read.readAt) return { app, ended: [] };
  await saveDocument(tx, app.id, read);
  if (before !== undefined && Buffer.from(before.digest).equals(read.digest)) return { app, ended: [] };
  const ended = await endAllOf(tx, app.id);
  // The type of an app never changes: this is another client.
  if (document.type !== app.type) {
    await deleteProjectAppRow(tx, scope, app.id, { hard: false, now });
    return { app: await make(place, document, read, unit), ended: await revoker.revokeSessions(tx, ended, now) };
  }
  const after = await updateProjectApp(tx, { scope, id: app.id }, { ...app, ...fieldsOf(document, place) }, undefined, now);
  if (after === undefined) throw refusal('the client was removed meanwhile');
  const detail = { documentUrl: app.documentUrl, endedTokens: ended.length };
  audit('openid.document', {
    targetType: 'ProjectApp',
    targetId: app.id,
    detail,
    before: { redirectUris: app.redirectUris, jwks: app.jwks, jwksUri: app.jwksUri },
    after: { redirectUris: after.redirectUris, jwks: after.jwks, jwksUri: after.jwksUri },
  });
  return { app: after, ended: await revoker.revokeSessions(tx, ended, now) };
}

/** What people allowed, and what came from it. */
async function endAllOf(tx: Transaction, appId: string): Promise<string[]> {
  await deleteConsentsOfApp(tx, appId);
  await deleteArtifactsOfApps(tx, [appId]);
  return takeTokensOfApps(tx, [appId]);
}
