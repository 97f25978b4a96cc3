import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { ids, makeWorkshop, names } from '../../testing/scenario.ts';
import { type Json, startTestStack } from '../../testing/service.ts';

const stack = await startTestStack();
afterAll(() => stack.stop());

describe('tags', () => {
  test('the records of a creation and a change have the tags before and after', async () => {
    const { owner } = await makeWorkshop(stack);
    const tag = await owner.make('tags', { name: 'red', color: 'red' });
    const tagIds = [tag.id];
    const resource = await owner.make('resources', { name: 'Doc', actions: ['Read'], tagIds });
    const permission = { name: 'read', action: 'Read', resourceId: resource.id };
    const made = {
      resources: resource,
      permissions: await owner.make('permissions', { ...permission, tagIds }),
      groups: await owner.make('groups', { name: 'g', tagIds }),
      roles: await owner.make('roles', { name: 'r', tagIds }),
    };
    for (const [path, { id }] of Object.entries(made)) {
      expect((await owner.patch(`${path}/${id}`, { tagIds })).status).toStrictEqualFor(path, 200);
      expect((await owner.patch(`${path}/${id}`, { tagIds: [] })).status).toStrictEqualFor(path, 200);
      const rows = await stack.openDatabase().query<{ change: unknown }>(
        sql(`SELECT change FROM audit_log, jsonb_array_elements(changes) AS change
          WHERE target_id = $1 AND change->>'field' = 'tagIds' ORDER BY at, id`),
        [id],
      );
      expect(rows.map(({ change }) => change)).toStrictEqualFor(path, [
        { field: 'tagIds', before: [], after: tagIds },
        { field: 'tagIds', before: tagIds, after: [] },
      ]);
    }
  });

  test('entities carry tags of their scope, and lists filter by all given tags (spec:rest.12)', async () => {
    const { owner, inOrganization } = await makeWorkshop(stack);
    const [red, blue] = [
      await owner.make('tags', { name: 'red', color: 'red' }),
      await owner.make('tags', { name: 'blue', color: 'blue' }),
    ];
    const both = await owner.make('roles', { name: 'both', tagIds: ids(red, blue), primaryTagId: blue.id });
    const one = await owner.make('roles', { name: 'one', tagIds: [red.id] });
    expect([both.primaryTagId, one.primaryTagId]).toStrictEqual([blue.id, null]);
    const carrying = async (...tags: Json[]) =>
      names((await owner.list('roles', `&sortField=name&tagIds=${ids(...tags).join(',')}`)).data.items);
    expect([await carrying(red), await carrying(red, blue), await carrying(blue, blue)]).toStrictEqual([
      ['both', 'one'],
      ['both'],
      ['both'],
    ]);
    expect(names((await owner.list('roles', '&sortField=name&relations=tags')).data.items?.map((row) => row)[0]?.tags)).toStrictEqual([
      'blue',
      'red',
    ]);
    const foreign = await inOrganization.make('tags', { name: 'far', color: 'green' });
    expect((await owner.patch(`roles/${one.id}`, { tagIds: [foreign.id] })).status).toBe(404);
    expect((await owner.patch(`roles/${one.id}`, { primaryTagId: blue.id })).status).toBe(400);
    expect((await owner.patch(`roles/${one.id}`, { primaryTagId: red.id })).data.primaryTagId).toBe(red.id);
    expect((await owner.patch(`roles/${one.id}`, { name: 'still' })).data.primaryTagId).toBe(red.id);
    expect((await owner.patch(`roles/${one.id}`, { primaryTagId: null })).data.primaryTagId).toBeNull();
    expect((await owner.remove(`tags/${blue.id}`)).status).toBe(200);
    expect([await carrying(red), await carrying(blue)]).toStrictEqual([
      ['both', 'one'].map((name) => (name === 'one' ? 'still' : name)),
      [],
    ]);
    expect((await owner.list('roles', '&search=both')).data.items?.map(({ primaryTagId }) => primaryTagId)[0]).toBeNull();
    expect((await owner.post('tags', { name: 'x', color: 'black' })).status).toBe(400);
  });

  test('of other services’ entities are set by events and read over gRPC, within one scope', async () => {
    const { owner, inOrganization, acme, project } = await makeWorkshop(stack);
    const { tags } = stack.clientOf(0);
    const [red, blue] = [
      await inOrganization.make('tags', { name: 'red', color: 'red' }),
      await inOrganization.make('tags', { name: 'blue', color: 'blue' }),
    ];
    const far = await owner.make('tags', { name: 'far', color: 'gray' });
    expect(await tags.checkTags({ scope: acme.scope, tagIds: ids(red, far) })).toStrictEqual({ missing: [far.id] });
    const [, projectId = ''] = project.id.split(':');
    for (const [entity, entityId] of [
      ['project', projectId],
      ['user', newId()],
    ] as const) {
      const tag = (tagIds: string[], primaryTagId: string | null = null) =>
        entity === 'project'
          ? stack.tell('project.tagged', { scope: acme.scope, projectId, tagIds, primaryTagId })
          : stack.tell('entity.tagged', { scope: acme.scope, entity, entityId, tagIds, primaryTagId });
      await tag(ids(red, blue), `${red.id}`);
      const { entities } = await tags.listEntityTags({ scope: acme.scope, entity, entityIds: [entityId, newId()] });
      expect(entities.map(({ tags: own, primaryTagId }) => [own.map(({ name }) => name), primaryTagId])).toStrictEqual([
        [['blue', 'red'], red.id],
        [[], undefined],
      ]);
      expect(await tags.listTaggedEntities({ scope: acme.scope, entity, tagIds: ids(red, blue) })).toStrictEqual({ entityIds: [entityId] });
      await tag(ids(blue));
      expect(await tags.listTaggedEntities({ scope: acme.scope, entity, tagIds: ids(red) })).toStrictEqual({ entityIds: [] });
      await tag(ids(blue, far));
      const { entities: kept } = await tags.listEntityTags({ scope: acme.scope, entity, entityIds: [entityId] });
      expect(kept.map(({ tags: own }) => own.map(({ name }) => name))).toStrictEqual([['blue']]);
    }
    await expect(tags.listEntityTags({ scope: acme.scope, entity: 'planet', entityIds: [newId()] })).rejects.toMatchObject({
      kind: 'validation',
    });
  });
});
