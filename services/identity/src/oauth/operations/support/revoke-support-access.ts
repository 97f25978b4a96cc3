import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { Success } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { endOne } from './end-support.ts';

export const revokeSupportAccess = operation({
  name: 'revokeSupportAccess',
  summary: 'Refuse a supporter, or end what one does as a person of the organization; the tokens end at once',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: Success,
  access: { permission: 'SupportAccess:Revoke' },
  scopes: ['organization'],
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND'],
  audit: 'support.ended',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/support-access/:id' },
  graphql: { field: 'revokeSupportAccess', type: 'SuccessResult' },

  handle({ id }, context) {
    const { id: organizationId } = scopeOf(context);
    return endOne(id, (row) => (row.organizationId === organizationId ? 'organization' : undefined), context);
  },

  async complete({ revocations }, { deps }) {
    deps.revoker.announce(revocations);
    return { success: true };
  },
});
