import { expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { createRoles } from './roles.ts';

test('a maker is asked for anew as soon as rights have changed (B3)', async () => {
  const changes = new Set<() => void>();
  let verdict = 'allowed';
  const roles = createRoles(
    {
      checkGrant: async ({ roleIds }) => ({ verdicts: roleIds.map((roleId) => ({ roleId, verdict })) }),
      listSubjectRoles: async () => ({ subjects: [] }),
      getRoles: async () => ({ roles: [] }),
    },
    {
      subscribe: (topic, handler) => {
        if (topic === 'tenant-changed') changes.add(() => handler({ tenantKey: newId(), version: 1 } as never));
        return () => undefined;
      },
      onReconnect: () => () => undefined,
    },
  );
  const [maker, roleId] = [{ type: 'session', userId: newId(), tokenId: newId() } as const, newId()];
  const project = { tenant: 'organizationProject', id: `${newId()}:${newId()}` } as const;
  const mayGive = () => roles.couldStillGive(maker, project, roleId);
  expect(await mayGive()).toBe(true);
  verdict = 'escalation';
  expect(await mayGive()).toBe(true);
  for (const announce of changes) announce();
  expect(await mayGive()).toBe(false);
});
