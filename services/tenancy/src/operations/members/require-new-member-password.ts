import { operation } from '../../deps.ts';
import { MemberSchema } from './member.ts';
import { memberAfter, memberInput, restrict, showMember } from './restriction.ts';

const declared = { operation: 'requireNewMemberPassword', action: 'organizationMember.password-required' } as const;

export const requireNewMemberPassword = operation({
  name: declared.operation,
  summary: 'Refuse the sessions of a member here until they have chosen a new password, and end the tokens of apps',
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
  rest: { method: 'POST', path: '/api/organization-members/:userId/require-new-password' },
  graphql: { field: 'requireNewMemberPassword', type: 'OrganizationMember' },
  prepare: (input, context) => restrict('require-new-password', input, declared, context),
  handle: async ({ userId }, context, audited) => {
    context.audit(audited);
    return memberAfter(userId, context);
  },
  complete: showMember,
});
