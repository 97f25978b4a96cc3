import { describe, expect, test } from '@jest/globals';
import { acceptTokenRequest, BadTokenRequest, type RawTokenRequest, tokenOfApiKey } from './token-request.ts';

const [org, project, user, other] = ['a', 'b', 'c', 'd'].map((letter) => `0190a000-0000-7000-8000-00000000000${letter}`);
const appUrl = 'https://iam.example';
const rules = { appUrl, longestLifetimeSeconds: 900 };
const ownScope = { tenant: 'organizationProjectUser', id: `${org}:${project}:${user}` };
const inProject = { tenant: 'organizationProject', id: `${org}:${project}` };
const base = { subject: String(user), tokenId: String(other), lifetimeSeconds: 900, audience: '' };

const session: RawTokenRequest = { ...base, scope: { tenant: 'system', id: '' }, type: 'session', claimsJson: '{"isVerified":true}' };
const apiKey: RawTokenRequest = { ...base, scope: inProject, type: 'apiKey', claimsJson: JSON.stringify({ scope: ownScope }) };
const app: RawTokenRequest = {
  ...base,
  audience: 'client',
  scope: inProject,
  type: 'projectApp',
  claimsJson: JSON.stringify({ scope: ownScope, scopes: ['Invoice:Read'] }),
};
const serviceAccount: RawTokenRequest = {
  ...base,
  scope: { tenant: 'system', id: '' },
  type: 'apiKey',
  claimsJson: JSON.stringify({ scope: { tenant: 'organization', id: org }, cid: project, gen: other }),
};
function withClaims(request: RawTokenRequest, claims: object): RawTokenRequest {
  return {
    ...request,
    claimsJson: JSON.stringify({ ...JSON.parse(request.claimsJson), ...claims }),
  };
}

const supportClaims = { id: other, until: 1_900_000_000, project: `${org}:${project}`, organization: project };
const supporting = withClaims(session, { act: { sub: other }, support: supportClaims });
const link = { sub: other, client_id: 'client' };
const acting = withClaims(app, { client_id: 'client', scp: 'Invoice:Read', act: link });

describe('accepted token requests', () => {
  test('a project signs who acts for a person, three apps at most', () => {
    const act = { ...link, role_id: project, act: { sub: project, client_id: 'b', act: { sub: org, client_id: 'a' } } };
    expect(acceptTokenRequest(withClaims(acting, { act }), rules).claims).toMatchObject({ act });
  });
  test('an app of a type has the claims that it chose, beside its own', () => {
    const mapped = { plan: 'pro', 'https://acme.example/roles': ['Reader'] };
    const typed = withClaims(app, { client_id: 'client', scp: 'Invoice:Read', mapped });
    const { claims } = acceptTokenRequest(typed, rules);
    expect(claims).toMatchObject({ ...mapped, sub: user, aud: 'client', scopes: ['Invoice:Read'] });
    expect(claims).not.toHaveProperty('mapped');
  });
  test.each([...'sub aud iss scope scopes act cnf org_id type roleId email nonce tessera_role constructor'.split(' '), '__proto__'])(
    'an app cannot choose the claim %s',
    (name) => {
      const claimsJson = `{"scope":${JSON.stringify(ownScope)},"scopes":[],"client_id":"client","scp":"","mapped":{${JSON.stringify(name)}:"x"}}`;
      expect(() => acceptTokenRequest({ ...app, claimsJson }, rules)).toThrow(BadTokenRequest);
    },
  );
  test.each([
    ['a session', session, { plan: 'pro' }],
    ['an API key', apiKey, { plan: 'pro' }],
    ['an app without a type', app, { plan: 'pro' }],
    ['an app, more than 4 kB', withClaims(app, { client_id: 'client', scp: 'Invoice:Read' }), { plan: 'x'.repeat(4_100) }],
    ['an app, a list', withClaims(app, { client_id: 'client', scp: 'Invoice:Read' }), ['plan']],
  ])('%s chooses no such claims', (_whose, request, mapped) => {
    expect(() => acceptTokenRequest(withClaims(request, { mapped }), rules)).toThrow(BadTokenRequest);
  });
  test('the platform signs sessions for the platform [spec:claims.3 spec:claims.12 spec:signing.1]', () => {
    const { claims } = acceptTokenRequest(session, rules);
    expect(claims).toStrictEqual({ sub: user, jti: other, iss: appUrl, aud: appUrl, type: 'session', isVerified: true });
  });
  test('the platform signs for a supporter who acts as a person', () => {
    expect(acceptTokenRequest(supporting, rules).claims).toMatchObject({ act: { sub: other }, support: supportClaims });
    const more = { ...supportClaims, mayWrite: true, mayExport: true };
    expect(acceptTokenRequest(withClaims(supporting, { support: more }), rules).claims).toMatchObject({ support: more });
  });
  test('a session says how and when the person signed in', () => {
    const level = { acr: 'aal2', amr: ['pwd', 'otp', 'mfa'], auth_time: 1_900_000_000 };
    expect(acceptTokenRequest(withClaims(session, level), rules).claims).toMatchObject(level);
  });
  test('a project signs tokens of its API keys for the platform [spec:claims.10 spec:claims.12 spec:signing.2]', () => {
    const { claims } = acceptTokenRequest(apiKey, rules);
    const iss = `${appUrl}/org/${org}/prj/${project}`;
    expect(claims).toStrictEqual({ sub: user, jti: other, iss, aud: appUrl, type: 'apiKey', scope: ownScope });
  });
  test('a project signs tokens of its apps for the app [spec:claims.3 spec:claims.11]', () => {
    const { claims } = acceptTokenRequest(app, rules);
    expect([claims['aud'], claims['scopes']]).toStrictEqual(['client', ['Invoice:Read']]);
  });
  test('a project signs for the people of an organization that uses it, and says so', () => {
    const used = { tenant: 'organizationProjectUser', id: `${other}:${project}:${user}` };
    const request = withClaims(app, { scope: used, org_id: other, org_slug: 'acme' });
    const { claims, scope, usedScope } = acceptTokenRequest(request, rules);
    expect(claims).toMatchObject({ iss: `${appUrl}/org/${org}/prj/${project}`, scope: used, org_id: other, org_slug: 'acme' });
    expect([scope, usedScope]).toStrictEqual([inProject, { tenant: 'organizationProject', id: `${other}:${project}` }]);
    expect(acceptTokenRequest(withClaims(app, { org_id: org }), rules)).not.toHaveProperty('usedScope');
    expect(Object.keys(claims)).not.toContain('usedScope');
  });
  test('the key of an organization that uses the project has the project’s issuer', () => {
    const owner = { tenant: 'organizationProject', id: inProject.id } as const;
    const used = { tenant: 'organizationProject', id: `${other}:${project}` } as const;
    const exchanged = { keyId: String(other), userId: String(user), roleId: null, lifetimeSeconds: 900 };
    const { claims, scope, usedScope } = tokenOfApiKey({ place: used, owner, appUrl }, exchanged);
    expect([scope, usedScope]).toStrictEqual([owner, used]);
    expect(claims).toMatchObject({ iss: `${appUrl}/org/${org}/prj/${project}`, scope: { id: `${other}:${project}:${user}` } });
  });
  test('the platform signs tokens of service accounts, bound to where they belong', () => {
    const { claims } = acceptTokenRequest(serviceAccount, rules);
    const { scope, cid, gen } = JSON.parse(serviceAccount.claimsJson);
    const own = { aud: appUrl, type: 'apiKey', scope, client_id: user, cid, gen };
    expect(claims).toStrictEqual({ sub: user, jti: other, iss: appUrl, ...own });
    const limits = { elevated: ['ApiKey:Create'], networks: ['10.0.0.0/8'] };
    expect(acceptTokenRequest(withClaims(serviceAccount, limits), rules).claims).toMatchObject(limits);
    const platform = { tenant: 'platform', id: '' };
    expect(acceptTokenRequest(withClaims(serviceAccount, { scope: platform }), rules).claims['scope']).toStrictEqual(platform);
  });
  test('a machine app acts by its role, and says when it also acts in grants', () => {
    const machine = withClaims(apiKey, { roleId: other, client_id: 'app' });
    expect(Object.keys(acceptTokenRequest(machine, rules).claims)).not.toContain('actsInGrants');
    expect(acceptTokenRequest(withClaims(machine, { actsInGrants: true }), rules).claims).toMatchObject({
      roleId: other,
      actsInGrants: true,
    });
  });
  test('a token of an app says for which API it is, and which key its client must prove', () => {
    const cnf = { jkt: 'k'.repeat(43) };
    const resource = 'https://orders.example/mcp';
    const named = withClaims(app, { client_id: 'client', scp: 'Invoice:Read', resource, cnf });
    expect(acceptTokenRequest(named, rules).claims).toMatchObject({ aud: ['client', resource], cnf });
    expect(acceptTokenRequest(named, rules).claims).not.toHaveProperty('resource');
    const machine = withClaims(apiKey, { roleId: other, client_id: 'app', resource, cnf });
    expect(acceptTokenRequest(machine, rules).claims).toMatchObject({ aud: ['app', resource], cnf });
  });
  test('only this service itself adds the role of an API key', () => {
    const exchanged = { keyId: String(other), userId: String(user), lifetimeSeconds: 900 };
    const project = { tenant: 'organizationProject', id: inProject.id } as const;
    const own = { place: project, owner: project, appUrl };
    const accepted = acceptTokenRequest(apiKey, rules);
    expect(tokenOfApiKey(own, { ...exchanged, roleId: null })).toStrictEqual(accepted);
    const withRole = tokenOfApiKey(own, { ...exchanged, roleId: String(other) });
    expect(withRole.claims).toStrictEqual({ ...accepted.claims, roleId: other });
    expect(() => acceptTokenRequest(withClaims(apiKey, { roleId: other }), rules)).toThrow(BadTokenRequest);
  });
});

const refused: Record<string, RawTokenRequest> = {
  'a service account by a project': { ...serviceAccount, scope: inProject },
  'a service account without its credential': withClaims(serviceAccount, { cid: undefined }),
  'a service account without its generation': withClaims(serviceAccount, { gen: undefined }),
  'a service account of a project': withClaims(serviceAccount, { scope: inProject }),
  'a service account of a user’s scope': withClaims(serviceAccount, { scope: ownScope }),
  'a platform with an id': withClaims(serviceAccount, { scope: { tenant: 'platform', id: org } }),
  'a service account with a role': withClaims(serviceAccount, { roleId: other }),
  'a service account with a level': withClaims(serviceAccount, { acr: 'aal2' }),
  'elevated that is no list': withClaims(serviceAccount, { elevated: 'ApiKey:Create' }),
  'a service account of another audience': { ...serviceAccount, audience: 'client' },
  'a session by a project': { ...session, scope: inProject },
  'an API key’s token by the platform': { ...apiKey, scope: { tenant: 'system', id: '' } },
  'an app’s token by the platform': { ...app, scope: { tenant: 'system', id: '' } },
  'a session of an unknown level': withClaims(session, { acr: 'aal3' }),
  'methods that are no list': withClaims(session, { amr: 'pwd' }),
  'a sign-in at no number': withClaims(session, { auth_time: '1' }),
  'an API key’s token with a level': withClaims(apiKey, { acr: 'aal2' }),
  'another type': { ...apiKey, type: 'refresh' },
  'no type': { ...apiKey, type: '' },
  'an organization that signs': { ...apiKey, scope: { tenant: 'organization', id: String(org) } },
  'the system with an id': { ...session, scope: { tenant: 'system', id: 'x' } },
  'a project without its parent': { ...apiKey, scope: { tenant: 'organizationProject', id: String(project) } },
  'a project in upper case': { ...apiKey, scope: { ...inProject, id: inProject.id.toUpperCase() } },
  'a project with a user': { ...apiKey, scope: { ...inProject, id: ownScope.id } },
  'a session for another audience': { ...session, audience: 'client' },
  'an API key’s token for another audience': { ...apiKey, audience: 'client' },
  'an app’s token for the platform': { ...app, audience: appUrl },
  'an app’s token for nobody': { ...app, audience: '' },
  'a lifetime beyond the access token’s': { ...session, lifetimeSeconds: 901 },
  'a lifetime of nothing': { ...session, lifetimeSeconds: 0 },
  'a lifetime of less': { ...session, lifetimeSeconds: -1 },
  'a subject that is no id': { ...session, subject: 'admin' },
  'a token id that is no id': { ...session, tokenId: '' },
  'claims that are no JSON': { ...session, claimsJson: '{' },
  'claims that are a list': { ...session, claimsJson: '[]' },
  'a session that does not say whether it is verified': { ...session, claimsJson: '{}' },
  'a session with a role': withClaims(session, { roleId: other }),
  'a session with a cap': withClaims(session, { scopes: ['A:B'] }),
  'a session in another user’s scope': withClaims(session, { scope: { ...ownScope, id: `${org}:${project}:${other}` } }),
  'support without a supporter': withClaims(session, { support: supportClaims }),
  'a supporter without support': withClaims(session, { act: { sub: other } }),
  'a supporter who acts as themselves': withClaims(supporting, { act: { sub: user } }),
  'a supporter behind whom another acts': withClaims(supporting, { act: { sub: other, act: { sub: org } } }),
  'support by another id than the token’s': withClaims(supporting, { support: { ...supportClaims, id: org } }),
  'support without an end': withClaims(supporting, { support: { ...supportClaims, until: undefined } }),
  'support of no project': withClaims(supporting, { support: { ...supportClaims, project: org } }),
  'support of no organization': withClaims(supporting, { support: { ...supportClaims, organization: '' } }),
  'support that writes as it likes': withClaims(supporting, { support: { ...supportClaims, mayWrite: 'yes' } }),
  'support with more': withClaims(supporting, { support: { ...supportClaims, scopes: ['A:B'] } }),
  'support bound to a project': withClaims(supporting, { scope: ownScope }),
  'support that came by a connection': withClaims(supporting, { connection: org }),
  'support that a provider’s organization counts for': withClaims(supporting, { connection: org, connection_organization: org }),
  'an app’s token with support': withClaims(app, { support: supportClaims }),
  'an API key’s token with support': withClaims(apiKey, { support: supportClaims, act: { sub: other } }),
  'claims of one’s own choice': withClaims(apiKey, { sub: other }),
  'an expiry of one’s own choice': withClaims(apiKey, { exp: 9_999_999_999 }),
  'an issuer of one’s own choice': withClaims(apiKey, { iss: appUrl }),
  'an API key’s token without a scope': { ...apiKey, claimsJson: '{}' },
  'an API key’s token in another project': withClaims(apiKey, { scope: { ...ownScope, id: `${org}:${other}:${user}` } }),
  'an API key’s token in another kind of project': withClaims(apiKey, { scope: { ...ownScope, tenant: 'accountProjectUser' } }),
  'an API key’s token of another user': withClaims(apiKey, { scope: { ...ownScope, id: `${org}:${project}:${other}` } }),
  'an API key’s token for an organization that uses the project': withClaims(apiKey, {
    scope: { ...ownScope, id: `${other}:${project}:${user}` },
  }),
  'an app’s token in another project': withClaims(app, { scope: { ...ownScope, id: `${org}:${other}:${user}` } }),
  'an app’s token for an account that uses the project': withClaims(app, {
    scope: { tenant: 'accountProjectUser', id: `${other}:${project}:${user}` },
  }),
  'an app’s token of another organization than its scope’s': withClaims(app, { org_id: other }),
  'an app’s token with the slug of an organization alone': withClaims(app, { org_slug: 'acme' }),
  'an app’s token with a slug that is none': withClaims(app, { org_id: org, org_slug: 'Acme GmbH' }),
  'an API key’s token that acts in grants': withClaims(apiKey, { actsInGrants: true }),
  'a machine app’s token that may or may not act in grants': withClaims(apiKey, { roleId: other, client_id: 'app', actsInGrants: 'yes' }),
  'an app’s token for a resource that is the platform': withClaims(app, {
    client_id: 'client',
    scp: 'Invoice:Read',
    resource: `${appUrl}/x`,
  }),
  'an app’s token for a resource that is no URI': withClaims(app, { client_id: 'client', scp: 'Invoice:Read', resource: 'orders' }),
  'an app’s token for a resource, without its client': withClaims(app, { resource: 'https://orders.example' }),
  'an API key’s token for a resource': withClaims(apiKey, { resource: 'https://orders.example' }),
  'an app’s token bound to no thumbprint': withClaims(app, { client_id: 'client', scp: 'Invoice:Read', cnf: { jkt: 'short' } }),
  'an app’s token bound in another way': withClaims(app, { client_id: 'client', scp: 'Invoice:Read', cnf: { 'x5t#S256': 'k'.repeat(43) } }),
  'a session that is bound': withClaims(session, { cnf: { jkt: 'k'.repeat(43) } }),
  'an app’s token that acts in grants': withClaims(app, { actsInGrants: true }),
  'an API key’s token with an organization': withClaims(apiKey, { org_id: org }),
  'a scope with more in it': withClaims(apiKey, { scope: { ...ownScope, admin: true } }),
  'an API key’s token that says it is verified': withClaims(apiKey, { isVerified: true }),
  'an app’s token with act that is no object': withClaims(acting, { act: 'x' }),
  'an app’s token with act of another client': withClaims(acting, { act: { sub: other, client_id: 'another' } }),
  'an app’s token with act of nobody': withClaims(acting, { act: { client_id: 'client' } }),
  'an app’s token with more in act': withClaims(acting, { act: { ...link, scopes: ['A:B'] } }),
  'an app’s token with a role in act that is no id': withClaims(acting, { act: { ...link, role_id: 'Owner' } }),
  'an app’s token with four apps in act': withClaims(acting, { act: { ...link, act: { ...link, act: { ...link, act: link } } } }),
  'an app’s token with act and no client': withClaims(app, { act: link }),
  'an API key’s token with act': withClaims(apiKey, { act: link }),
  'a session with act': withClaims(session, { act: link }),
  'an app’s token without a cap': { ...app, claimsJson: JSON.stringify({ scope: ownScope }) },
  'an app’s token with a cap that is a text': withClaims(app, { scopes: 'A:B' }),
  'an app’s token with a cap that is no slug': withClaims(app, { scopes: ['A'] }),
};

describe('refused token requests', () => {
  for (const [name, request] of Object.entries(refused))
    test(`refuses ${name}`, () => expect(() => acceptTokenRequest(request, rules)).toThrow(BadTokenRequest));
});
