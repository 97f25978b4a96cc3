import { describe, expect, test } from '@jest/globals';
import { type KindName, kinds, type Standing } from './kinds.ts';
import { planSteps, type State, toManifest } from './plan.ts';
import type { Entry, Manifest } from './schema.ts';

function stateOf(entries: Partial<Record<KindName, readonly Entry[]>>): State {
  const standing = (entry: Entry): Standing => ({ id: 'id', isBuiltIn: false, version: { updatedAt: '2026-01-01T00:00:00.000Z' }, entry });
  return Object.fromEntries(
    kinds.map(({ name, key }) => [name, new Map((entries[name] ?? []).map((entry) => [String(entry[key]), standing(entry)]))]),
  ) as unknown as State;
}

const project: Partial<Record<KindName, readonly Entry[]>> = {
  resources: [{ slug: 'invoice', name: 'Invoice', actions: ['Read', 'pay'] }],
  groups: [{ name: 'Accounting', permissions: [] }],
  roles: [{ name: 'Accountant', groups: ['Accounting', 'Auditing'], metadata: { team: 'a', rank: 1 } }],
  apps: [{ name: 'Books', type: 'web', redirectUris: ['https://old.example/cb'], allowSignUp: true }],
};
const state = stateOf({ ...project, groups: [...(project.groups ?? []), { name: 'Auditing', permissions: [] }] });
const manifest: Manifest = {
  version: 1,
  resources: [{ slug: 'invoice', name: 'Invoice', actions: ['read', 'pay'] }],
  groups: [{ name: 'Accounting' }],
  roles: [{ name: 'Accountant', groups: ['Accounting'], metadata: { team: 'b' } }],
  apps: [{ name: 'Books', redirectUris: ['https://new.example/cb'], allowSignUp: false }],
};
const said = (isPruning: boolean) => {
  const { steps, kept } = planSteps(manifest, state, isPruning);
  const updates = steps.flatMap((step) =>
    step.action === 'update' ? step.changes.map(({ field, after }) => [step.name, field, after]) : [[step.name, step.action]],
  );
  return { updates, kept: kept.map(({ name, field, values }) => [name, field, values]) };
};

describe('a plan', () => {
  test('takes nothing away without --prune, also inside an entry, and says what --prune would take', () => {
    expect(said(false)).toStrictEqual({
      updates: [
        ['invoice', 'actions', ['Read', 'pay', 'read']],
        ['Accountant', 'metadata', { team: 'b', rank: 1 }],
        ['Books', 'redirectUris', ['https://old.example/cb', 'https://new.example/cb']],
        ['Books', 'allowSignUp', false],
      ],
      kept: [
        ['invoice', 'actions', ['Read']],
        ['Auditing', undefined, undefined],
        ['Accountant', 'groups', ['Auditing']],
        ['Accountant', 'metadata', ['rank']],
        ['Books', 'redirectUris', ['https://old.example/cb']],
      ],
    });
  });

  test('makes lists exactly what the manifest says with --prune', () => {
    expect(said(true)).toStrictEqual({
      updates: [
        ['invoice', 'actions', ['read', 'pay']],
        ['Accountant', 'groups', ['Accounting']],
        ['Accountant', 'metadata', { team: 'b' }],
        ['Books', 'redirectUris', ['https://new.example/cb']],
        ['Books', 'allowSignUp', false],
        ['Auditing', 'remove'],
      ],
      kept: [],
    });
  });
});

describe('apps that may act by the tokens of others', () => {
  const named = (apps: readonly Entry[], standing: readonly Entry[] = []) =>
    planSteps({ version: 1, apps } as unknown as Manifest, stateOf({ apps: standing }), false);

  test('are made before those that name them, whatever the order of the manifest', () => {
    const { steps } = named([{ name: 'Shop', mayAct: ['Agent'] }, { name: 'Agent', mayAct: ['Billing'] }, { name: 'Billing' }]);
    expect(steps.map(({ name }) => name)).toStrictEqual(['Billing', 'Agent', 'Shop']);
  });

  test('are named, and exported, by name; a name that is taken out stays without --prune, and is said', () => {
    const standing = [{ name: 'Shop', mayAct: ['Agent', 'Billing'] }, { name: 'Agent' }, { name: 'Billing' }];
    const plan = named([{ name: 'Shop', mayAct: ['Agent'] }], standing);
    expect(plan.steps).toStrictEqual([]);
    expect(plan.kept).toContainEqual(expect.objectContaining({ name: 'Shop', field: 'mayAct', values: ['Billing'] }));
    expect(toManifest(stateOf({ apps: standing })).apps).toContainEqual({ name: 'Shop', mayAct: ['Agent', 'Billing'] });
  });

  test('that nobody has, or that name each other before either is there, are refused with a word on what to do', () => {
    expect(() => named([{ name: 'Shop', mayAct: ['Nobody'] }])).toThrow('Shop refers to Nobody, which is none of the apps.');
    const circle = [
      { name: 'One', mayAct: ['Two'] },
      { name: 'Two', mayAct: ['One'] },
    ];
    expect(() => named(circle)).toThrow('One, Two name each other.');
    expect(named(circle, [{ name: 'Two' }]).steps.map(({ name }) => name)).toStrictEqual(['One', 'Two']);
  });
});
