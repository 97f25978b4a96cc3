import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { giverOf } from '../../domain/escalation.ts';
import { previewMapping } from '../../storage/directory.ts';
import { findSeats } from '../../storage/grants.ts';
import { loadRightsWithin } from '../../storage/rights.ts';
import { addressed } from '../schemas.ts';
import { roleIdsField } from './groups.ts';
import { planMapping } from './mapping.ts';

/** So many people are named; all are counted. */
const mostNamed = 100;

export const DirectoryGroupPreview = Type.Object({
  gainCount: Type.Integer({ description: 'People who would get a role that they do not have' }),
  lossCount: Type.Integer({ description: 'People who would lose a role' }),
  seatsLeft: Type.Union([Type.Integer(), Type.Null()], { description: 'Of a grant: how many more people may hold a role. Null: no limit' }),
  people: Type.Array(Type.Object({ userId: Id, name: Type.String(), gains: Type.Array(Id), losses: Type.Array(Id) }), {
    description: 'The first hundred',
  }),
});

export const previewDirectoryGroup = operation({
  name: 'previewDirectoryGroup',
  summary: 'Shows who would gain and lose which roles, if a group of the directory gave these; it changes nothing.',
  kind: 'query',
  input: strict({ ...addressed, ...roleIdsField }),
  output: DirectoryGroupPreview,
  access: { permission: 'Directory:Update', target: async ({ id }) => ({ id }) },
  scopes: ['organization', 'organizationProject'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  audit: { none: 'nothing changes' },
  events: [],
  rest: { method: 'POST', path: '/api/directory-groups/:id/preview' },
  graphql: { field: 'previewDirectoryGroup', type: 'DirectoryGroupPreview' },
  handle: async ({ id, roleIds }, context) => {
    const { tx } = context;
    const scope = scopeOf(context);
    const { subject } = callerOf(context);
    const loaded = await loadRightsWithin(tx, scope, subject);
    if (loaded === undefined) throw failures.forbidden();
    const actor = giverOf(loaded.rights, subject);
    const { organizationId, given, goneIds } = await planMapping(tx, { scope, actor }, { id, roleIds });
    const asked = {
      organizationId,
      tenant: scope.tenant,
      scopeId: scope.id,
      groupId: id,
      added: given.map((role) => role.id),
      removed: goneIds,
    };
    const gifts = await previewMapping(tx, asked);
    const counted = (isGain: boolean) => new Set(gifts.filter((gift) => gift.isGain === isGain).map(({ userId }) => userId)).size;
    const byPerson = [...Map.groupBy(gifts, ({ userId }) => userId)].slice(0, mostNamed);
    const seats = scope.grant === undefined ? undefined : await findSeats(tx, scope.grant.placeId);
    const people = byPerson.map(([userId, own]) => {
      const roles = (isGain: boolean) => own.filter((gift) => gift.isGain === isGain).map(({ roleId }) => roleId);
      return { userId, name: '', gains: roles(true), losses: roles(false) };
    });
    const most = seats?.most ?? null;
    return {
      gainCount: counted(true),
      lossCount: counted(false),
      seatsLeft: most === null ? null : Math.max(most - (seats?.used ?? 0), 0),
      people,
    };
  },
  complete: async (preview, { deps }) => {
    const known = await deps.findPeople(preview.people.map(({ userId }) => userId));
    const names = new Map(known.map(({ id, name }) => [id, name]));
    return { ...preview, people: preview.people.map((person) => ({ ...person, name: names.get(person.userId) ?? '' })) };
  },
});
