import { operation } from '../../deps.ts';
import { memberInput, onMember, restrict } from './restriction.ts';

const declared = { operation: 'requireNewMemberPassword', action: 'organizationMember.password-required' } as const;

export const requireNewMemberPassword = operation({
  ...onMember,
  name: declared.operation,
  summary: 'Refuse the sessions of a member here until they have chosen a new password, and end the tokens of apps',
  input: memberInput,
  audit: declared.action,
  rest: { method: 'POST', path: '/api/organization-members/:userId/require-new-password' },
  graphql: { field: 'requireNewMemberPassword', type: 'OrganizationMember' },
  prepare: (input, context) => restrict('require-new-password', input, declared, context),
});
