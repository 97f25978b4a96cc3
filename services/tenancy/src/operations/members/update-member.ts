import { annotate, assertVersion, auditMessage, differences, Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { callerMessage, scopeMessage } from '../role-grant.ts';
import { MemberMetadata, MemberSchema } from './member.ts';
import { changedMember, requireMember, showMember } from './member-entry.ts';

const declared = { operation: 'updateOrganizationMember', action: 'organizationMember.updated' } as const;

export const updateOrganizationMember = operation({
  name: declared.operation,
  summary: 'Change a member’s role, or the metadata that conditions read as member.metadata; it takes effect with their next request',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    userId: Id,
    roleId: Type.Optional(Id),
    metadata: Type.Optional(
      annotate(MemberMetadata, {
        description: 'Replaces the metadata of the member, at most 16 KiB, which conditions read as member.metadata',
      }),
    ),
  }),
  output: MemberSchema,
  access: { permission: 'OrganizationMember:Update' },
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: declared.action,
  events: [],
  leaves: 'nothing',
  rest: { method: 'PATCH', path: '/api/organization-members/:userId' },
  graphql: { field: 'updateOrganizationMember', type: 'OrganizationMember' },
  // rbac owns roles: it checks rank, escalation and the last Owner and writes the change with its
  // audit row, in one transaction.
  prepare: async ({ userId, roleId, metadata }, context) => {
    const shown = await showMember(await requireMember(userId, context), context);
    const { roles } = context.deps;
    const scope = scopeMessage(context);
    const seen: { expectedVersion?: string } = {};
    await assertVersion(context.request, async () => {
      const [subject] = (await roles.listSubjectRoles({ scope, userIds: [userId] })).subjects;
      if (subject !== undefined) seen.expectedVersion = subject.version;
      return subject;
    });
    const before = { roleId: shown.role?.id ?? null, metadata: shown.metadata };
    const after = { ...(roleId === undefined ? {} : { roleId }), ...(metadata === undefined ? {} : { metadata }) };
    const audited = { targetType: 'OrganizationMember', targetId: userId };
    const changes = differences(Object.keys(after), before, after);
    const auditJson = auditMessage({ ...declared, outcome: 'ok', entry: audited, changes }, context);
    // rbac compares again under its lock: of two changes of the same version one is refused.
    const member = { actor: callerMessage(context), scope, userId, auditJson, ...seen };
    const change = metadata === undefined ? {} : { metadataJson: JSON.stringify(metadata) };
    const ask = async (): Promise<{ readonly isAudited?: boolean | undefined }> => {
      if (roleId !== undefined) return roles.changeMemberRole({ ...member, ...change, roleId });
      return metadata === undefined ? {} : roles.setMemberMetadata({ ...member, metadataJson: JSON.stringify(metadata) });
    };
    const { isAudited } = await ask();
    return { ...audited, before, after, ...(isAudited ? { isWritten: true as const } : {}) };
  },
  handle: async ({ userId }, context, audited) => {
    context.audit(audited);
    return changedMember(userId, context);
  },
  complete: showMember,
});
