import { newId } from '@tessera/kernel/ids';
import { describeIdentityContract } from '../../../../proto/identity/v1/testing/identity-contract.ts';
import { FakeIdentity } from './fake-identity.ts';

const identity = new FakeIdentity();

describeIdentityContract({
  identity: () => identity.client,
  register: async () => {
    const id = newId();
    const email = `person.${id}@example.com`;
    identity.people.set(id, { id, name: 'Person', email, isVerified: false });
    return { userId: id, email };
  },
});
