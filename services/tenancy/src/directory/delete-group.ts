import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../deps.ts';
import { directoryEvents } from '../operations/directory-changes.ts';
import { deleteDirectoryGroup, lockDirectoryGroup } from '../storage/directory-groups.ts';
import { changeMembers } from './group.ts';
import { assertAsked, provision, scimOnly, versionField } from './user.ts';

export const deprovisionGroup = operation({
  ...scimOnly,
  name: 'deprovisionGroup',
  summary: 'Forget a group that the directory deletes',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, ...versionField }),
  output: strict({ id: Id }),
  access: provision,
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  audit: 'directoryGroup.deleted',
  events: ['directory.changed'],
  leaves: 'nothing',
  async handle({ id, version }, context) {
    const { tx, audit, emit } = context;
    const { id: organizationId } = scopeOf(context);
    const row = await lockDirectoryGroup(tx, organizationId, id);
    if (row === undefined) throw failures.notFound('Group');
    assertAsked(row, version);
    const { removed } = await changeMembers(tx, row, { isWhole: true, added: new Set(), removed: new Set() });
    await deleteDirectoryGroup(tx, organizationId, id);
    emit(...(await directoryEvents(tx, { organizationId, deletedGroupId: id, rowIds: removed, by: callerOf(context).userId })));
    const before = { displayName: row.attributes['displayName'], externalId: row.externalId };
    audit({ targetType: 'DirectoryGroup', targetId: id, before, detail: { removed: removed.length } });
    return { id };
  },
});
