import { failures } from '@tessera/kernel/errors';
import { assertVersion, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { callerMessage, scopeMessage } from '../role-grant.ts';
import { MemberMetadata, MemberSchema, showMembers } from './member.ts';
import { findMemberEntry, requireMember } from './member-entry.ts';

export const updateOrganizationMember = operation({
  name: 'updateOrganizationMember',
  summary: 'Change a member’s role, or the metadata that conditions read as member.metadata; it takes effect with their next request',
  kind: 'mutation',
  input: strict({ ...scopeField, userId: Id, roleId: Type.Optional(Id), metadata: Type.Optional(MemberMetadata) }),
  output: MemberSchema,
  access: { permission: 'OrganizationMember:Update' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'organizationMember.updated',
  events: [],
  rest: { method: 'PATCH', path: '/api/organization-members/:userId' },
  graphql: { field: 'updateOrganizationMember' },
  // rbac owns roles: it checks rank, escalation and the last Owner and writes the change, in one
  // transaction.
  prepare: async ({ userId, roleId, metadata }, context) => {
    const entry = await requireMember(userId, context);
    const [before] = await showMembers([entry], context);
    const { roles } = context.deps;
    const scope = scopeMessage(context);
    const seen: { expectedVersion?: string } = {};
    await assertVersion(context.request, async () => {
      const [subject] = (await roles.listSubjectRoles({ scope, userIds: [userId] })).subjects;
      if (subject !== undefined) seen.expectedVersion = subject.version;
      return subject;
    });
    // rbac compares again under its lock: of two changes of the same version one is refused.
    const member = { actor: callerMessage(context), scope, userId, ...seen };
    const change = metadata === undefined ? {} : { metadataJson: JSON.stringify(metadata) };
    if (roleId !== undefined) await roles.changeMemberRole({ ...member, ...change, roleId });
    else if (metadata !== undefined) await roles.setMemberMetadata({ ...member, metadataJson: JSON.stringify(metadata) });
    return { roleId: before?.role?.id ?? null, metadata: before?.metadata ?? {} };
  },
  handle: async ({ userId, roleId, metadata }, context, before) => {
    const after = { ...(roleId === undefined ? {} : { roleId }), ...(metadata === undefined ? {} : { metadata }) };
    context.audit({ targetType: 'OrganizationMember', targetId: userId, before, after });
    const entry = await findMemberEntry(context.tx, scopeOf(context).id, userId);
    if (!entry) throw failures.notFound('OrganizationMember');
    return entry;
  },
  complete: async (entry, context) => {
    const [member] = await showMembers([entry], context);
    if (!member) throw new Error('showMembers dropped a member');
    return member;
  },
});
