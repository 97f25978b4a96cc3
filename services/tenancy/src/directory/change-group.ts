import { isDeepStrictEqual } from 'node:util';
import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../deps.ts';
import { patchGroup, readGroup } from '../domain/scim/members.ts';
import { readPatch } from '../domain/scim/patch.ts';
import { directoryEvents } from '../operations/directory-changes.ts';
import { lockDirectoryGroup, updateDirectoryGroup } from '../storage/directory-groups.ts';
import { changeMembers, columnsOf, refuseTakenGroup, showGroup, withMembersField } from './group.ts';
import { assertAsked, Body, provision, Shown, scimOnly, versionField } from './user.ts';

/** So many ids of members stand in a row of the audit log. */
const mostNamed = 100;

export const changeGroup = operation({
  ...scimOnly,
  name: 'changeGroup',
  summary: 'Change a group of the directory, and who is in it',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, by: Type.Enum(['put', 'patch']), body: Body, ...versionField, ...withMembersField }),
  output: Shown,
  access: provision,
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  audit: 'directoryGroup.updated',
  events: ['directory.changed'],
  leaves: 'nothing',
  async handle({ id, by, body, version, withMembers }, context) {
    const { tx, audit, emit, deps } = context;
    const { id: organizationId } = scopeOf(context);
    const operations = by === 'patch' ? readPatch(body) : undefined;
    const row = await lockDirectoryGroup(tx, organizationId, id);
    if (row === undefined) throw failures.notFound('Group');
    assertAsked(row, version);
    const { resource, members } = operations === undefined ? readGroup(body) : patchGroup(row.attributes, operations);
    const { added, removed } = await changeMembers(tx, row, members);
    if (added.length + removed.length === 0 && isDeepStrictEqual(resource, row.attributes)) {
      audit({ targetType: 'DirectoryGroup', targetId: id });
      return showGroup(tx, row, { withMembers, deps });
    }
    const changed = await updateDirectoryGroup(tx, { id, organizationId, ...columnsOf(resource) }).catch(refuseTakenGroup);
    if (changed === undefined) throw failures.notFound('Group');
    const rowIds = [...added, ...removed];
    emit(...(await directoryEvents(tx, { organizationId, groupIds: [id], rowIds, by: callerOf(context).userId })));
    const shown = ({ attributes, externalId }: typeof row) => ({ displayName: attributes['displayName'], externalId });
    const counts = { added: added.length, removed: removed.length };
    const named = { addedIds: added.slice(0, mostNamed), removedIds: removed.slice(0, mostNamed) };
    audit({ targetType: 'DirectoryGroup', targetId: id, before: shown(row), after: shown(changed), detail: { ...counts, ...named } });
    return showGroup(tx, changed, { withMembers, deps });
  },
});
