import { annotate, NameOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { memberInput, onMember, restrict } from './restriction.ts';

const declared = { operation: 'blockMember', action: 'organizationMember.blocked' } as const;

export const blockMember = operation({
  ...onMember,
  name: declared.operation,
  summary: 'Shut a member out of the organization, its projects and those that it uses, from their next request on',
  input: strict({ ...memberInput.properties, reason: Type.Optional(annotate(NameOf(500), { description: 'For the audit log' })) }),
  audit: declared.action,
  rest: { method: 'POST', path: '/api/organization-members/:userId/block' },
  graphql: { field: 'blockMember', type: 'OrganizationMember' },
  prepare: (input, context) => restrict('block', input, declared, context),
});
