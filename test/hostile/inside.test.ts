/** Somebody who has reached the network between the services, but not their secret. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { connect } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { openStack, type SystemStack } from '../system/stack.ts';
import { createPerson, type Person } from '../system/world.ts';

let stack: SystemStack;
let person: Person;
before(async () => {
  stack = await openStack();
  person = await createPerson(stack);
});
after(() => stack.close());

const services = ['identity', 'tenancy', 'rbac', 'keys'] as const;
const guessed = 'a secret of the right length, but not the right one';
function refused({ cause }: Error): boolean {
  return String(cause).includes('UNAUTHENTICATED: service credential');
}

describe('without the services’ secret', () => {
  it('nobody signs a token, asks for decisions, or changes roles', async () => {
    const common = { secret: guessed, self: 'identity' };
    const keys = connect({ ...common, service: 'keys.v1.Keys', url: stack.grpcUrls.keys });
    const roles = connect({ ...common, service: 'rbac.v1.Roles', url: stack.grpcUrls.rbac });
    const wish = {
      type: 'session',
      subject: person.userId,
      tokenId: newId(),
      audience: '',
      lifetimeSeconds: 60,
      claimsJson: '{"isVerified":true}',
    };
    await assert.rejects(keys.sign({ scope: { tenant: 'system', id: '' }, ...wish }), refused);
    await assert.rejects(keys.getVerificationKey({ kid: newId() }), refused);
    await assert.rejects(roles.listOwnedOrganizations({ userId: person.userId }), refused);
    for (const client of [keys, roles]) client.close();
  });

  it('no inbox takes an event', async () => {
    for (const service of services) {
      const inbox = connect({ service: 'events.v1.Inbox', url: stack.grpcUrls[service], secret: guessed, self: 'identity' });
      const event = {
        id: newId(),
        type: 'user.deleted',
        key: person.userId,
        payloadJson: JSON.stringify({ userId: person.userId }),
        occurredAt: new Date().toISOString(),
      };
      await assert.rejects(inbox.deliver({ producer: 'identity', events: [event] }), refused, service);
      inbox.close();
    }
    assert.equal((await person.client.get('/api/me', person.token)).status, 200, 'and nothing has happened');
  });
});

describe('with it', () => {
  it('only identity has tokens signed, and nobody a role into them or a scope of another project', async () => {
    const wish = {
      type: 'session',
      subject: person.userId,
      tokenId: newId(),
      audience: '',
      lifetimeSeconds: 60,
      claimsJson: '{"isVerified":true}',
    };
    const system = { tenant: 'system', id: '' };
    for (const self of ['tenancy', 'rbac', 'gateway']) {
      const keys = connect({ service: 'keys.v1.Keys', url: stack.grpcUrls.keys, secret: stack.internalAuthSecret, self });
      await assert.rejects(keys.sign({ scope: system, ...wish }), { kind: 'forbidden' }, self);
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
      await assert.rejects(keys.sign({ scope: system, ...wish, ...special }), { kind: 'bad-input' }, JSON.stringify(special));
    keys.close();
  });
});
