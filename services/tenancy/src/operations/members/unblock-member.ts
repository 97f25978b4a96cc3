import { operation } from '../../deps.ts';
import { memberInput, onMember, restrict } from './restriction.ts';

const declared = { operation: 'unblockMember', action: 'organizationMember.unblocked' } as const;

export const unblockMember = operation({
  ...onMember,
  name: declared.operation,
  summary: 'Let a blocked member in again; sessions and tokens from before stay refused',
  input: memberInput,
  audit: declared.action,
  rest: { method: 'POST', path: '/api/organization-members/:userId/unblock' },
  graphql: { field: 'unblockMember', type: 'OrganizationMember' },
  prepare: (input, context) => restrict('unblock', input, declared, context),
});
