import { describe, expect, test } from '@jest/globals';
import { organizationRoles, rankOf } from './catalogue.ts';
import { type Actor, actionsNotHeld, mayTouchMember, type RoleToGive, verdictOnGiving } from './escalation.ts';
import { compileRights, type HeldRole } from './rights.ts';

function builtIn(name: (typeof organizationRoles)[number]): HeldRole {
  return {
    id: name,
    name,
    description: null,
    metadata: {},
    isBuiltIn: true,
    rank: rankOf(name),
  };
}
function actor(name: (typeof organizationRoles)[number] | undefined, cap?: readonly string[]): Actor {
  return {
    rights: compileRights(name === undefined ? [] : [builtIn(name)], []),
    cap,
    isDelegated: false,
  };
}
function custom(...actions: readonly string[]): RoleToGive {
  return {
    name: 'custom',
    isBuiltIn: false,
    rank: null,
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
  for (const giver of organizationRoles)
    for (const given of organizationRoles) {
      const allowed = table[giver]?.includes(given) ?? false;
      test(`${giver} ${allowed ? 'may' : 'may not'} give a member ${given}`, () =>
        expect(verdictOnGiving(actor(giver), role(given), 'member')).toBe(allowed ? 'allowed' : 'above-own-rank'));
      test(`${giver} ${rankOf(given) >= rankOf(giver) ? 'may' : 'may not'} give a key ${given}`, () => {
        const expected = rankOf(given) >= rankOf(giver) ? 'allowed' : 'above-own-rank';
        expect(verdictOnGiving(actor(giver), role(given), 'key')).toBe(expected);
      });
    }

  test('an actor without a ranked role gives no ranked role', () =>
    expect(verdictOnGiving(actor(undefined), role('Viewer'), 'member')).toBe('above-own-rank'));

  test('a custom role may be given when the actor holds its actions', () => {
    expect(verdictOnGiving(actor('Dev'), custom('Role:Create', 'Document:Read'), 'member')).toBe('allowed');
    expect(verdictOnGiving(actor('Dev'), custom('Organization:Update'), 'member')).toBe('escalation');
    expect(verdictOnGiving(actor('Viewer'), custom('Document:Read'), 'member')).toBe('allowed');
  });

  test('a capped actor gives no more than its cap', () => {
    expect(verdictOnGiving(actor('Owner', ['Role:Create']), custom('Role:Create'), 'key')).toBe('allowed');
    expect(verdictOnGiving(actor('Owner', ['Role:Create']), custom('Role:Delete'), 'key')).toBe('escalation');
    expect(verdictOnGiving(actor('Owner', []), role('Viewer'), 'key')).toBe('escalation');
  });
});

describe('giving actions', () => {
  test('an action held under a condition may be given only under the same condition', () => {
    const dev = actor('Dev');
    const own = { Equals: { 'resource.createdBy': '{{user.id}}' } };
    expect(actionsNotHeld(dev, [{ resource: 'ApiKey', action: 'Delete', condition: own }])).toStrictEqual([]);
    expect(actionsNotHeld(dev, [{ resource: 'ApiKey', action: 'Delete', condition: null }])).toHaveLength(1);
    expect(actionsNotHeld(dev, [{ resource: 'ApiKey', action: 'Delete', condition: { Not: own } }])).toHaveLength(1);
  });

  test('an action held under a condition on its role or group cannot be given', () => {
    const holder: HeldRole = { id: 'r', name: 'r', description: null, metadata: {}, isBuiltIn: false, rank: null };
    for (const path of ['role.metadata.tier', 'group.name']) {
      const condition = { Equals: { [path]: 'gold' } };
      const permission = { id: 'p', name: 'p', resource: 'Organization', action: 'Delete', condition };
      const rights = compileRights([holder], [{ role: holder, group: holder, permission }]);
      expect(actionsNotHeld({ rights, cap: undefined, isDelegated: false }, [permission]).length).toStrictEqualFor(path, 1);
    }
  });

  test('an app that acts for a person by exchange gives no role and no built-in action', () => {
    const owner = { ...actor('Owner'), isDelegated: true };
    expect(actionsNotHeld(owner, [{ resource: 'Role', action: 'Query', condition: null }])).toHaveLength(1);
    expect(verdictOnGiving(owner, custom(), 'member')).toBe('escalation');
  });

  test('actions that are not built in may always be given', () =>
    expect(actionsNotHeld(actor('Viewer'), [{ resource: 'Document', action: 'Read', condition: null }])).toStrictEqual([]));
});

describe('changing members', () => {
  test('actors change members of a lower rank, and Owners also change Owners', () => {
    const may = (of: (typeof organizationRoles)[number] | undefined, member: number | undefined) =>
      mayTouchMember(actor(of).rights, member);
    expect(may('Owner', 1)).toBe(true);
    expect(may('Admin', 1)).toBe(false);
    expect(may('Admin', 2)).toBe(false);
    expect(may('Admin', 3)).toBe(true);
    expect(may('Admin', undefined)).toBe(true);
    expect(may('Viewer', 4)).toBe(false);
    expect(may('Viewer', undefined)).toBe(true);
    expect(may(undefined, undefined)).toBe(false);
    expect(may(undefined, 4)).toBe(false);
  });
});
