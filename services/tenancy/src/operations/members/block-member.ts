import { annotate, NameOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { MemberSchema } from './member.ts';
import { memberAfter, memberInput, restrict, showMember } from './restriction.ts';

const declared = { operation: 'blockMember', action: 'organizationMember.blocked' } as const;

export const blockMember = operation({
  name: declared.operation,
  summary: 'Shut a member out of the organization, its projects and those that it uses, from their next request on',
  kind: 'mutation',
  input: strict({ ...memberInput.properties, reason: Type.Optional(annotate(NameOf(500), { description: 'For the audit log' })) }),
  output: MemberSchema,
  access: { permission: 'OrganizationMember:Update' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  audit: declared.action,
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/organization-members/:userId/block' },
  graphql: { field: 'blockMember', type: 'OrganizationMember' },
  prepare: (input, context) => restrict('block', input, declared, context),
  handle: async ({ userId }, context, audited) => {
    context.audit(audited);
    return memberAfter(userId, context);
  },
  complete: showMember,
});
