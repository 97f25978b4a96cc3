/** Fakes of the other services, over real gRPC, with their state in memory. */
import { createSign, generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { failures } from '@tessera/kernel/errors';
import { type Handlers, type Implementation, implement, type ServiceName, serveGrpc } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { issuerOf } from '@tessera/kernel/tokens';
import { ownerRoleId } from '@tessera/proto/built-in-ids';
import type { Event } from '@tessera/proto/types/events.v1';
import type { SignRequest } from '@tessera/proto/types/keys.v1';
import type { SetUpCaller, SetUpDomain, SignUpOrganizationRequest } from '@tessera/proto/types/tenancy.v1';
import { deliverToFake } from '../../../../proto/events/v1/testing/fake-inbox.ts';

type Account = { id: string; type: string; ownerId: string; createdAt: string; updatedAt: string };

export type Peers = Awaited<ReturnType<typeof startPeers>>;

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });
/** Every scope has a key of its own id; the key pair is one. */
const kids = new Map<string, { readonly kid: string; readonly scope: { readonly tenant: string; readonly id: string } }>();

function keyOf({ tenant, id }: { readonly tenant: string; readonly id: string }) {
  const known = kids.get(id) ?? { kid: newId(), scope: { tenant, id } };
  kids.set(id, known);
  return known;
}
const createdAt = '2026-01-01T00:00:00.000Z';

export async function startPeers(folder: string, secret: string, appUrl: string) {
  const servers: { stop(withinMs?: number): Promise<void> }[] = [];
  const peers = {
    /** All events that identity has delivered. */
    events: [] as { readonly subscriber: string; readonly event: Event }[],
    accounts: [] as Account[],
    hearsAfterMs: 0,
    /** What keys has ended. */
    revocations: [] as { kind: string; value: string; before: string; expiresAt: string }[],
    /** Who belongs to which scope, by its id. */
    people: new Map<string, Set<string>>(),
    /** `Resource:Action` that the caller lacks. */
    denied: new Set<string>(),
    /** Verdicts of CheckGrant by role id; 'allowed' unless said. */
    verdicts: new Map<string, string>(),
    /** The slugs of the resources that an API serves, by '<scope id> <identifier>'. */
    resourceServers: new Map<string, string[]>(),
    /** The permissions of each user, as 'Resource:action'. */
    permissions: new Map<string, readonly string[]>(),
    /** The roles of each user, in every scope. */
    /** How often rbac has not heard of a first membership yet. */
    lateMembers: 0,
    heldRoles: new Map<string, readonly string[]>(),
    /** The roles of service accounts do not arrive while it is true. */
    holdsBackRoles: false,
    /** Roles that are built in, with their rank; the others are not. */
    builtInRoles: new Map<string, number>(),
    /** Whom rbac finds when it is asked who may do something. */
    found: [] as string[],
    /** API keys that have ended. */
    endedKeys: new Set<string>(),
    /** The tags of each entity, in every scope. */
    tags: new Map<string, { readonly tagIds: readonly string[]; readonly primaryTagId: string | undefined }>(),
    /** The memberships of every user. */
    memberships: {
      organizations: [{ organizationId: newId(), name: 'Navy', slug: 'navy', joinedAt: '2026-01-01T00:00:00.000Z' }],
      projects: [
        { scope: { tenant: 'organizationProject', id: `${newId()}:${newId()}` }, name: 'Mark I', joinedAt: '2026-01-02T00:00:00.000Z' },
      ],
    },
    memberMetadata: new Map<string, string>(),
    /** By the scope of the grant. */
    grantMetadata: new Map<string, string>(),
    /** By '<scope id> <user id>'. */
    roleNames: new Map<string, readonly string[]>(),
    failsToMap: false,
    /** What identity providers have said. */
    mapped: [] as { scopeId: string; userId: string; source: string; roleIds: readonly string[]; vouchers: readonly object[] }[],
    setRoles: [] as { userId: string; roleIds: readonly string[] }[],
    /** For whom a member's place was held. */
    heldPlaces: [] as string[],
    /** Runs when a place is to be held; throws when there is none. */
    onHoldPlace: (_organizationId: string): void => undefined,
    /** Runs while keys signs. */
    onSign: async (): Promise<void> => undefined,
    /** Runs when tenancy closes accounts. */
    onCloseAccounts: async (_request: { userId: string; hard: boolean }): Promise<void> => undefined,
    onPersonLeaves: async (_request: { userId: string; scope: { tenant: string; id: string } }): Promise<void> => undefined,
    /** The organizations that use a project, by the project's own scope id. */
    customers: new Map<string, readonly { organizationId: string; name: string; slug: string }[]>(),
    /** Organizations that were made at a sign-in. */
    signUps: [] as SignUpOrganizationRequest[],
    /** Runs when one is made, before the answer. */
    onSignUp: async (): Promise<void> => undefined,
    /** What each organization demands of sessions, by its id. */
    sessionPolicies: new Map<string, { requireSecondFactor: boolean; maxSessionAgeMinutes?: number; refusesEmailCode?: boolean }>(),
    /** The domains that each organization has proven, by its id. */
    provenDomains: new Map<string, Set<string>>(),
    /** Organizations that the operator has suspended, and those without room. */
    closed: new Set<string>(),
    full: new Set<string>(),
    /** Who left an organization, as `<organization>:<person>`. */
    departed: new Set<string>(),
    /** Runs when tenancy is asked whether the owner of an address may come. */
    onJudge: async (): Promise<void> => undefined,
    /** What was asked of tenancy for new members. */
    admitted: [] as { readonly roleId: string; readonly auditJson?: string | undefined }[],
    /** Domains that set-up links have claimed. */
    setUpDomains: [] as { readonly linkId: string; readonly caller: SetUpCaller; domain: SetUpDomain }[],
    /** Services that fail every call. */
    down: new Set<string>(),
    stop: async () => void (await Promise.all(servers.map((server) => server.stop(200)))),
  };
  const serve = async (name: string, services: readonly Implementation[]) =>
    servers.push(await serveGrpc({ listen: `unix:${folder}/${name}.grpc`, secret, services }));
  const down = (name: string) => {
    if (peers.down.has(name)) throw new Error(`${name} is down in this test`);
  };
  const inbox = (subscriber: string) =>
    partly('events.v1.Inbox', {
      deliver: async (request) => {
        down(subscriber);
        await sleep(peers.hearsAfterMs);
        return deliverToFake(request, (event) => {
          peers.events.push({ subscriber, event });
          if (subscriber === 'tenancy') follow(peers, event);
          if (subscriber === 'rbac') tag(peers, event);
        });
      },
    });
  const sign = (request: SignRequest) => {
    down('keys');
    return signToken(request, appUrl);
  };
  await serve('keys', [
    inbox('keys'),
    partly('keys.v1.Keys', {
      sign: async (request) => sign(request),
      signMany: async ({ requests }) => {
        await peers.onSign();
        return { responses: requests.map(sign) };
      },
      findLiveApiKeys: async ({ ids }) => ({ ids: ids.filter((id) => !peers.endedKeys.has(id)) }),
      getVerificationKeys: async ({ kids: wanted }) => ({
        keys: [...kids.values()].filter(({ kid }) => wanted.includes(kid)).map(({ scope }) => verificationKey(scope, appUrl)),
      }),
      listPublishedKeys: async ({ scope }) => ({ keys: [verificationKey(scope ?? { tenant: 'system', id: '' }, appUrl)] }),
      signIdToken: async ({ signingInput }) => {
        down('keys');
        const { alg } = JSON.parse(Buffer.from(signingInput.split('.')[0] ?? '', 'base64url').toString('utf8'));
        const key = alg === 'ES256' ? ({ key: elliptic.privateKey, dsaEncoding: 'ieee-p1363' } as const) : privateKey;
        return { signature: createSign('SHA256').update(signingInput).sign(key, 'base64url') };
      },
    }),
    partly('revocation.v1.Revocations', { list: async () => ({ revocations: peers.revocations, scopes: [], cursor: '0' }) }),
  ]);
  await serve('tenancy', [
    inbox('tenancy'),
    partly('tenancy.v1.Tenancy', {
      listAccounts: async ({ userIds }) => {
        down('tenancy');
        return { accounts: peers.accounts.filter(({ ownerId }) => userIds.includes(ownerId)) };
      },
      closeAccounts: async ({ userId, hard }) => {
        await peers.onCloseAccounts({ userId, hard });
        return {};
      },
      listMemberships: async () => peers.memberships,
      listOrganizations: async ({ userId }) => {
        down('tenancy');
        const organizations = [...peers.customers].flatMap(([scopeId, customers]) =>
          customers
            .filter(({ organizationId }) => peers.people.get(organizationId)?.has(userId) === true)
            .map((one) => ({ ...one, grants: [{ grantId: one.organizationId, projectId: scopeId.slice(37), name: 'Shop' }] })),
        );
        const others = [...peers.provenDomains.keys()].filter((id) => peers.people.get(id)?.has(userId) === true);
        return {
          organizations: [
            ...organizations,
            ...others.map((organizationId) => ({ organizationId, name: 'Birch', slug: 'birch', grants: [] })),
          ],
        };
      },
      listPeople: async ({ scope, ids, filterIds, page, limit }) => {
        const members = [...(peers.people.get(scope.id) ?? [])].filter((id) => !filterIds || ids.includes(id));
        return { userIds: members.slice((page - 1) * limit, page * limit), totalCount: members.length };
      },
      // As in tenancy, the people of a project include those of its organization or account.
      filterPeople: async ({ scope, userIds }) => {
        const places = [scope.id, scope.id.split(':')[0] ?? ''];
        return { userIds: userIds.filter((id) => places.some((place) => peers.people.get(place)?.has(id))) };
      },
      listPlaces: async ({ userId, project, organizationId }) => {
        down('tenancy');
        const [ownerId = ''] = project?.id.split(':') ?? [];
        const customers = peers.customers.get(project?.id ?? '') ?? [];
        const isMember = (id: string) => peers.people.get(id)?.has(userId) === true;
        return {
          isHere: isMember(ownerId) || isMember(project?.id ?? ''),
          owner: { organizationId: ownerId, name: 'Birch', slug: `birch-${ownerId.slice(-12)}` },
          customers: customers.filter((one) => isMember(one.organizationId) && ['', one.organizationId].includes(organizationId)),
          isGranted: customers.length > 0,
          canSignUp: ![ownerId, project?.id ?? '', ...customers.map((one) => one.organizationId)].some(isMember),
        };
      },
      // As tenancy: the same name again is the same organization.
      signUpOrganization: async (request) => {
        down('tenancy');
        const { project, name, userId } = request;
        const customers = peers.customers.get(project.id) ?? [];
        const known = customers.find(({ organizationId }) => peers.people.get(organizationId)?.has(userId) === true);
        if (known !== undefined && known.name !== name) throw failures.conflict('Organization', 'name');
        const organizationId = newId();
        const made = { organizationId, name, slug: `made-${organizationId.slice(-12)}` };
        if (known === undefined) {
          peers.signUps.push(request);
          peers.customers.set(project.id, [...customers, made]);
          peers.people.set(organizationId, new Set([userId]));
        }
        await peers.onSignUp();
        return { organization: known ?? made, isMade: known === undefined };
      },
      nameScopes: async ({ scopes }) => {
        down('tenancy');
        return { names: scopes.map(({ tenant }) => ({ organization: tenant === 'organizationProject' ? 'Birch' : '', project: 'Shop' })) };
      },
      getSessionPolicy: async ({ scope }) => peers.sessionPolicies.get(scope.id.slice(0, 36)) ?? { requireSecondFactor: false },
      holdPlace: async ({ organizationId, userId }) => {
        peers.onHoldPlace(organizationId);
        peers.heldPlaces.push(userId);
        return {};
      },
      findDomainOwner: async ({ address }) => {
        down('tenancy');
        const domain = address.split('@')[1] ?? '';
        const [owner] = [...peers.provenDomains].find(([id, domains]) => domains.has(domain) && !peers.closed.has(id)) ?? [];
        return owner === undefined ? {} : { organizationId: owner };
      },
      getAdmission: async (request) => {
        down('tenancy');
        if (request.address !== '') await peers.onJudge();
        return admissionOf(peers, request);
      },
      admitMember: async ({ organizationId, address, userId, roleId, auditJson }) => {
        down('tenancy');
        const { isOpen, isDomainProven, isMember } = admissionOf(peers, { organizationId, address, userId });
        if (!isOpen) return { outcome: 'closed' };
        if (!isDomainProven) return { outcome: 'domain' };
        if (isMember) return { outcome: 'member' };
        if (peers.departed.has(`${organizationId}:${userId}`)) return { outcome: 'left' };
        if (peers.full.has(organizationId)) return { outcome: 'full' };
        peers.people.set(organizationId, new Set([...(peers.people.get(organizationId) ?? []), userId]));
        peers.admitted.push({ roleId, auditJson });
        return { outcome: 'admitted' };
      },
      listSetUpDomains: async ({ linkId }) => {
        down('tenancy');
        return { domains: peers.setUpDomains.filter((one) => one.linkId === linkId).map((one) => one.domain) };
      },
      claimSetUpDomain: async ({ caller, domain }) => {
        down('tenancy');
        const claim = { id: newId(), domain, status: 'pending', recordName: `_tessera-challenge.${domain}`, recordValue: 'value' };
        peers.setUpDomains.push({ linkId: caller.linkId, caller, domain: claim });
        return claim;
      },
      checkSetUpDomain: async ({ caller, id }) => {
        const known = peers.setUpDomains.find((one) => one.linkId === caller.linkId && one.domain.id === id);
        if (known === undefined) throw failures.notFound('Domain');
        known.domain = { ...known.domain, status: 'verified' };
        return known.domain;
      },
      removePerson: async ({ scope, userId }) => {
        const removed = peers.people.get(scope.id)?.delete(userId) === true;
        await peers.onPersonLeaves({ userId, scope });
        return { removed };
      },
    }),
  ]);
  await serve('rbac', [
    inbox('rbac'),
    partly('rbac.v1.Authorization', {
      isAuthorizedMany: async ({ checks }) => ({
        decisions: checks.map(({ resource, action }) => {
          const authorized = !peers.denied.has(`${resource}:${action}`);
          return { authorized, reason: authorized ? 'PERMISSION_GRANTED_NO_CONDITION' : 'NO_MATCHING_PERMISSION_FOUND' };
        }),
      }),
      findSubjects: async () => ({ ids: peers.found, nextCursor: '' }),
      listPermissions: async ({ subject }) => ({
        consistencyToken: '',
        permissions: (peers.permissions.get(subject?.userId ?? '') ?? []).map((name) => {
          const [resource = '', action = ''] = name.split(':');
          return { resource, action };
        }),
      }),
    }),
    partly('rbac.v1.Catalogue', {
      checkActions: async ({ actions }) => ({
        verdicts: actions.map((action) => ({ action, verdict: peers.verdicts.get(action) ?? 'allowed' })),
      }),
      findResourceServer: async ({ scope, identifier }) => {
        down('rbac');
        const slugs = peers.resourceServers.get(`${scope?.id} ${identifier}`) ?? [];
        return { identifier: slugs.length === 0 ? '' : identifier, slugs };
      },
      describeActions: async ({ actions }) => {
        down('rbac');
        return { descriptions: actions.map((action) => (peers.verdicts.has(action) ? '' : `The ${action.replace(':', ': ')}`)) };
      },
    }),
    partly('rbac.v1.Roles', {
      checkGrant: async ({ roleIds }) => ({
        verdicts: roleIds.map((roleId) => ({ roleId, verdict: peers.verdicts.get(roleId) ?? 'allowed' })),
      }),
      setSubjectRoles: async ({ userId, roleIds, metadataJson }) => {
        peers.setRoles.push({ userId, roleIds });
        if (metadataJson !== undefined) peers.memberMetadata.set(userId, metadataJson);
        return {};
      },
      mapRoles: async ({ scope, userId, source, roleIds, vouchers }) => {
        down('rbac');
        if (peers.failsToMap) throw failures.unavailable('rbac');
        peers.mapped.push({ scopeId: scope?.id ?? '', userId, source, roleIds, vouchers });
        peers.lateMembers -= 1;
        return { isMember: peers.lateMembers < 0 };
      },
      previewRoles: async ({ people }) => {
        down('rbac');
        return {
          people: people.map(({ userId, roleIds }) => {
            const held = peers.heldRoles.get(userId) ?? [];
            const lost = held.filter((id) => !roleIds.includes(id));
            return { userId, gained: roleIds.filter((id) => !held.includes(id)), lost };
          }),
        };
      },
      restrictMember: async () => ({}),
      setMemberMetadata: async ({ userId, metadataJson }) => {
        peers.memberMetadata.set(userId, metadataJson);
        return {};
      },
      getRoles: async ({ roleIds }) => ({
        roles: roleIds
          .filter((id) => peers.verdicts.get(id) !== 'not-found')
          .map((id) => {
            const rank = peers.builtInRoles.get(id);
            return { ...roleSummary(id), ...(rank === undefined ? {} : { isBuiltIn: true, rank }) };
          }),
      }),
      listSubjectRoles: async ({ userIds }) => ({
        subjects: userIds.map((userId) => ({
          userId,
          roles: (peers.heldRoles.get(userId) ?? []).map(roleSummary),
          metadataJson: peers.memberMetadata.get(userId) ?? '{}',
          version: '1',
        })),
      }),
      describePerson: async ({ scope, userId }) => ({
        roleNames: peers.roleNames.get(`${scope?.id} ${userId}`) ?? [],
        memberMetadataJson: peers.memberMetadata.get(userId) ?? '{}',
        grantMetadataJson: peers.grantMetadata.get(scope?.id ?? '') ?? '{}',
      }),
      listMemberRoles: async ({ userId }) => ({
        roles: [...peers.people].flatMap(([id, people]) =>
          people.has(userId) && !id.includes(':')
            ? [{ organizationId: id, name: peers.heldRoles.get(userId)?.includes(ownerRoleId(id)) === true ? 'Owner' : 'Viewer' }]
            : [],
        ),
      }),
      endMembership: async ({ scope, userId }) => {
        peers.people.get(scope.id)?.delete(userId);
        await peers.onPersonLeaves({ userId, scope });
        return {};
      },
    }),
    partly('rbac.v1.Tags', {
      checkTags: async ({ tagIds }) => ({ missing: tagIds.filter((id) => peers.verdicts.get(id) === 'not-found') }),
      listEntityTags: async ({ entityIds }) => ({
        entities: entityIds.map((entityId) => ({
          entityId,
          tags: (peers.tags.get(entityId)?.tagIds ?? []).map(tagSummary),
          primaryTagId: peers.tags.get(entityId)?.primaryTagId,
        })),
      }),
      listTaggedEntities: async ({ tagIds }) => {
        const carriers = [...peers.tags].filter(([, carried]) => tagIds.every((id) => carried.tagIds.includes(id)));
        return { entityIds: carriers.map(([id]) => id) };
      },
    }),
  ]);
  return peers;
}

/** A peer implements what these tests need of it; the rest of its contract answers emptily. */
function partly<Name extends ServiceName>(name: Name, handlers: Partial<Handlers<Name>>): Implementation {
  const whole = new Proxy(handlers, { get: (known, method) => Reflect.get(known, method) ?? (async () => ({})) });
  // The proxy answers every method, which the type can't see.
  return implement(name, whole as Handlers<Name>);
}

function admissionOf(peers: Peers, { organizationId, address, userId }: { organizationId: string; address: string; userId: string }) {
  return {
    isOpen: !peers.closed.has(organizationId),
    isDomainProven: peers.provenDomains.get(organizationId)?.has(address.split('@')[1] ?? '') === true,
    isMember: peers.people.get(organizationId)?.has(userId) === true,
    hasProvenDomain: (peers.provenDomains.get(organizationId)?.size ?? 0) > 0,
    hasLeft: peers.departed.has(`${organizationId}:${userId}`),
    isFull: peers.full.has(organizationId),
  };
}

function roleSummary(id: string) {
  return { id, name: 'role', isBuiltIn: false, metadataJson: '{}', createdAt, updatedAt: createdAt };
}

function addAccount(peers: Peers, id: string, type: string, ownerId: string): Account {
  const at = new Date().toISOString();
  const account = { id, type, ownerId, createdAt: at, updatedAt: at };
  peers.accounts.push(account);
  return account;
}

/** As tenancy does: a request makes the account, joining a scope makes a person of it. */
function follow(peers: Peers, { type, payloadJson }: Event): void {
  const payload = JSON.parse(payloadJson);
  if (type === 'user.registered' || type === 'account.requested')
    addAccount(peers, payload.account.id, payload.account.type, payload.userId);
  if (type === 'users.imported') for (const { account, userId } of payload.people) addAccount(peers, account.id, account.type, userId);
  if (type === 'user.joined') peers.people.set(payload.scope.id, new Set([...(peers.people.get(payload.scope.id) ?? []), payload.userId]));
}

/** What rbac keeps of events: who carries which tags. */
function tag(peers: Peers, { type, payloadJson }: Event): void {
  if (type === 'serviceAccount.changed') {
    const { id, roleIds } = JSON.parse(payloadJson);
    if (!peers.holdsBackRoles) peers.heldRoles.set(id, roleIds);
    return;
  }
  const { userId, entityId = userId, tagIds, primaryTagId } = JSON.parse(payloadJson);
  if (type === 'user.joined' || type === 'entity.tagged') peers.tags.set(entityId, { tagIds, primaryTagId: primaryTagId ?? undefined });
}

function tagSummary(id: string) {
  return { id, name: `tag ${id}`, color: 'teal', createdAt, updatedAt: createdAt };
}

function signToken({ scope, type, subject, tokenId, audience, lifetimeSeconds, claimsJson }: SignRequest, appUrl: string) {
  const iat = Math.floor(Date.now() / 1_000);
  const { kid } = keyOf(scope ?? { tenant: 'system', id: '' });
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const iss = issuerOf(appUrl, scope);
  const { resource, mapped, ...given } = JSON.parse(claimsJson);
  const aud = resource === undefined ? audience || appUrl : [given.client_id, resource];
  const claims = { ...mapped, ...given, sub: subject, aud, iss, iat, exp: iat + lifetimeSeconds, jti: tokenId, type };
  const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid })}.${encode(claims)}`;
  return { token: `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`, kid, expiresAt: claims.exp };
}

function verificationKey(scope: { readonly tenant: string; readonly id: string }, appUrl: string) {
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const { x = '', y = '' } = elliptic.publicKey.export({ format: 'jwk' });
  const es256 = scope.tenant === 'system' ? {} : { es256: { kid: ellipticKidOf(scope), x, y } };
  return { kid: keyOf(scope).kid, issuer: issuerOf(appUrl, scope), scope, n, e, status: 'active', ...es256 };
}

/** The kid of the key beside the scope's RSA key. */
function ellipticKidOf(scope: { readonly tenant: string; readonly id: string }): string {
  return keyOf(scope).kid.replace(/^.{8}/, '0eeeeeee');
}

/** The JWKS of every scope, for clients that verify ID tokens. */
export function jwksOf(scope: { readonly tenant: string; readonly id: string }) {
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const { x = '', y = '' } = elliptic.publicKey.export({ format: 'jwk' });
  const rsa = { kty: 'RSA', use: 'sig', alg: 'RS256', kid: keyOf(scope).kid, n, e };
  return { keys: [rsa, { kty: 'EC', crv: 'P-256', x, y, use: 'sig', alg: 'ES256', kid: ellipticKidOf(scope) }] };
}
