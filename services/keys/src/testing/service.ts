import { randomBytes } from 'node:crypto';
import { failures } from '@tessera/kernel/errors';
import { connect, createCredentialIssuer, implement, serveGrpc } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { joinTokenScope, type Scope } from '@tessera/kernel/scope';
import { createLogger } from '@tessera/kernel/telemetry';
import type { SignRequest } from '@tessera/proto/types/keys.v1';
import type { Check, CheckGrantRequest } from '@tessera/proto/types/rbac.v1';
import { doorPath, type RunningService } from '@tessera/server/lifecycle';
import { createTestDatabase } from '../../../../test/support/database.ts';
import { noteEvidence, noteSecret } from '../../../../test/support/evidence.ts';
import { requestJson, type Sent } from '../../../../test/support/json-request.ts';
import { patienceMs, until } from '../../../../test/support/until.ts';
import { witness } from '../../../../test/support/witness.ts';
import { startKeys } from '../app.ts';
import { readKeysConfig } from '../config.ts';

/** The other services in these tests: real gRPC servers, whose responses a test can change. */
export function createPeers() {
  const state = {
    /** Scopes that exist: 'tenant id'. */
    scopes: new Set<string>(),
    /** Who belongs where: 'scopeId userId'; accounts are owned by such a user. */
    people: new Set<string>(),
    /** What the user may do: 'userId Resource:Action'. */
    permissions: new Set<string>(),
    /** Verdicts by role id, of grants; 'not-found' when absent. */
    verdicts: new Map<string, string>(),
    /** Roles that users hold: 'scopeId userId' → role ids. */
    roles: new Map<string, readonly string[]>(),
    revocations: [] as { kind: string; value: string; before: string; expiresAt: string }[],
    /** tenancy answers with UNAVAILABLE. */
    isDown: false,
    /** rbac does not say who may give a role. */
    isRolesDown: false,
    checks: [] as Check[],
    grants: [] as CheckGrantRequest[],
  };
  const createdAt = '2026-01-01T00:00:00.000Z';
  const summary = (id: string) => ({ id, name: 'role', isBuiltIn: false, metadataJson: '{}', createdAt, updatedAt: createdAt });
  const unused = async (): Promise<never> => Promise.reject(new Error('keys does not call this'));
  const services = [
    implement('tenancy.v1.Tenancy', {
      closeAccounts: unused,
      listMemberships: unused,
      listPlaces: unused,
      signUpOrganization: unused,
      listOrganizations: unused,
      listPeople: unused,
      removePerson: unused,
      nameScopes: unused,
      holdPlace: unused,
      findDomainOwner: unused,
      getAdmission: unused,
      admitMember: unused,
      listSetUpDomains: unused,
      claimSetUpDomain: unused,
      checkSetUpDomain: unused,
      getSessionPolicy: unused,
      getScopes: async ({ scopes }) => {
        if (state.isDown) throw failures.unavailable('tenancy');
        return { exists: scopes.map(({ tenant, id }) => state.scopes.has(`${tenant} ${id}`)) };
      },
      filterPeople: async ({ scope, userIds }) => {
        const places = [scope.id, scope.id.split(':')[0] ?? ''];
        return { userIds: userIds.filter((userId) => places.some((place) => state.people.has(`${place} ${userId}`))) };
      },
      listAccounts: async ({ userIds }) => ({
        accounts: [...state.people].flatMap((entry) => {
          const [id = '', ownerId = ''] = entry.split(' ');
          const isOwned = state.scopes.has(`account ${id}`) && userIds.includes(ownerId);
          return isOwned ? [{ id, type: 'personal', ownerId, createdAt: '', updatedAt: '' }] : [];
        }),
      }),
    }),
    implement('rbac.v1.Authorization', {
      isAuthorized: unused,
      listPermissions: unused,
      findSubjects: unused,
      findActions: unused,
      findResources: unused,
      isAuthorizedMany: async ({ checks }) => {
        state.checks.push(...checks);
        const holds = ({ subject, resource, action }: Check) => state.permissions.has(`${subject?.userId} ${resource}:${action}`);
        return {
          decisions: checks.map((check) => ({
            authorized: holds(check),
            reason: holds(check) ? 'PERMISSION_GRANTED_NO_CONDITION' : 'NO_MATCHING_PERMISSION_FOUND',
          })),
        };
      },
    }),
    implement('rbac.v1.Roles', {
      changeMemberRole: unused,
      endMembership: unused,
      endMemberships: unused,
      mapRoles: unused,
      previewRoles: unused,
      setSubjectRoles: unused,
      setMemberMetadata: unused,
      restrictMember: unused,
      listMemberRoles: unused,
      listOwnedOrganizations: unused,
      listScopeRoles: unused,
      countInScopes: unused,
      listScopeGroups: unused,
      describeGrants: unused,
      listHolders: unused,
      describePerson: unused,
      checkGrant: async (request) => {
        if (state.isRolesDown) throw failures.unavailable('rbac');
        state.grants.push(request);
        return { verdicts: request.roleIds.map((roleId) => ({ roleId, verdict: state.verdicts.get(roleId) ?? 'not-found' })) };
      },
      listSubjectRoles: async ({ scope, userIds }) => ({
        subjects: userIds.map((userId) => ({
          userId,
          roles: (state.roles.get(`${scope.id} ${userId}`) ?? []).map(summary),
          metadataJson: '{}',
          version: '1',
        })),
      }),
      getRoles: async ({ roleIds }) => ({ roles: roleIds.filter((id) => state.verdicts.has(id)).map(summary) }),
    }),
    implement('revocation.v1.Revocations', { list: async () => ({ revocations: state.revocations, scopes: [], cursor: '1' }) }),
  ];
  return { state, services };
}

/** A request for a session's token, as identity sends it. */
export function signRequest(subject: string, changes: Partial<SignRequest> = {}): SignRequest {
  const session = { scope: { tenant: 'system', id: '' }, type: 'session', claimsJson: '{"isVerified":true}' };
  return { ...session, subject, tokenId: newId(), audience: '', lifetimeSeconds: 60, ...changes };
}

export type TestStack = Awaited<ReturnType<typeof startTestStack>>;

const secret = 'a secret between services that is long enough';
export const appUrl = 'https://iam.test';

/** The keys service with its own database and any number of replicas, and clients to call it. */
type StackOptions = { readonly replicas?: number; readonly env?: Record<string, string>; readonly clock?: () => Date };
export async function startTestStack({ replicas = 1, env = {}, clock }: StackOptions = {}) {
  const database = await createTestDatabase({ migrated: ['keys'] });
  const peers = createPeers();
  const peerDoor = await serveGrpc({ listen: '127.0.0.1:0', secret, services: peers.services });
  const lines: string[] = [];
  const logger = createLogger({ service: 'keys', level: 'trace', destination: { write: (line) => void lines.push(line) } });
  const environment = {
    KEYS_DATABASE_URL: database.urls.keys,
    KEYS_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    HTTP_LISTEN: '127.0.0.1:0',
    GRPC_LISTEN: '127.0.0.1:0',
    APP_URL: appUrl,
    INTERNAL_AUTH_SECRET: secret,
    IDENTITY_GRPC_URL: peerDoor.address,
    TENANCY_GRPC_URL: peerDoor.address,
    RBAC_GRPC_URL: peerDoor.address,
    KEYS_GRPC_URL: '127.0.0.1:1',
    NODE_ENV: 'test',
    ...env,
  };
  /** Waits until it is ready: before it has read the revocations it refuses tokens (503). */
  const start = async (changes: Record<string, string> = {}) => {
    const app = await startKeys(readKeysConfig({ ...environment, ...changes }), { logger, ...(clock ? { clock } : {}) });
    await until(async () => (await fetch(`${app.httpAddress}/ready`)).ok);
    return app;
  };
  const apps: RunningService[] = await Promise.all(Array.from({ length: replicas }, () => start()));
  const issue = createCredentialIssuer(secret, 'gateway');

  type Options = Sent & { readonly replica?: number };
  /** As the gateway would pass it on. */
  async function request(method: string, path: string, { replica = 0, headers, ...sent }: Options = {}) {
    const answer = await requestJson(`${apps[replica]?.httpAddress}${path}`, method, {
      ...sent,
      headers: { 'x-tessera-service': issue(doorPath('keys')), ...headers },
    });
    // The parser of what a test looks into.
    const json: Json = answer.json;
    const { token, body } = sent;
    witness({ method, path, token, sent: body, status: answer.status, headers: Object.fromEntries(answer.headers), body: json });
    return { ...answer, json, data: json['data'] ?? {} };
  }

  const client = (replica = 0, self = 'identity') => {
    const common = { url: apps[replica]?.grpcAddress ?? '', secret, self, timeoutMs: patienceMs };
    return {
      keys: connect({ ...common, service: 'keys.v1.Keys' }),
      inbox: connect({ ...common, service: 'events.v1.Inbox' }),
      revocations: connect({ ...common, service: 'revocation.v1.Revocations' }),
    };
  };

  /** A session of a user, signed like identity has it signed. */
  async function session(userId: string, options: { isVerified?: boolean; replica?: number } = {}): Promise<string> {
    const { keys } = client(options.replica ?? 0);
    const claimsJson = JSON.stringify({ isVerified: options.isVerified ?? true, auth_time: Math.floor(Date.now() / 1_000) });
    const { token } = await keys.sign(signRequest(userId, { lifetimeSeconds: 900, claimsJson }));
    keys.close();
    return token;
  }

  /** A project whose owner has all permissions on keys. */
  async function project(tenant: 'organizationProject' | 'accountProject' = 'organizationProject') {
    const parentId = newId();
    const scope: Scope = { tenant, id: `${parentId}:${newId()}` };
    const userId = newId();
    peers.state.scopes.add(`${scope.tenant} ${scope.id}`);
    peers.state.scopes.add(`${tenant === 'accountProject' ? 'account' : 'organization'} ${parentId}`);
    peers.state.people.add(`${parentId} ${userId}`);
    const names = [
      'ApiKey:Create',
      'ApiKey:Query',
      'ApiKey:Revoke',
      'ApiKey:Delete',
      'SigningKey:Query',
      'SigningKey:Rotate',
      'Role:Query',
    ];
    for (const name of names) peers.state.permissions.add(`${userId} ${name}`);
    const roleId = newId();
    peers.state.verdicts.set(roleId, 'allowed');
    const [, projectId = ''] = scope.id.split(':');
    const issuer = `${appUrl}/${tenant === 'accountProject' ? 'acc' : 'org'}/${parentId}/prj/${projectId}`;
    return {
      scope,
      parentId,
      projectId,
      userId,
      roleId,
      issuer,
      userScope: joinTokenScope(scope, userId),
      token: await session(userId),
      jwksPath: `${new URL(issuer).pathname}/.well-known/jwks.json`,
    };
  }

  async function stop(): Promise<void> {
    await Promise.all(apps.map((app) => app.stop()));
    await peerDoor.stop(500);
    await database.drop();
    noteEvidence('log', lines.join(''));
    for (const name of ['INTERNAL_AUTH_SECRET', 'KEYS_ENCRYPTION_KEY'] as const) noteSecret('deployment secret', environment[name]);
  }
  return { apps, start, environment, database, peers: peers.state, request, client, session, project, lines, secret, stop };
}

/** What a test looks into; texts are taken out with `String`. */
export type Json = { readonly [name: string]: Json };
