import { generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, createCredentialIssuer, implement, serveGrpc } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { createDatabase, type Database } from '@tessera/kernel/postgres';
import { joinTokenScope, type Scope } from '@tessera/kernel/scope';
import { createLogger } from '@tessera/kernel/telemetry';
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import type { EventPayloads, EventType } from '@tessera/proto/events';
import type { Event } from '@tessera/proto/types/events.v1';
import type { ActingApp } from '@tessera/proto/types/identity.v1';
import type * as wire from '@tessera/proto/types/rbac.v1';
import { doorPath, type RunningService } from '@tessera/server/lifecycle';
import { deliverToFake } from '../../../../proto/events/v1/testing/fake-inbox.ts';
import { createTestDatabase } from '../../../../test/support/database.ts';
import { requestJson, type Sent } from '../../../../test/support/json-request.ts';
import { patienceMs } from '../../../../test/support/until.ts';
import { startRbac } from '../app.ts';
import { readRbacConfig } from '../config.ts';

/** Runs rbac on its own database. Its peers are gRPC servers whose answers a test can change. */
const secret = 'a secret between services that is long enough';
export const appUrl = 'http://iam.test';

type Key = ReturnType<typeof makeKey>;

function makeKey(scope: { tenant: string; id: string }) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  return { kid: newId(), scope, privateKey, n, e };
}

function issuerOf({ tenant, id }: Key['scope']): string {
  const [parent, project] = id.split(':');
  return tenant === 'system' ? appUrl : `${appUrl}/${tenant === 'accountProject' ? 'acc' : 'org'}/${parent}/prj/${project}`;
}

export function createPeers() {
  const state = {
    keys: [makeKey({ tenant: 'system', id: '' })],
    people: new Map<string, { name: string; metadata: object }>(),
    heard: [] as Event[],
    /** How long the other services take to hear of an event. */
    hearsAfterMs: 0,
    revocations: [] as { kind: string; value: string; before: string; expiresAt: string }[],
    /** By id, as keys and identity know them. */
    apiKeys: [] as { id: string; name: string; userId: string; roleId?: string; scopeId: string; isLive: boolean }[],
    apps: [] as { id: string; name: string; roleId: string; scopeId: string }[],
    /** Apps that act for people. */
    acting: [] as ({ id: string } & ActingApp)[],
    /** What people have allowed these apps; without one they were never asked. */
    consents: [] as { userId: string; appId: string; scopes: readonly string[] }[],
    /** Apps that people have ended. */
    ended: [] as { userId: string; appId: string }[],
    calls: { getUsers: 0, filterConsenting: 0 },
  };
  const unused = async (): Promise<never> => Promise.reject(new Error('rbac does not call this'));
  const moment = '2026-01-01T00:00:00.000Z';
  const isAllowed = (appId: string, userId: string, scope: string) =>
    state.consents.every((consent) => consent.userId !== userId || consent.appId !== appId || consent.scopes.includes(scope));
  const isEnded = (appId: string, userId: string) => state.ended.some((one) => one.userId === userId && one.appId === appId);
  const services = [
    implement('identity.v1.Identity', {
      filterWithoutSecondFactor: unused,
      countAgentRequests: unused,
      findUserByEmail: unused,
      registerInvited: unused,
      registerProvisioned: unused,
      registerProvisionedPeople: unused,
      exchangeDirectoryToken: unused,
      markEmailVerified: unused,
      findPlatformAdministrator: unused,
      findVouchedApp: unused,
      findServiceAccount: unused,
      findServiceCredential: unused,
      findActingApp: async ({ appId, userId }) => {
        const app = state.acting.find(({ id }) => id === appId);
        if (app === undefined || isEnded(appId, userId)) return {};
        return { app: { ...app, scopes: app.scopes.filter((scope) => isAllowed(appId, userId, scope)) } };
      },
      filterConsenting: async ({ appId, scope, userIds }) => {
        state.calls.filterConsenting += 1;
        const isMachine = state.acting.some(({ id, roleId }) => id === appId && roleId !== undefined);
        const living = userIds.filter((userId) => !isEnded(appId, userId));
        return { userIds: living.filter((userId) => isMachine || isAllowed(appId, userId, scope)) };
      },
      countProjectApps: unused,
      rejectRegistration: unused,
      listMachineApps: async ({ id, ids, after, limit }) => {
        const apps = state.apps
          .filter((app) => app.scopeId === id && (ids.length === 0 || ids.includes(app.id)) && app.id > after)
          .slice(0, limit);
        return { apps, lastId: apps.length < limit ? '' : (apps.at(-1)?.id ?? '') };
      },
      getUsers: async ({ ids }) => {
        state.calls.getUsers += 1;
        return {
          users: ids.flatMap((id) => {
            const person = state.people.get(id);
            return person
              ? [{ id, name: person.name, metadataJson: JSON.stringify(person.metadata), createdAt: moment, updatedAt: moment }]
              : [];
          }),
        };
      },
    }),
    implement('keys.v1.Keys', {
      listPublishedKeys: unused,
      countApiKeys: unused,
      signIdToken: unused,
      sign: unused,
      signMany: unused,
      getVerificationKey: unused,
      listKeySubjects: async ({ id, ids, after, limit }) => ({
        subjects: state.apiKeys
          .filter((key) => key.scopeId === id && (ids.length === 0 || ids.includes(key.id)) && key.id > after)
          .slice(0, limit),
      }),
      findLiveApiKeys: async ({ ids }) => ({ ids: ids.filter((id) => state.apiKeys.some((key) => key.id === id && key.isLive)) }),
      getVerificationKeys: async ({ kids }) => ({
        keys: state.keys
          .filter(({ kid }) => kids.includes(kid))
          .map(({ kid, scope, n, e }) => ({ kid, issuer: issuerOf(scope), scope, n, e, status: 'active' })),
      }),
    }),
    implement('revocation.v1.Revocations', { list: async () => ({ revocations: state.revocations, scopes: [], cursor: '1' }) }),
    implement('events.v1.Inbox', {
      deliver: async (request) => {
        await sleep(state.hearsAfterMs);
        return deliverToFake(request, (event) => state.heard.push(event));
      },
    }),
  ];
  return { state, services };
}

/** A response body; tests read its fields, or iterate it as a list. */
export type Json = { readonly [name: string]: Json } & { readonly map: <Result>(visit: (item: Json) => Result) => Result[] };
export type TestStack = Awaited<ReturnType<typeof startTestStack>>;
export type TokenOptions = {
  readonly userId: string;
  readonly type?: 'session' | 'apiKey' | 'projectApp';
  readonly isVerified?: boolean;
  /** The project of an apiKey or projectApp token. */
  readonly project?: Scope;
  readonly scopes?: readonly string[];
  readonly roleId?: string;
  /** Claims in place of those that the options give. */
  readonly claims?: object;
};

type StackOptions = {
  readonly replicas?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Replicas that take no notices and never look at the versions. */
  readonly deaf?: readonly number[];
};

export async function startTestStack({ replicas = 1, env = {}, deaf = [] }: StackOptions = {}) {
  const database = await createTestDatabase({ migrated: ['rbac'] });
  const peers = createPeers();
  const door = await serveGrpc({ listen: '127.0.0.1:0', secret, services: peers.services });
  const lines: string[] = [];
  const logger = createLogger({ service: 'rbac', level: 'warn', destination: { write: (line) => void lines.push(line) } });
  const environment = {
    RBAC_DATABASE_URL: database.urls.rbac,
    HTTP_LISTEN: '127.0.0.1:0',
    GRPC_LISTEN: '127.0.0.1:0',
    APP_URL: appUrl,
    INTERNAL_AUTH_SECRET: secret,
    IDENTITY_GRPC_URL: door.address,
    TENANCY_GRPC_URL: door.address,
    KEYS_GRPC_URL: door.address,
    RBAC_GRPC_URL: '127.0.0.1:1',
    NODE_ENV: 'test',
    ...env,
  };
  /** A service is ready as soon as its start ends: it has read the revocations by then. */
  const start = async (isDeaf = false): Promise<RunningService> => {
    const app = await startRbac(readRbacConfig(environment), { logger }, { isDeaf });
    const ready = await fetch(`${app.httpAddress}/ready`);
    if (!ready.ok) throw new Error(`The service is not ready after its start: ${await ready.text()}`);
    return app;
  };
  const apps: RunningService[] = [];
  for (let count = 0; count < replicas; count += 1) apps.push(await start(deaf.includes(count)));
  const issue = createCredentialIssuer(secret, 'gateway');
  const clients = apps.map(({ grpcAddress: url }) => ({
    authorization: connect({ service: 'rbac.v1.Authorization', url, secret, self: 'identity', timeoutMs: patienceMs }),
    roles: connect({ service: 'rbac.v1.Roles', url, secret, self: 'tenancy', timeoutMs: patienceMs }),
    catalogue: connect({ service: 'rbac.v1.Catalogue', url, secret, self: 'identity', timeoutMs: patienceMs }),
    tags: connect({ service: 'rbac.v1.Tags', url, secret, self: 'tenancy', timeoutMs: patienceMs }),
    inbox: connect({ service: 'events.v1.Inbox', url, secret, self: 'tenancy', timeoutMs: patienceMs }),
  }));
  const clientOf = (replica: number) => {
    const client = clients[replica];
    if (client === undefined) throw new Error('no such replica');
    return client;
  };

  type Options = Sent & { readonly replica?: number };
  /** Sends a request as the gateway would. */
  const request = async (method: string, path: string, { replica = 0, headers, ...sent }: Options = {}) => {
    const answer = await requestJson(`${apps[replica]?.httpAddress}${path}`, method, {
      ...sent,
      headers: { 'x-tessera-service': issue(doorPath('rbac')), ...headers },
    });
    // The parser of what a test looks into.
    const json: Json = answer.json;
    return { ...answer, json, data: (json['data'] ?? {}) as Json };
  };

  const graphql = (query: string, variables: object, options: Options = {}) =>
    request('POST', '/graphql', { ...options, body: { query, variables } });

  const token = ({ userId, type = 'session', isVerified = true, project, scopes, roleId, claims: others }: TokenOptions): string => {
    const scope = project ?? { tenant: 'system', id: '' };
    let key = peers.state.keys.find((candidate) => candidate.scope.tenant === scope.tenant && candidate.scope.id === scope.id);
    if (key === undefined) {
      key = makeKey({ tenant: scope.tenant, id: scope.id });
      peers.state.keys.push(key);
    }
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      sub: userId,
      aud: type === 'projectApp' ? 'client' : appUrl,
      iss: issuerOf(key.scope),
      type,
      exp: now + 900,
      iat: now,
      jti: newId(),
      ...(type === 'session' ? { isVerified } : {}),
      ...(project ? { scope: joinTokenScope(project, userId) } : {}),
      ...(scopes ? { scopes } : {}),
      ...(roleId ? { roleId } : {}),
      ...others,
    };
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid: key.kid })}.${encode(claims)}`;
    return `${signed}.${signBytes('RSA-SHA256', Buffer.from(signed), key.privateKey).toString('base64url')}`;
  };

  /** Delivers an event as its producer would. */
  const tell = async <Type extends EventType>(
    type: Type,
    payload: EventPayloads[Type],
    options: { id?: string; replica?: number; occurredAt?: string } = {},
  ) => {
    const { id = newId(), replica = 0, occurredAt = new Date().toISOString() } = options;
    const event = { id, type, key: 'test', payloadJson: JSON.stringify(payload), occurredAt };
    const { accepted } = await clientOf(replica).inbox.deliver({ producer: 'tenancy', events: [event] });
    return accepted.length === 1;
  };

  const makeAccount = async (type: 'personal' | 'organization' = 'personal') => {
    const [id, ownerId] = [newId(), newId()];
    await tell('account.created', { accountId: id, type, ownerId, accounts: [] });
    return { scope: { tenant: 'account', id } satisfies Scope as Scope, ownerId };
  };
  const makeOrganization = async () => {
    const [id, ownerId] = [newId(), newId()];
    await tell('organization.created', { organizationId: id, ownerId });
    const scope: Scope = { tenant: 'organization', id };
    const roleId = (role: string) => builtInRoleId('organization', id, role);
    const addMember = async (role: string, userId = newId()) => {
      await tell('member.added', { organizationId: id, userId, roleId: roleId(role) });
      return userId;
    };
    return { id, scope, ownerId, token: token({ userId: ownerId }), roleId, addMember };
  };
  const makeProject = async (parent: Scope) => {
    const scope: Scope = { tenant: parent.tenant === 'account' ? 'accountProject' : 'organizationProject', id: `${parent.id}:${newId()}` };
    await tell('project.created', { scope, createdBy: newId(), tagIds: [], primaryTagId: null });
    return scope;
  };
  const join = async (scope: Scope, roleIds: readonly string[], userId = newId()) => {
    const untagged = { tagIds: [], primaryTagId: null, createdBy: null };
    await tell('user.joined', { userId, name: 'a user', email: null, scope, roleIds: [...roleIds], ...untagged });
    return userId;
  };

  /** A check of a session over gRPC. */
  const check = async (userId: string, scope: Scope, action: string, options: Partial<wire.Check> & { replica?: number } = {}) => {
    const { replica = 0, ...more } = options;
    const [resource = '', name = ''] = action.split(':');
    const subject = { type: 'session', userId, tokenId: newId(), scopes: [] };
    const asked = { subject, scope, resource, action: name, targetJson: '', noCache: false, ...more };
    return clientOf(replica).authorization.isAuthorized(asked);
  };

  const opened: Database[] = [];
  /** Opens the database with the service's options; it is closed when the stack stops. */
  const openDatabase = (): Database => {
    const options = { url: database.urls.rbac, schema: 'rbac', restrictedRole: 'tenant_app_restricted', rlsEnabled: true };
    const client = createDatabase(options);
    opened.push(client);
    return client;
  };

  const stop = async () => {
    for (const client of clients) for (const door of Object.values(client)) door.close();
    await Promise.all(apps.map((app) => app.stop()));
    await door.stop();
    await Promise.all(opened.map((client) => client.close()));
    await database.drop();
  };
  return {
    apps,
    secret,
    database,
    openDatabase,
    peers: peers.state,
    lines,
    request,
    graphql,
    token,
    tell,
    check,
    clientOf,
    makeAccount,
    makeOrganization,
    makeProject,
    join,
    start,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
