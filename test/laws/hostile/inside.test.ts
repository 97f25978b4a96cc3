/** An attacker on the internal network who does not know the services' secret. */

import { describe, expect, test } from '@jest/globals';
import { connect } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { signRequest } from '../../../services/keys/src/testing/service.ts';
import { openStack } from '../../support/shared-stack.ts';
import { createPerson } from '../../support/world.ts';

const stack = await openStack();
const person = await createPerson(stack);

const wish = signRequest(person.userId);
const services = ['identity', 'tenancy', 'rbac', 'keys'] as const;
const guessed = 'a secret of the right length, but not the right one';
const refused = { cause: { message: expect.stringContaining('UNAUTHENTICATED: service credential') } };

describe('without the services’ secret', () => {
  test('a caller without a credential signs no token, gets no decision, changes no role', async () => {
    const common = { secret: guessed, self: 'identity' };
    const keys = connect({ ...common, service: 'keys.v1.Keys', url: stack.grpcUrls.keys });
    const roles = connect({ ...common, service: 'rbac.v1.Roles', url: stack.grpcUrls.rbac });
    await expect(keys.sign(wish)).rejects.toMatchObject(refused);
    await expect(keys.getVerificationKey({ kid: newId() })).rejects.toMatchObject(refused);
    await expect(roles.listOwnedOrganizations({ userId: person.userId })).rejects.toMatchObject(refused);
    for (const client of [keys, roles]) client.close();
  });

  test('no inbox takes an event', async () => {
    for (const service of services) {
      const inbox = connect({ service: 'events.v1.Inbox', url: stack.grpcUrls[service], secret: guessed, self: 'identity' });
      const payloadJson = JSON.stringify({ userId: person.userId });
      const event = { id: newId(), type: 'user.deleted', key: person.userId, payloadJson, occurredAt: new Date().toISOString() };
      await expect(inbox.deliver({ producer: 'identity', events: [event] })).rejects.toMatchObject(refused);
      inbox.close();
    }
    // And nothing has happened.
    expect((await person.client.get('/api/me', person.token)).status).toBe(200);
  });
});

describe('with it', () => {
  test('only identity has tokens signed, and never with a role or the scope of another project', async () => {
    const system = { tenant: 'system', id: '' };
    for (const self of ['tenancy', 'rbac', 'gateway']) {
      const keys = connect({ service: 'keys.v1.Keys', url: stack.grpcUrls.keys, secret: stack.internalAuthSecret, self });
      expect(await keys.sign(wish).catch((error: unknown) => error)).toStrictEqualFor(self, expect.objectContaining({ kind: 'forbidden' }));
      keys.close();
    }
    const keys = connect({ service: 'keys.v1.Keys', url: stack.grpcUrls.keys, secret: stack.internalAuthSecret, self: 'identity' });
    const project = { tenant: 'organizationProject', id: `${newId()}:${newId()}` };
    const elsewhere = { tenant: 'organizationProjectUser', id: `${newId()}:${newId()}:${person.userId}` };
    const inside = { tenant: 'organizationProjectUser', id: `${project.id}:${person.userId}` };
    const wishes: readonly object[] = [
      { scope: project, claimsJson: '{"isVerified":true}' },
      { scope: system, type: 'apiKey', claimsJson: JSON.stringify({ scope: inside }) },
      { scope: project, type: 'apiKey', claimsJson: JSON.stringify({ scope: elsewhere }) },
      { scope: project, type: 'apiKey', claimsJson: JSON.stringify({ scope: inside, roleId: newId() }) },
      { scope: system, claimsJson: '{"isVerified":true,"sub":"x"}' },
      { scope: system, claimsJson: '{"isVerified":true,"exp":9999999999}' },
      { scope: system, lifetimeSeconds: 86_400 },
      { scope: system, audience: 'https://evil.example' },
      { scope: system, type: 'root' },
      { scope: system, subject: 'root' },
    ];
    for (const special of wishes)
      expect(await keys.sign({ ...wish, ...special }).catch((error: unknown) => error)).toStrictEqualFor(
        special,
        expect.objectContaining({ kind: 'bad-input' }),
      );
    keys.close();
  });
});
