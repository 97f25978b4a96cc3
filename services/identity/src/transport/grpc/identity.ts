/** identity.v1.Identity, for the other services. */
import { normalizeAddress } from '@tessera/kernel/addresses';
import { failures, isUniqueViolation } from '@tessera/kernel/errors';
import { type Call, type Implementation, implement } from '@tessera/kernel/grpc';
import { isId, newId } from '@tessera/kernel/ids';
import { type Committed, commitUnit, type Unit } from '@tessera/kernel/operation';
import type * as wire from '@tessera/proto/types/identity.v1';
import { countAgentRequests } from '../../apps/count-agent-requests.ts';
import { findEnds, isEnded, listEndedFor } from '../../apps/storage/acting-apps.ts';
import { findConsent, listRefusing } from '../../apps/storage/project-app-consents.ts';
import { findAppOfToken } from '../../apps/storage/project-app-tokens.ts';
import { countProjectApps, findAppActingIn, findProjectApp, listMachineApps } from '../../apps/storage/project-apps.ts';
import { isLiveCredential, isLiveServiceAccount } from '../../apps/storage/service-accounts.ts';
import { vouchedApp } from '../../apps/voucher.ts';
import type { IdentityDeps } from '../../deps.ts';
import { nameFromAddress } from '../../ground/domain/address.ts';
import { emailProvider, type Person } from '../../ground/domain/people.ts';
import { auditContextBehind } from '../../ground/storage/audit-log.ts';
import { refusesInvitations } from '../../mail/storage/refused-invitations.ts';
import { exchangeDirectoryToken } from '../../oauth/openid/directory-tokens.ts';
import { claimForNew, findAccountOf, isProvenMeanwhile, proveAddress } from '../../people/address-owner.ts';
import { heldAddressesOf } from '../../people/domain/proven-address.ts';
import { readAddress } from '../../people/operations/addresses.ts';
import { assertPasswordAllowed } from '../../people/password.ts';
import { userUpdated } from '../../people/person-event.ts';
import { insertMethod, listMethods } from '../../people/storage/authentication-methods.ts';
import { findPeople, findPersonOfInvitation, insertPerson, lockPerson } from '../../people/storage/people.ts';
import { findPlatformAdministrator } from '../../people/storage/platform-administrators.ts';
import { deleteRegistration } from '../../sign-in/reject-registration.ts';
import { filterWithoutFactor } from '../../sign-in/storage/second-factors.ts';

type Dependencies = IdentityDeps & { readonly clock: () => Date };

export function identityService(deps: Dependencies): Implementation {
  return implement('identity.v1.Identity', {
    getUsers: async ({ ids }) => ({
      users: (await findPeople(deps.database, ids)).map((person) => toWire(person, deps.settings.appUrl)),
    }),
    findUserByEmail: ({ email }) => findUserByEmail(deps, email),
    registerInvited: (request, call) => registerInvited(deps, request, call),
    registerProvisioned: (request, call) =>
      registerOfInvitation(deps, { ...request, operation: 'registerProvisioned', hashPassword: undefined }, call),
    filterWithoutSecondFactor: async ({ userIds }) => ({ userIds: await filterWithoutFactor(deps.database, userIds) }),
    findPlatformAdministrator: ({ userId }) => findPlatformAdministrator(deps.database, userId),
    markEmailVerified: (request, call) => markEmailVerified(deps, request, call),
    rejectRegistration: ({ email }, call) => rejectRegistration(deps, email, call),
    listMachineApps: (request) => listLiveMachineApps(deps, request),
    countProjectApps: async ({ scopeIds }) => ({ count: await countProjectApps(deps.database, scopeIds) }),
    findVouchedApp: (request) => findVouchedApp(deps, request),
    findServiceAccount: async ({ accountId }) => ({ isLive: isId(accountId) && (await isLiveServiceAccount(deps.database, accountId)) }),
    exchangeDirectoryToken: (request, call) => exchangeDirectoryToken(request, { deps, now: deps.clock(), call }),
    findActingApp: (request) => findActingApp(deps, request),
    filterConsenting: (request) => filterConsenting(deps, request),
    countAgentRequests: async ({ counts }) => {
      await countAgentRequests(counts, { database: deps.database, now: deps.clock() });
      return {};
    },
    findServiceCredential: async ({ accountId, credentialId }) => ({
      isLive: isId(accountId) && isId(credentialId) && (await isLiveCredential(deps.database, accountId, credentialId, deps.clock())),
    }),
  });
}

const mostApps = 200;

/** Apps without a voucher that may still give their role get no token: they are left out. */
async function listLiveMachineApps(deps: Dependencies, request: wire.ListMachineAppsRequest): Promise<wire.ListMachineAppsResponse> {
  const { tenant, id: scopeId, ids, after, limit } = request;
  const areIds = [...scopeId.split(':'), ...ids, ...(after === '' ? [] : [after])].every(isId);
  if (tenant !== 'accountProject' && tenant !== 'organizationProject') throw failures.badInput();
  if (!areIds || ids.length > mostApps || limit < 1 || limit > mostApps) throw failures.badInput();
  const apps = await listMachineApps(deps.database, { tenant, scopeId, ids, after, limit });
  const vouched = await Promise.all(apps.map((app) => vouchedApp(app, deps)));
  return {
    apps: vouched.flatMap((app) => (app === undefined || app.roleId === null ? [] : [{ id: app.id, name: app.name, roleId: app.roleId }])),
    lastId: apps.length < limit ? '' : (apps.at(-1)?.id ?? ''),
  };
}

/** What other services keep for an app rests on the app's own voucher. */
async function findVouchedApp(
  deps: Dependencies,
  { tenant, id, appId, tokenId }: wire.FindVouchedAppRequest,
): Promise<wire.FindVouchedAppResponse> {
  if (tenant !== 'accountProject' && tenant !== 'organizationProject') throw failures.badInput();
  const known = appId === '' ? await findAppOfToken(deps.database, tokenId) : appId;
  const app = known === undefined ? undefined : await findProjectApp(deps.database, { tenant, id }, known);
  if (app === undefined) return { appId: '', isVouched: false, isCapped: false, scopes: [] };
  const vouched = await vouchedApp(app, deps);
  return { appId: app.id, isVouched: vouched !== undefined, isCapped: app.scopes.length > 0, scopes: [...(vouched?.scopes ?? [])] };
}

type ActingIn = { readonly tenant: string; readonly id: string; readonly appId: string };

/** `organizationId`: of consents there. `scopes`: those that the voucher of the app may give. */
async function readActing(deps: Dependencies, { tenant, id, appId }: ActingIn) {
  if (tenant !== 'accountProject' && tenant !== 'organizationProject') throw failures.badInput();
  if (![...id.split(':'), appId].every(isId)) throw failures.badInput();
  const app = await findAppActingIn(deps.database, { tenant, id }, appId);
  const vouched = app && (await vouchedApp(app, deps));
  if (app === undefined || vouched === undefined) return undefined;
  const isElsewhere = app.scope.id !== id;
  if (app.roleId !== null && isElsewhere && !app.actsInGrants) return undefined;
  return { app, scopes: vouched.scopes, organizationId: isElsewhere ? (id.split(':')[0] ?? null) : null };
}

/**
 * What an app may do for a person: its scopes, as far as who vouches for it may still give them and
 * the person, if they were asked, has allowed them. A machine app has its role. An app that was
 * ended for the person may do nothing.
 */
async function findActingApp(deps: Dependencies, request: wire.FindActingAppRequest): Promise<wire.FindActingAppResponse> {
  const acting = await readActing(deps, request);
  if (acting === undefined) return {};
  const { app, organizationId } = acting;
  const { userId, id: placeId } = request;
  if (isId(userId) && isEnded(await findEnds(deps.database, { userId, projectAppId: app.id, placeId }))) return {};
  const common = { clientId: app.clientId, projectScopeId: app.scope.id };
  if (app.roleId !== null) return { app: { ...common, roleId: app.roleId, isCapped: false, scopes: [] } };
  const consent = isId(userId) ? await findConsent(deps.database, { userId, projectAppId: app.id, organizationId }) : undefined;
  const scopes = acting.scopes.filter((name) => consent === undefined || consent.scopes.includes(name));
  return { app: { ...common, isCapped: true, scopes } };
}

const mostConsenting = 5_000;

/** The same question of many people, about one scope. */
async function filterConsenting(deps: Dependencies, request: wire.FilterConsentingRequest): Promise<wire.FilterConsentingResponse> {
  const { scope, userIds } = request;
  if (userIds.length > mostConsenting || !userIds.every(isId)) throw failures.badInput();
  const acting = await readActing(deps, request);
  if (acting === undefined) return { userIds: [] };
  const { app, organizationId } = acting;
  const isMachine = app.roleId !== null;
  if (!isMachine && !acting.scopes.includes(scope)) return { userIds: [] };
  const ended = await listEndedFor(deps.database, { projectAppId: app.id, placeId: request.id }, userIds);
  const asked = { projectAppId: app.id, organizationId, scope, userIds };
  const refusing = new Set([...ended, ...(isMachine ? [] : await listRefusing(deps.database, asked))]);
  return { userIds: userIds.filter((id) => !refusing.has(id)) };
}

function toWire({ id, name, picturePath, metadata, createdAt, updatedAt }: Person, appUrl: string): wire.User {
  const pictureUrl = picturePath === null ? undefined : appUrl + picturePath;
  return { id, name, pictureUrl, metadataJson: JSON.stringify(metadata), createdAt, updatedAt };
}

async function findUserByEmail({ database }: Dependencies, email: string): Promise<wire.FindUserByEmailResponse> {
  const address = normalizeAddress(email);
  const [account, refusesMails] = await Promise.all([findAccountOf(database, address), refusesInvitations(database, [email])]);
  const none = { name: '', isVerified: false, refusesInvitations: refusesMails };
  if (account === 'free') return none;
  if (account === 'disputed') return { ...none, isDisputed: true };
  const { userId, name, isProven } = account;
  const isHeld = isProven && heldAddressesOf(await listMethods(database, [userId])).includes(address);
  return { userId, name, isVerified: isProven, refusesInvitations: refusesMails, isHeld };
}

/** The commit, and the delivery of its event (2 s at most). */
const commitMs = 2_500;

type NewOfInvitation = wire.RegisterProvisionedRequest & {
  readonly operation: 'registerInvited' | 'registerProvisioned';
  /** Of the one who chooses it; a directory's people have none. */
  readonly hashPassword: (() => Promise<string>) | undefined;
};

function registerInvited(
  deps: Dependencies,
  { password, ...request }: wire.RegisterInvitedRequest,
  call: Call,
): Promise<wire.RegisterInvitedResponse> {
  const hashPassword = async () => {
    await assertPasswordAllowed(password, 'userData.password', deps);
    return deps.hasher.hash(password);
  };
  return registerOfInvitation(deps, { ...request, operation: 'registerInvited', hashPassword }, call);
}

/** One commit: person, method and the event from which tenancy creates account and membership. */
async function registerOfInvitation(
  deps: Dependencies,
  { operation, hashPassword, ...request }: NewOfInvitation,
  call: Call,
): Promise<wire.RegisterInvitedResponse> {
  const { invitationId, organizationId } = request;
  const existing = await findPersonOfInvitation(deps.database, invitationId);
  if (existing !== undefined) return { userId: existing };
  const address = readAddress(request.email, 'email');
  const taken = () => failures.conflict('User', 'email');
  // Before the costly hash; the transaction decides. A twin may have registered since then.
  if ((await findAccountOf(deps.database, address)) !== 'free') {
    const registered = await findPersonOfInvitation(deps.database, invitationId);
    if (registered === undefined) throw taken();
    return { userId: registered };
  }
  const secret = hashPassword === undefined ? {} : { passwordHash: await hashPassword() };
  // Passwords queue. A caller that would not wait for the end must not find the person made.
  if (call.deadline.getTime() - Date.now() < commitMs) throw failures.unavailable('identity');
  const userId = newId();
  const name = request.name === '' ? nameFromAddress(address) : request.name;
  const now = deps.clock();
  const account = { id: newId(), type: 'personal' } as const;
  const register = commitChange(deps, call.requestId, now, async ({ tx, emit, audit }) => {
    await insertPerson(tx, { id: userId, name, metadata: {}, createdBy: null, home: null, invitationId, account }, now);
    const method = { id: newId(), userId, provider: emailProvider, providerId: address, email: address, ...secret };
    if (!(await claimForNew(tx, [address], now)).has(address)) throw taken();
    await insertMethod(tx, { ...method, isVerified: true, isPrimary: true, lastUsedAt: null, heldAt: now }, now);
    const invitation = { id: invitationId, organizationId };
    const entry = { actorId: userId, targetType: 'User', targetId: userId, detail: { invitationId } };
    const changes = [{ field: 'name', before: null, after: name }];
    audit({ operation, action: 'user.registered', outcome: 'ok', entry, changes });
    emit({ type: 'user.registered', key: userId, payload: { userId, name, email: address, isVerified: true, account, invitation } });
  });
  const committed = await register.catch((error: unknown) => {
    if (isUniqueViolation(error, 'users_invitation')) return undefined;
    throw isUniqueViolation(error, 'authentication_methods_identity') || isProvenMeanwhile(error) ? taken() : error;
  });
  // Two parallel requests for one invitation get the same person.
  if (committed === undefined) return { userId: (await findPersonOfInvitation(deps.database, invitationId)) ?? userId };
  await deps.deliver(committed.eventIds, { call });
  return { userId };
}

/** The account of the person who has proven the address, or else its registration. */
async function rejectRegistration(deps: Dependencies, email: string, { requestId }: Call): Promise<wire.Empty> {
  const { userId } = await findUserByEmail(deps, email);
  if (userId === undefined) throw failures.notFound('User');
  const now = deps.clock();
  await deleteRegistration(userId, { deps, now });
  const entry = { targetType: 'User', targetId: userId };
  const record = { operation: 'rejectRegistration', action: 'user.registration-rejected', outcome: 'ok', entry } as const;
  await commitChange(deps, requestId, now, async ({ audit }) => audit(record));
  return {};
}

function commitChange(
  { database }: Dependencies,
  requestId: string,
  now: Date,
  work: (unit: Unit) => Promise<void>,
): Promise<Committed<void>> {
  return commitUnit((run) => database.transaction(run), auditContextBehind({ requestId }, now), work);
}

async function markEmailVerified(deps: Dependencies, { userId, email }: wire.MarkEmailVerifiedRequest, call: Call): Promise<wire.Empty> {
  const address = normalizeAddress(email);
  const now = deps.clock();
  const { eventIds } = await commitChange(deps, call.requestId, now, async ({ tx, emit, audit }) => {
    const methods = await listMethods(tx, [userId]);
    const proven = methods.filter((method) => method.email === address && (!method.isVerified || method.heldAt === null));
    if (proven.length === 0 || (await lockPerson(tx, userId)) === undefined) return;
    for (const method of proven) await proveAddress(tx, method, { isHeld: true }, now);
    const entry = { actorId: userId, targetType: 'User', targetId: userId, detail: { methodIds: proven.map(({ id }) => id) } };
    audit({ operation: 'markEmailVerified', action: 'user.email-verified', outcome: 'ok', entry });
    emit(await userUpdated(tx, userId));
  });
  if (eventIds.length > 0) await deps.deliver(eventIds, { call });
  return {};
}
