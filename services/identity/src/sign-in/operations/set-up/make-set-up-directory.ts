import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { Id, strict, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import { insertServiceAccount, insertServiceCredential } from '../../../apps/storage/service-accounts.ts';
import { holdScope } from '../../../ground/storage/ended-scopes.ts';
import { newDirectoryToken } from '../../../ground/tokens/opaque-token.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { auditedAs, directoryActions, holdOpenSetUp, mayAll, requireOpenSetUp } from '../../set-up.ts';
import { updateSetUpLink } from '../../storage/set-up-links.ts';
import { directoryUrl } from './set-up.ts';

const dayMs = 86_400_000;
const tokenDays = 365;

/**
 * The account has no role, so that its token opens nothing: an Owner gives it Provisioning, which
 * no other role may give. A stolen link would take members out otherwise.
 */
export const makeSetUpDirectory = operation({
  name: 'makeSetUpDirectory',
  summary:
    'Make the token by which the directory of the organization speaks SCIM, once for a set-up link. It does nothing until an Owner gives its service account the role Provisioning',
  kind: 'mutation',
  input: strict({ id: Id }),
  output: Type.Object({
    baseUrl: Type.String({ description: 'Where SCIM is served' }),
    clientSecret: Type.String({ secret: true, description: 'The token, shown here and never again' }),
    expiresAt: Timestamp,
  }),
  access: { open: 'bound to the browser by a cookie; its holder has no account' },
  scopes: 'none',
  verification: { exempt: 'the caller has no account' },
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['CONFLICT', 'FORBIDDEN', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  audit: 'service-account.created',
  events: ['serviceAccount.changed'],
  leaves: { ends: 'it opens nothing: an Owner gives the account its role, and deletes it' },
  rest: { method: 'POST', path: '/api/set-up/:id/directory' },
  graphql: { none: 'REST only: for the page, which is bound by a cookie' },

  async prepare({ id }, context) {
    const link = await requireOpenSetUp(id, context);
    if (!link.allowsDirectory) throw failures.forbidden();
    if (!(await mayAll(link, directoryActions, context.deps))) throw errors.endedSetUp();
  },

  async handle({ id }, context) {
    const { tx, deps, now, emit, audit } = context;
    const link = await holdOpenSetUp(tx, id, now);
    if (link.directoryAccountId !== null) throw errors.setUpDirectoryMade();
    const { organizationId, createdBy } = link;
    await holdScope(tx, organizationId);
    const scope = { tenant: 'organization', id: organizationId } as const;
    const accountId = newId();
    const fields = { name: 'SCIM', description: null, elevated: [], allowedNetworks: [], roleIds: [] };
    await insertServiceAccount(tx, { ...fields, id: accountId, generation: newId(), createdBy, scope }, now);
    emit({ type: 'serviceAccount.changed', key: accountId, payload: { id: accountId, scope, roleIds: [] } });
    const secret = newDirectoryToken();
    const expiresAt = new Date(now.getTime() + tokenDays * dayMs).toISOString();
    const made = { id: newId(), accountId, createdBy, proof: { type: 'directory', secret } as const, expiresAt };
    const credential = await insertServiceCredential(tx, made, now);
    if (credential === undefined) throw new Error('a new account had credentials');
    await updateSetUpLink(tx, id, { directoryAccountId: accountId }, now);
    const detail = { name: fields.name, credentialId: credential.id, type: 'directory', lastFour: credential.lastFour };
    audit({ ...auditedAs(link, { detail }), targetType: 'ServiceAccount', targetId: accountId });
    return { baseUrl: directoryUrl(deps.settings.appUrl, organizationId), clientSecret: secret, expiresAt };
  },
});
