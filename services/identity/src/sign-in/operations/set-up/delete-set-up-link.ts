import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { lockSetUpLink, updateSetUpLink } from '../../storage/set-up-links.ts';
import { organizationOf } from '../connections/connection.ts';
import { SetUpLink, setUpScopes, show } from './set-up-link.ts';

export const deleteSetUpLink = operation({
  name: 'deleteSetUpLink',
  summary:
    'Revoke a set-up link: it can be used no more, also by the browser that has begun. The domains and the connection that were entered stay',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: SetUpLink,
  access: { permission: 'Connection:Delete' },
  scopes: setUpScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['CONFLICT', 'NOT_FOUND'],
  audit: 'set-up-link.revoked',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/connections/set-up-links/:id' },
  graphql: { field: 'deleteSetUpLink', type: 'SetUpLink' },

  async handle({ id }, context) {
    const { tx, now, audit } = context;
    const link = await lockSetUpLink(tx, id);
    if (link === undefined || link.organizationId !== organizationOf(context)) throw failures.notFound('SetUpLink');
    if (link.finishedAt !== null) throw errors.finishedSetUp();
    const after = link.revokedAt === null ? await updateSetUpLink(tx, id, { revokedAt: now.toISOString() }, now) : link;
    audit({ targetType: 'SetUpLink', targetId: id, detail: { name: link.email ?? id } });
    return show(after, 'revoked');
  },
});
