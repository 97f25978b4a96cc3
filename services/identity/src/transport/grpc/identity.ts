/** identity.v1.Identity, for the other services. */
import { normalizeAddress } from '@tessera/kernel/addresses';
import { failures } from '@tessera/kernel/errors';
import { type Call, type Implementation, implement } from '@tessera/kernel/grpc';
import { isId } from '@tessera/kernel/ids';
import type * as wire from '@tessera/proto/types/identity.v1';
import { countAgentRequests } from '../../apps/count-agent-requests.ts';
import { findEnds, isEnded, listEndedFor } from '../../apps/storage/acting-apps.ts';
import { findConsent, listRefusing } from '../../apps/storage/project-app-consents.ts';
import { findAppOfToken } from '../../apps/storage/project-app-tokens.ts';
import { countProjectApps, findAppActingIn, findProjectApp, listMachineApps } from '../../apps/storage/project-apps.ts';
import { isLiveCredential, isLiveServiceAccount } from '../../apps/storage/service-accounts.ts';
import { vouchedApp } from '../../apps/voucher.ts';
import type { IdentityDeps } from '../../deps.ts';
import type { Person } from '../../ground/domain/people.ts';
import { refusesInvitations } from '../../mail/storage/refused-invitations.ts';
import { exchangeDirectoryToken } from '../../oauth/openid/directory-tokens.ts';
import { findAccountOf, proveAddress } from '../../people/address-owner.ts';
import { heldAddressesOf } from '../../people/domain/proven-address.ts';
import { userUpdated } from '../../people/person-event.ts';
import { listMethods } from '../../people/storage/authentication-methods.ts';
import { findPeople, lockPerson } from '../../people/storage/people.ts';
import { findPlatformAdministrator } from '../../people/storage/platform-administrators.ts';
import { deleteRegistration } from '../../sign-in/reject-registration.ts';
import { filterWithoutFactor } from '../../sign-in/storage/second-factors.ts';
import { commitChange } from './commit-change.ts';
import { registerInvited, registerProvisioned, registerProvisionedPeople } from './registrations.ts';

type Dependencies = IdentityDeps & { readonly clock: () => Date };

export function identityService(deps: Dependencies): Implementation {
  return implement('identity.v1.Identity', {
    getUsers: async ({ ids }) => ({
      users: (await findPeople(deps.database, ids)).map((person) => toWire(person, deps.settings.appUrl)),
    }),
    findUserByEmail: ({ email }) => findUserByEmail(deps, email),
    registerInvited: (request, call) => registerInvited(deps, request, call),
    registerProvisioned: (request, call) => registerProvisioned(deps, request, call),
    registerProvisionedPeople: (request, call) => registerProvisionedPeople(deps, request, call),
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
