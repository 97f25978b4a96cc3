import { expect, test } from '@jest/globals';
import type { Permission } from './plan.ts';
import { keyOf, permissionsOf, type Resource, rowsOf, sourcesOf, tickOf } from './ticks.ts';

const common = { createdAt: '', updatedAt: '', deletedAt: null, description: null, isShared: false, primaryTagId: null };
const permission = (action: string, condition: Permission['condition'] = null): Permission => ({
  ...common,
  id: action,
  name: action,
  resourceId: 'invoice',
  action,
  condition,
});
const invoice: Resource = {
  ...common,
  id: 'invoice',
  name: 'Invoice',
  slug: 'invoice',
  actions: ['read', 'pay'],
  isActive: true,
  isBuiltIn: false,
  identifier: null,
};

test('what is ticked is sent by resource', () => {
  const keys = [keyOf(permission('read')), keyOf({ resourceId: 'parcel', action: 'send' }), keyOf(permission('pay'))];
  expect(permissionsOf(keys)).toStrictEqual([
    { resourceId: 'invoice', actions: ['read', 'pay'] },
    { resourceId: 'parcel', actions: ['send'] },
  ]);
});

test('a box says whether the role, a group, or a group under a condition gives the action', () => {
  const sources = sourcesOf([], [{ name: 'shared', permissions: [permission('read'), permission('pay', { Equals: {} })] }]);
  const tick = (action: string, chosen: readonly string[] = []) => {
    const key = keyOf(permission(action));
    return tickOf(key, chosen, sources.get(key) ?? []);
  };
  expect([tick('read'), tick('pay'), tick('void')]).toStrictEqual(['group', 'partly', 'none']);
  // What a group gives under a condition can be given without.
  expect(tick('pay', [keyOf(permission('pay'))])).toBe('own');
});

test('an action that is given is shown though the resource has it no more', () => {
  const [row] = rowsOf([invoice], [keyOf(permission('void')), keyOf({ resourceId: 'other', action: 'x' })]);
  expect(row?.actions).toStrictEqual(['read', 'pay', 'void']);
});
