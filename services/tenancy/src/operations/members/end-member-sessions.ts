import { operation } from '../../deps.ts';
import { memberInput, onMember, restrict } from './restriction.ts';

const declared = { operation: 'endMemberSessions', action: 'organizationMember.sessions-ended' } as const;

export const endMemberSessions = operation({
  ...onMember,
  name: declared.operation,
  summary: 'Refuse the sessions of a member here until they prove again who they are, and end the tokens of apps; keys stay',
  input: memberInput,
  audit: declared.action,
  rest: { method: 'POST', path: '/api/organization-members/:userId/end-sessions' },
  graphql: { field: 'endMemberSessions', type: 'OrganizationMember' },
  prepare: (input, context) => restrict('end-sessions', input, declared, context),
});
