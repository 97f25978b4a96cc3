import { callerOf, strict, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import { Account, AuthenticationMethod, toAccount, toMethod, toUser, User } from '../../../people/operations/entities.ts';
import { listMethods } from '../../../people/storage/authentication-methods.ts';
import { operation } from '../../deps.ts';
import { listSignInsOf } from '../../storage/connection-sign-ins.ts';
import { listSessions } from '../../storage/sessions.ts';
import { Came, toCame } from '../connections/connection-test.ts';
import { readProfile } from './profile.ts';
import { toSession, UserSession } from './user-session.ts';

const OrganizationMembership = Type.Object({
  organizationId: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  joinedAt: Timestamp,
});
const ProjectMembership = Type.Object({
  scope: Type.Object({ tenant: Type.String(), id: Type.String() }),
  name: Type.String(),
  joinedAt: Timestamp,
});
const ProviderSignIn = Type.Object({
  connectionId: Type.String(),
  signedInAt: Timestamp,
  claims: Type.Array(Came, { description: 'What an administrator of the organization may see in the preview of a role mapping' }),
});

export const exportMyData = operation({
  name: 'exportMyData',
  summary: 'Everything that is kept about the caller, as a file',
  kind: 'query',
  input: strict({}),
  output: Type.Object({
    user: User,
    accounts: Type.Array(Account),
    authenticationMethods: Type.Array(AuthenticationMethod),
    sessions: Type.Array(UserSession),
    organizationMemberships: Type.Array(OrganizationMembership),
    projectMemberships: Type.Array(ProjectMembership),
    providerSignIns: Type.Array(ProviderSignIn),
    exportedAt: Timestamp,
  }),
  access: { signedIn: 'shows the caller’s own data' },
  scopes: 'none',
  verification: 'by-scope',
  errors: ['SERVICE_UNAVAILABLE'],
  audit: 'user.data-exported',
  events: [],
  rest: { method: 'GET', path: '/api/me/export', download: 'my-data.json' },
  graphql: { field: 'myUserDataExport', type: 'MyUserDataExport' },

  async prepare(_input, context) {
    const { tenancy } = context.deps;
    const { userId } = callerOf(context);
    const [{ accounts }, memberships] = await Promise.all([
      tenancy.listAccounts({ userIds: [userId] }),
      tenancy.listMemberships({ userId }),
    ]);
    return { accounts, memberships };
  },

  async handle(_input, context, { accounts, memberships }) {
    const { tx, now, deps, audit } = context;
    const { userId, claims } = callerOf(context);
    const [{ person }, methods, sessions, signIns] = await Promise.all([
      readProfile(tx, userId),
      listMethods(tx, [userId]),
      listSessions(tx, userId, now),
      listSignInsOf(tx, userId, now),
    ]);
    audit({ targetType: 'User', targetId: userId });
    return {
      user: toUser(person, deps.settings.appUrl),
      accounts: accounts.map(toAccount),
      authenticationMethods: methods.map(toMethod),
      sessions: sessions.map((session) => toSession(session, claims.jti)),
      organizationMemberships: [...memberships.organizations],
      projectMemberships: memberships.projects.map(({ scope, name, joinedAt }) => ({ scope: { ...scope }, name, joinedAt })),
      providerSignIns: signIns.map(({ claims, ...one }) => ({ ...one, claims: claims.map(toCame) })),
      exportedAt: now.toISOString(),
    };
  },
});
