import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { organizationRoles, rankOf } from './catalogue.ts';
import { type Actor, actionsNotHeld, mayTouchMember, type RoleToGive, verdictOnGiving } from './escalation.ts';
import { compileRights, type HeldRole } from './rights.ts';

function builtIn(name: (typeof organizationRoles)[number]): HeldRole {
  return {
    ...{ id: name, name, description: null, metadata: {}, isBuiltIn: true, rank: rankOf(name) },
  };
}
function actor(name: (typeof organizationRoles)[number] | undefined, cap?: readonly string[]): Actor {
  return {
    rights: compileRights(name === undefined ? [] : [builtIn(name)], []),
    cap,
  };
}
function custom(...actions: readonly string[]): RoleToGive {
  return {
    ...{ name: 'custom', isBuiltIn: false, rank: null },
    actions: actions.map((name) => ({ resource: name.split(':')[0] ?? '', action: name.split(':')[1] ?? '', condition: null })),
  };
}
function role(name: (typeof organizationRoles)[number]): RoleToGive {
  return { name, isBuiltIn: true, rank: rankOf(name), actions: [] };
}

describe('giving roles', () => {
  const table: Record<string, readonly string[]> = {
    Owner: ['Owner', 'Admin', 'Dev', 'Viewer'],
    Admin: ['Dev', 'Viewer'],
    Dev: ['Viewer'],
    Viewer: [],
  };
  for (const giver of organizationRoles) {
    for (const given of organizationRoles) {
      const allowed = table[giver]?.includes(given) ?? false;
      it(`${giver} ${allowed ? 'may' : 'may not'} make somebody ${given}`, () => {
        assert.equal(verdictOnGiving(actor(giver), role(given), 'member'), allowed ? 'allowed' : 'above-own-rank');
      });
      it(`${giver} ${rankOf(given) >= rankOf(giver) ? 'may' : 'may not'} make a key with ${given}`, () => {
        const expected = rankOf(given) >= rankOf(giver) ? 'allowed' : 'above-own-rank';
        assert.equal(verdictOnGiving(actor(giver), role(given), 'key'), expected);
      });
    }
  }

  it('somebody without a ranked role gives none', () => {
    assert.equal(verdictOnGiving(actor(undefined), role('Viewer'), 'member'), 'above-own-rank');
  });

  it('of one’s own making depends on what they hold', () => {
    assert.equal(verdictOnGiving(actor('Dev'), custom('Role:Create', 'Document:Read'), 'member'), 'allowed');
    assert.equal(verdictOnGiving(actor('Dev'), custom('Organization:Update'), 'member'), 'escalation');
    assert.equal(verdictOnGiving(actor('Viewer'), custom('Document:Read'), 'member'), 'allowed');
  });

  it('under a cap gives no more than the cap', () => {
    assert.equal(verdictOnGiving(actor('Owner', ['Role:Create']), custom('Role:Create'), 'key'), 'allowed');
    assert.equal(verdictOnGiving(actor('Owner', ['Role:Create']), custom('Role:Delete'), 'key'), 'escalation');
    assert.equal(verdictOnGiving(actor('Owner', []), role('Viewer'), 'key'), 'escalation');
  });
});

describe('giving actions', () => {
  it('held under a condition works under the very same condition only', () => {
    const dev = actor('Dev');
    const own = { Equals: { 'resource.createdBy': '{{user.id}}' } };
    assert.deepEqual(actionsNotHeld(dev, [{ resource: 'ApiKey', action: 'Delete', condition: own }]), []);
    assert.equal(actionsNotHeld(dev, [{ resource: 'ApiKey', action: 'Delete', condition: null }]).length, 1);
    assert.equal(actionsNotHeld(dev, [{ resource: 'ApiKey', action: 'Delete', condition: { Not: own } }]).length, 1);
  });

  it('held under a condition on the role or the group that gives them are nobody’s to pass on: another one may meet it', () => {
    const holder: HeldRole = { id: 'r', name: 'r', description: null, metadata: {}, isBuiltIn: false, rank: null };
    for (const path of ['role.metadata.tier', 'group.name']) {
      const condition = { Equals: { [path]: 'gold' } };
      const permission = { id: 'p', name: 'p', resource: 'Organization', action: 'Delete', condition };
      const rights = compileRights([holder], [{ role: holder, group: holder, permission }]);
      assert.equal(actionsNotHeld({ rights, cap: undefined }, [permission]).length, 1, path);
    }
  });

  it('that do not exist among the built-in ones is nobody’s loss', () => {
    assert.deepEqual(actionsNotHeld(actor('Viewer'), [{ resource: 'Document', action: 'Read', condition: null }]), []);
  });
});

describe('touching members', () => {
  it('goes downwards; Owners touch Owners', () => {
    const may = (of: (typeof organizationRoles)[number] | undefined, member: number | undefined) =>
      mayTouchMember(actor(of).rights, member);
    assert.ok(may('Owner', 1));
    assert.ok(!may('Admin', 1) && !may('Admin', 2) && may('Admin', 3) && may('Admin', undefined));
    assert.ok(!may('Viewer', 4) && may('Viewer', undefined));
    assert.ok(!may(undefined, undefined) && !may(undefined, 4));
  });
});
