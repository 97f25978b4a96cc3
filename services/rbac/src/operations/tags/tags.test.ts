import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { ids, makeWorkshop, names } from '../../testing/scenario.ts';
import { type Json, startTestStack, type TestStack } from '../../testing/service.ts';

let stack: TestStack;
before(async () => {
  stack = await startTestStack();
});
after(() => stack.stop());

describe('tags', () => {
  it('are carried by entities of their scope; a list keeps those that carry all (spec:rest.12)', async () => {
    const { owner, inOrganization } = await makeWorkshop(stack);
    const [red, blue] = [
      await owner.make('tags', { name: 'red', color: 'red' }),
      await owner.make('tags', { name: 'blue', color: 'blue' }),
    ];
    const both = await owner.make('roles', { name: 'both', tagIds: ids(red, blue), primaryTagId: blue.id });
    const one = await owner.make('roles', { name: 'one', tagIds: [red.id] });
    assert.deepEqual([both.primaryTagId, one.primaryTagId], [blue.id, null]);
    const carrying = async (...tags: Json[]) =>
      names((await owner.list('roles', `&sortField=name&tagIds=${ids(...tags).join(',')}`)).data.items);
    assert.deepEqual([await carrying(red), await carrying(red, blue), await carrying(blue, blue)], [['both', 'one'], ['both'], ['both']]);
    assert.deepEqual(names((await owner.list('roles', '&sortField=name&relations=tags')).data.items?.map((row) => row)[0]?.tags), [
      'blue',
      'red',
    ]);
    const foreign = await inOrganization.make('tags', { name: 'far', color: 'green' });
    assert.equal((await owner.patch(`roles/${one.id}`, { tagIds: [foreign.id] })).status, 404);
    assert.equal((await owner.patch(`roles/${one.id}`, { primaryTagId: blue.id })).status, 400);
    assert.equal((await owner.patch(`roles/${one.id}`, { primaryTagId: red.id })).data.primaryTagId, red.id);
    assert.equal((await owner.patch(`roles/${one.id}`, { name: 'still' })).data.primaryTagId, red.id);
    assert.equal((await owner.patch(`roles/${one.id}`, { primaryTagId: null })).data.primaryTagId, null);
    assert.equal((await owner.remove(`tags/${blue.id}`)).status, 200);
    assert.deepEqual([await carrying(red), await carrying(blue)], [['both', 'one'].map((name) => (name === 'one' ? 'still' : name)), []]);
    assert.equal((await owner.list('roles', '&search=both')).data.items?.map(({ primaryTagId }) => primaryTagId)[0], null);
    assert.equal((await owner.post('tags', { name: 'x', color: 'black' })).status, 400);
  });

  it('of other services’ entities are kept over gRPC, within one scope', async () => {
    const { owner, inOrganization, acme, project } = await makeWorkshop(stack);
    const { tags } = stack.clientOf(0);
    const [red, blue] = [
      await inOrganization.make('tags', { name: 'red', color: 'red' }),
      await inOrganization.make('tags', { name: 'blue', color: 'blue' }),
    ];
    const far = await owner.make('tags', { name: 'far', color: 'gray' });
    assert.deepEqual(await tags.checkTags({ scope: acme.scope, tagIds: ids(red, far) }), { missing: [far.id] });
    const [, projectId = ''] = project.id.split(':');
    for (const [entity, entityId] of [
      ['project', projectId],
      ['user', newId()],
    ] as const) {
      await tags.setEntityTags({ scope: acme.scope, entity, entityId, tagIds: ids(red, blue), primaryTagId: `${red.id}` });
      const { entities } = await tags.listEntityTags({ scope: acme.scope, entity, entityIds: [entityId, newId()] });
      assert.deepEqual(
        entities.map(({ tags: own, primaryTagId }) => [own.map(({ name }) => name), primaryTagId]),
        [
          [['blue', 'red'], red.id],
          [[], undefined],
        ],
      );
      assert.deepEqual(await tags.listTaggedEntities({ scope: acme.scope, entity, tagIds: ids(red, blue) }), { entityIds: [entityId] });
      await tags.setEntityTags({ scope: acme.scope, entity, entityId, tagIds: ids(blue) });
      assert.deepEqual(await tags.listTaggedEntities({ scope: acme.scope, entity, tagIds: ids(red) }), { entityIds: [] });
      await assert.rejects(tags.setEntityTags({ scope: acme.scope, entity, entityId, tagIds: ids(far) }), { kind: 'not-found' });
    }
    await assert.rejects(tags.setEntityTags({ scope: acme.scope, entity: 'planet', entityId: newId(), tagIds: [] }), {
      kind: 'validation',
    });
  });
});
