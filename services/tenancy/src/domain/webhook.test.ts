import { expect, test } from '@jest/globals';
import { consolePathOf } from './webhook.ts';

test('the console shows a webhook under its organization, or under its project', () => {
  const paths = [
    { organizationId: 'o1', accountId: null, projectId: null },
    { organizationId: 'o1', accountId: null, projectId: 'p1' },
    { organizationId: null, accountId: 'a1', projectId: 'p1' },
  ].map((tenant) => consolePathOf(tenant, 'w1'));
  expect(paths).toStrictEqual(['/console/org/o1/webhooks/w1', '/console/org/o1/prj/p1/webhooks/w1', '/console/acc/a1/prj/p1/webhooks/w1']);
});
