import { operation } from '../../deps.ts';
import { MemberSchema } from './member.ts';
import { memberAfter, memberInput, restrict, showMember } from './restriction.ts';

const declared = { operation: 'unblockMember', action: 'organizationMember.unblocked' } as const;

export const unblockMember = operation({
  name: declared.operation,
  summary: 'Let a blocked member in again; sessions and tokens from before stay refused',
  kind: 'mutation',
  input: memberInput,
  output: MemberSchema,
  access: { permission: 'OrganizationMember:Update' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  audit: declared.action,
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/organization-members/:userId/unblock' },
  graphql: { field: 'unblockMember', type: 'OrganizationMember' },
  prepare: (input, context) => restrict('unblock', input, declared, context),
  handle: async ({ userId }, context, audited) => {
    context.audit(audited);
    return memberAfter(userId, context);
  },
  complete: showMember,
});
