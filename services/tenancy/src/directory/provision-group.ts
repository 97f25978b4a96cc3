import { newId } from '@tessera/kernel/ids';
import { callerOf, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../deps.ts';
import { readGroup } from '../domain/scim/members.ts';
import { directoryEvents } from '../operations/directory-changes.ts';
import { insertDirectoryGroup } from '../storage/directory-groups.ts';
import { changeMembers, columnsOf, refuseTakenGroup, showGroup, withMembersField } from './group.ts';
import { Body, provision, Shown, scimOnly } from './user.ts';

export const provisionGroup = operation({
  ...scimOnly,
  name: 'provisionGroup',
  summary: 'Take in a group that the directory sends; it gives no role until somebody maps it',
  kind: 'mutation',
  input: strict({ ...scopeField, body: Body, ...withMembersField }),
  output: Shown,
  access: provision,
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['CONFLICT'],
  audit: 'directoryGroup.created',
  events: ['directory.changed'],
  leaves: 'nothing',
  async handle({ body, withMembers }, context) {
    const { tx, audit, emit, deps } = context;
    const { id: organizationId } = scopeOf(context);
    const { resource, members } = readGroup(body);
    const row = await insertDirectoryGroup(tx, { id: newId(), organizationId, ...columnsOf(resource) }).catch(refuseTakenGroup);
    const { added } = await changeMembers(tx, row, members);
    emit(...(await directoryEvents(tx, { organizationId, groupIds: [row.id], rowIds: added, by: callerOf(context).userId })));
    const { externalId, attributes } = row;
    const after = { displayName: attributes['displayName'], externalId };
    audit({ targetType: 'DirectoryGroup', targetId: row.id, after, detail: { added: added.length } });
    return showGroup(tx, row, { withMembers, deps });
  },
});
