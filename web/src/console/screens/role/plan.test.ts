import { expect, test } from '@jest/globals';
import { conflictOf } from '../../parts/form/merge.ts';
import { fieldOf, isEmpty, type Picture, planOf, valuesOf } from './plan.ts';

const common = { createdAt: '', updatedAt: '', deletedAt: null, description: null, metadata: {}, isShared: false, primaryTagId: null };
const permission = (id: string) => ({ ...common, id, name: id, resourceId: 'r', action: 'read', condition: null });
const group = (id: string, ...held: readonly string[]) => ({ ...common, id, name: id, roleId: null, permissions: held.map(permission) });
const picture: Picture = {
  updatedAt: '1',
  role: { ...common, id: 'role', name: 'Accountant', isBuiltIn: false, isGrantable: true, rank: null },
  own: { ...group('own', 'open'), roleId: 'role' },
  groupIds: ['invoices', 'reports'],
  groups: [group('invoices', 'read', 'approve'), group('reports', 'print'), group('other', 'sign')],
};
const values = valuesOf(picture);

test('what was opened and left alone changes nothing', () => {
  expect(isEmpty(planOf(values, picture))).toBe(true);
  expect(isEmpty(planOf({ ...values, name: ' Accountant ' }, picture))).toBe(true);
  expect(values.ticked).toStrictEqual(['r read']);
});

test('a plan says by group what is added and removed, and what the role gains and loses', () => {
  const wanted = {
    ...values,
    name: 'Bookkeeper',
    ticked: ['r pay'],
    groupIds: ['invoices', 'other'],
    [fieldOf('invoices')]: ['pay', 'read'],
    [fieldOf('other')]: [],
  };
  expect(planOf(wanted, picture)).toMatchObject({
    name: 'Bookkeeper',
    description: undefined,
    ticks: { added: ['r pay'], removed: ['r read'] },
    ownGroups: { added: ['other'], removed: ['reports'] },
    groups: [
      { group: { id: 'invoices' }, change: { added: ['pay'], removed: ['approve'] }, permissionIds: ['pay', 'read'] },
      { group: { id: 'other' }, change: { added: [], removed: ['sign'] }, permissionIds: [] },
    ],
  });
});

test('a group that the role loses keeps its own permissions', () => {
  const wanted = { ...values, groupIds: ['invoices'], [fieldOf('reports')]: [] };
  expect(planOf(wanted, picture).groups).toStrictEqual([]);
});

test('two people who change two groups are in no conflict; two in one group are', () => {
  const theirs = { ...values, [fieldOf('reports')]: ['print', 'send'] };
  const mine = { ...values, [fieldOf('invoices')]: ['read'] };
  // What was left alone becomes theirs, but is shown first.
  expect(conflictOf(values, theirs, { ...mine, [fieldOf('reports')]: ['print', 'send'] }).fields).toStrictEqual([]);
  expect(conflictOf(values, { ...values, [fieldOf('invoices')]: [] }, mine).fields).toStrictEqual([fieldOf('invoices')]);
});
