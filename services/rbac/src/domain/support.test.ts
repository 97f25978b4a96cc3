import { describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { builtInResources } from './catalogue.ts';
import { covers, isWithin, type Support } from './support.ts';

const [owner, project, organizationId] = [newId(), newId(), newId()];
const support: Support = {
  project: { tenant: 'organizationProject', id: `${owner}:${project}` },
  organizationId,
  mayWrite: false,
  mayExport: false,
};

describe('a supporter', () => {
  test('acts in the organization and its use of the one project, and nowhere else', () => {
    expect(isWithin(support, { tenant: 'organization', id: organizationId })).toBe(true);
    expect(isWithin(support, { tenant: 'organizationProject', id: `${organizationId}:${project}` })).toBe(true);
    for (const scope of [
      { tenant: 'organizationProject', id: `${organizationId}:${newId()}` },
      { tenant: 'organizationProject', id: `${owner}:${project}` },
      { tenant: 'organization', id: owner },
      { tenant: 'account', id: organizationId },
      { tenant: 'accountProject', id: `${organizationId}:${project}` },
    ] as const)
      expect([scope, isWithin(support, scope)]).toStrictEqual([scope, false]);
  });

  test.each([
    [{}, (action: string) => ['Read', 'Query', 'Evaluate'].includes(action)],
    [{ mayExport: true }, (action: string) => ['Read', 'Query', 'Evaluate', 'Export', 'ExportData'].includes(action)],
    [{ mayWrite: true }, (action: string, resource: string) => ['Read', 'Query', 'Evaluate'].includes(action) || resource === 'Tag'],
  ])('does of the built-in actions what the consent %j says', (consent, isCovered) => {
    for (const [resource, actions] of Object.entries(builtInResources))
      for (const action of actions)
        expect([resource, action, covers({ ...support, ...consent }, resource, action)]).toStrictEqual([
          resource,
          action,
          isCovered(action, resource),
        ]);
  });

  test('reads by the product’s own actions as they are called, and changes only with mayWrite', () => {
    for (const action of ['Read', 'list', 'GetOne', 'search']) expect(covers(support, 'Order', action)).toBe(true);
    for (const action of ['Write', 'Approve', 'Delete', '']) {
      expect(covers(support, 'Order', action)).toBe(false);
      expect(covers({ ...support, mayWrite: true }, 'Order', action)).toBe(true);
    }
  });
});
