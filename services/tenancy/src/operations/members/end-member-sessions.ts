import { operation } from '../../deps.ts';
import { MemberSchema } from './member.ts';
import { memberAfter, memberInput, restrict, showMember } from './restriction.ts';

const declared = { operation: 'endMemberSessions', action: 'organizationMember.sessions-ended' } as const;

export const endMemberSessions = operation({
  name: declared.operation,
  summary: 'Refuse the sessions of a member here until they prove again who they are, and end the tokens of apps; keys stay',
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
  rest: { method: 'POST', path: '/api/organization-members/:userId/end-sessions' },
  graphql: { field: 'endMemberSessions', type: 'OrganizationMember' },
  prepare: (input, context) => restrict('end-sessions', input, declared, context),
  handle: async ({ userId }, context, audited) => {
    context.audit(audited);
    return memberAfter(userId, context);
  },
  complete: showMember,
});
