/**
 * What the other services rely on of identity.v1.Identity. It runs on the service itself and on
 * each fake of it, so that a fake which drifts away fails.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type * as wire from '../../../generated/identity.v1.ts';

type Call<Request, Response> = (request: Request) => Promise<Response>;

export type IdentityUnderContract = {
  readonly filterWithoutSecondFactor: Call<wire.FilterWithoutSecondFactorRequest, wire.FilterWithoutSecondFactorResponse>;
  readonly findServiceAccount: Call<wire.FindServiceAccountRequest, wire.FindServiceAccountResponse>;
  readonly findServiceCredential: Call<wire.FindServiceCredentialRequest, wire.FindServiceCredentialResponse>;
  readonly findPlatformAdministrator: Call<wire.FindPlatformAdministratorRequest, wire.FindPlatformAdministratorResponse>;
  readonly findUserByEmail: Call<wire.FindUserByEmailRequest, wire.FindUserByEmailResponse>;
  readonly findVouchedApp: Call<wire.FindVouchedAppRequest, wire.FindVouchedAppResponse>;
  readonly getUsers: Call<wire.GetUsersRequest, wire.GetUsersResponse>;
  readonly markEmailVerified: Call<wire.MarkEmailVerifiedRequest, wire.Empty>;
  readonly registerInvited: Call<wire.RegisterInvitedRequest, wire.RegisterInvitedResponse>;
  readonly registerProvisioned: Call<wire.RegisterProvisionedRequest, wire.RegisterInvitedResponse>;
  readonly registerProvisionedPeople: Call<wire.RegisterProvisionedPeopleRequest, wire.RegisterProvisionedPeopleResponse>;
  readonly rejectRegistration: Call<wire.RejectRegistrationRequest, wire.Empty>;
};

type Subject = {
  readonly identity: () => IdentityUnderContract;
  /** A person who registered and has not opened the link of the mail. */
  readonly register: () => Promise<{ readonly userId: string; readonly email: string }>;
};

const password = 'Correct-horse-17-battery';

function invitationTo(email: string): wire.RegisterInvitedRequest {
  return { invitationId: randomUUID(), organizationId: randomUUID(), email, name: 'Ida', password };
}

function newAddress(): string {
  return `ida.${randomUUID()}@example.com`;
}

/** Registers the suite. `identity` is looked up in each test: a service starts after that. */
export function describeIdentityContract({ identity, register }: Subject): void {
  const existing = async (userId: string) => (await identity().getUsers({ ids: [userId] })).users.length === 1;

  describe('identity.v1.Identity', () => {
    test('people are found by id, and unknown ids are left out', async () => {
      const [one, other] = [await register(), await register()];
      const { users } = await identity().getUsers({ ids: [one.userId, randomUUID(), other.userId] });
      expect(users.map(({ id }) => id).sort()).toStrictEqual([one.userId, other.userId].sort());
      for (const { metadataJson, createdAt } of users)
        expect([JSON.parse(metadataJson), Number.isNaN(Date.parse(createdAt))]).toStrictEqual([{}, false]);
    });

    test('a person is found by address in any case, an unknown address finds no one', async () => {
      const { userId, email } = await register();
      const found = await identity().findUserByEmail({ email: email.toUpperCase() });
      expect([found.userId, found.isVerified]).toStrictEqual([userId, false]);
      const none = await identity().findUserByEmail({ email: newAddress() });
      expect([none.userId, none.name, none.isVerified]).toStrictEqual([undefined, '', false]);
    });

    test('a service account that nobody made is not live', async () => {
      expect(await identity().findServiceAccount({ accountId: randomUUID() })).toStrictEqual({ isLive: false });
    });

    test('a credential that no service account has is not live', async () => {
      const unknown = { accountId: randomUUID(), credentialId: randomUUID() };
      expect(await identity().findServiceCredential(unknown)).toStrictEqual({ isLive: false });
    });

    test('an accepted invitation registers one person, however often it is asked, and proves the address', async () => {
      const request = invitationTo(newAddress().toUpperCase());
      const { userId } = await identity().registerInvited(request);
      expect(await identity().registerInvited(request)).toStrictEqual({ userId });
      const found = await identity().findUserByEmail({ email: request.email.toLowerCase() });
      expect([found.userId, found.name, found.isVerified]).toStrictEqual([userId, 'Ida', true]);
    });

    test('an invitation registers no second person for an address, and none with a weak password', async () => {
      const email = newAddress();
      await identity().registerInvited(invitationTo(email));
      await expect(identity().registerInvited(invitationTo(email))).rejects.toMatchObject({ kind: 'conflict' });
      const weak = { ...invitationTo(newAddress()), password: 'weak' };
      await expect(identity().registerInvited(weak)).rejects.toMatchObject({ kind: 'validation' });
      expect((await identity().findUserByEmail({ email: weak.email })).userId).toBeUndefined();
    });

    test('a directory makes one person for an invitation, who holds the address, and none whose address is taken', async () => {
      const { password: _, ...request } = invitationTo(newAddress());
      const { userId } = await identity().registerProvisioned(request);
      expect(await identity().registerProvisioned(request)).toStrictEqual({ userId });
      const found = await identity().findUserByEmail({ email: request.email });
      expect([found.userId, found.name, found.isVerified, found.isHeld]).toStrictEqual([userId, 'Ida', true, true]);
      const second = { ...request, invitationId: randomUUID() };
      await expect(identity().registerProvisioned(second)).rejects.toMatchObject({ kind: 'conflict' });
      const registered = await register();
      await expect(identity().registerProvisioned({ ...second, email: registered.email })).rejects.toMatchObject({ kind: 'conflict' });
      expect((await identity().findUserByEmail({ email: registered.email })).isHeld).toBe(false);
    });

    test('people of a directory are made together, once for each invitation, and none whose address is taken', async () => {
      const people = [1, 2, 3].map(() => {
        const { password: _, ...request } = invitationTo(newAddress());
        return request;
      });
      const [first, second, third] = people;
      if (first === undefined || second === undefined || third === undefined) throw new Error('three people');
      const { userIds } = await identity().registerProvisionedPeople({ people: [first, second] });
      const found = await Promise.all([first, second].map(({ email }) => identity().findUserByEmail({ email })));
      expect(found.map(({ userId, isHeld }) => ({ userId, isHeld }))).toStrictEqual(userIds.map((userId) => ({ userId, isHeld: true })));
      const registered = await register();
      const taken = [
        { ...third, email: registered.email },
        { ...third, invitationId: randomUUID(), email: first.email.toUpperCase() },
      ];
      const again = await identity().registerProvisionedPeople({ people: [...taken, second, { ...third, invitationId: randomUUID() }] });
      expect(again.userIds).toStrictEqual(['', '', userIds[1], expect.stringMatching(/^[\da-f-]{36}$/)]);
      expect((await identity().findUserByEmail({ email: registered.email })).isHeld).toBe(false);
    });

    test('an invitation proves the address that it was sent to, and no other', async () => {
      const { userId, email } = await register();
      await identity().markEmailVerified({ userId, email: newAddress() });
      expect((await identity().findUserByEmail({ email })).isVerified).toBe(false);
      for (let times = 0; times < 2; times += 1) await identity().markEmailVerified({ userId, email: email.toUpperCase() });
      expect((await identity().findUserByEmail({ email })).isVerified).toBe(true);
    });

    test('a registration is not deleted whose owner holds the address, nor one that does not exist', async () => {
      const email = newAddress();
      const { userId } = await identity().registerInvited(invitationTo(email));
      await expect(identity().rejectRegistration({ email })).rejects.toMatchObject({ kind: 'conflict' });
      expect(await existing(userId)).toBe(true);
      await expect(identity().rejectRegistration({ email: newAddress() })).rejects.toMatchObject({ kind: 'not-found' });
    });

    test('of these people those who exist and have no second factor', async () => {
      const { userId } = await register();
      const { userIds } = await identity().filterWithoutSecondFactor({ userIds: [randomUUID(), userId] });
      expect(userIds).toStrictEqual([userId]);
    });

    test('somebody who registered, and somebody unknown, administers no platform', async () => {
      const { userId } = await register();
      for (const id of [userId, randomUUID()])
        expect(await identity().findPlatformAdministrator({ userId: id })).toStrictEqual({
          isAdministrator: false,
          hasSecondFactor: false,
        });
    });

    test('an unknown app, and the app of an unknown token, have no voucher', async () => {
      const place = { tenant: 'organizationProject', id: `${randomUUID()}:${randomUUID()}` };
      for (const wanted of [
        { appId: randomUUID(), tokenId: '' },
        { appId: '', tokenId: randomUUID() },
      ])
        expect(await identity().findVouchedApp({ ...place, ...wanted })).toStrictEqual({
          appId: '',
          isVouched: false,
          isCapped: false,
          scopes: [],
        });
    });
  });
}
