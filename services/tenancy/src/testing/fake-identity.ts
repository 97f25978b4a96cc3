import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import type { EventPayloads } from '@tessera/proto/events';
import type { RegisterProvisionedRequest } from '@tessera/proto/types/identity.v1';
import type { IdentityClient } from '../peers/clients.ts';

export type Mail = EventPayloads['mail.requested'];
type Person = { id: string; name: string; email: string; isVerified: boolean };

function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/**
 * A fake of the service identity, with the contract that tenancy relies on
 * (proto/identity/v1/testing).
 */
export class FakeIdentity {
  readonly people = new Map<string, Person>();
  readonly mails: Mail[] = [];
  readonly calls: string[] = [];
  /** The accounts.closed events that it received. */
  readonly closed: EventPayloads['accounts.closed'][] = [];
  /** The account.created events that it received. */
  readonly accounts: EventPayloads['account.created'][] = [];
  readonly #registered = new Map<string, string>();
  /** Called for every registration, in place of identity's outbox. */
  onRegistered: (payload: EventPayloads['user.registered']) => Promise<void> = async () => undefined;
  onProvisioned: (payload: EventPayloads['users.provisioned']) => Promise<void> = async () => undefined;
  onDeleted: (payload: EventPayloads['user.deleted']) => Promise<void> = async () => undefined;

  /** The token of the last mail to an address. */
  tokenFor(email: string): string {
    const token = this.mails.findLast(({ to }) => to === email)?.data.token;
    if (token === undefined) throw new Error(`no mail to ${email}`);
    return token;
  }

  async receive({ type, payload }: { readonly type: string; readonly payload: object }): Promise<void> {
    if (type === 'mail.requested') {
      const mail = payload as Mail;
      if (!this.mails.some(({ messageId }) => messageId === mail.messageId)) this.mails.push(mail);
    }
    if (type === 'account.created') this.accounts.push(payload as EventPayloads['account.created']);
    if (type === 'accounts.closed') {
      const { userId, hard } = payload as EventPayloads['accounts.closed'];
      this.closed.push({ userId, hard });
      if (this.people.delete(userId)) await this.onDeleted({ userId, hard });
    }
  }

  /** People who have set one up. */
  readonly withSecondFactor = new Set<string>();

  /** People whose accounts hold their address. */
  readonly holders = new Set<string>();

  /** Addresses that want no invitation mails. */
  readonly refusing = new Set<string>();

  readonly administrators = new Set<string>();

  /** Apps by the id of a token that one of them got. */
  readonly apps = new Map<string, { readonly appId: string; isVouched: boolean; scopes: string[] }>();

  /** Of service accounts, by id. */
  readonly serviceCredentials = new Set<string>();
  readonly serviceAccounts = new Set<string>();

  /** Its directory tokens cannot be exchanged. */
  isAway = false;
  /** Directory tokens, with the access token that each is exchanged for. */
  readonly directoryTokens = new Map<string, { readonly organizationId: string; accessToken: string }>();

  #personOf(email: string): Person | undefined {
    return [...this.people.values()].find((one) => isSameAddress(one.email, email));
  }

  async #registerFor(asked: RegisterProvisionedRequest): Promise<{ userId: string }> {
    const known = this.#registered.get(asked.invitationId);
    if (known !== undefined) return { userId: known };
    const made = this.#make(asked);
    if (made === undefined) throw failures.conflict('User', 'email');
    await this.onRegistered(made);
    return { userId: made.userId };
  }

  #make({ invitationId, organizationId, email, name }: RegisterProvisionedRequest) {
    if (this.#personOf(email) !== undefined) return undefined;
    const userId = newId();
    this.#registered.set(invitationId, userId);
    this.people.set(userId, { id: userId, name, email, isVerified: true });
    // The mail proved the address, or the domain does.
    this.holders.add(userId);
    const account = { id: newId(), type: 'personal' } as const;
    return { userId, name, email, isVerified: true, account, invitation: { id: invitationId, organizationId } };
  }

  async #registerAll(asked: readonly RegisterProvisionedRequest[]): Promise<{ userIds: string[] }> {
    const people = asked.filter(({ invitationId }) => !this.#registered.has(invitationId)).flatMap((one) => this.#make(one) ?? []);
    if (people.length > 0) await this.onProvisioned({ people });
    return { userIds: asked.map(({ invitationId }) => this.#registered.get(invitationId) ?? '') };
  }

  readonly client: IdentityClient = {
    exchangeDirectoryToken: async ({ token, organizationId }) => {
      if (this.isAway) throw failures.unavailable('identity');
      this.calls.push('exchangeDirectoryToken');
      const known = this.directoryTokens.get(token);
      const accessToken = known?.organizationId === organizationId ? known.accessToken : '';
      return { accessToken, lifetimeSeconds: accessToken === '' ? 0 : 900 };
    },
    countProjectApps: async () => ({ count: 0 }),
    findVouchedApp: async ({ appId, tokenId }) => {
      const app = appId === '' ? this.apps.get(tokenId) : [...this.apps.values()].find((one) => one.appId === appId);
      if (app === undefined) return { appId: '', isVouched: false, isCapped: false, scopes: [] };
      return { ...app, isCapped: app.scopes.length > 0 };
    },
    findServiceAccount: async ({ accountId }) => ({ isLive: this.serviceAccounts.has(accountId) }),
    findServiceCredential: async ({ credentialId }) => ({ isLive: this.serviceCredentials.has(credentialId) }),
    findPlatformAdministrator: async ({ userId }) => ({
      isAdministrator: this.administrators.has(userId),
      hasSecondFactor: this.withSecondFactor.has(userId),
    }),
    filterWithoutSecondFactor: async ({ userIds }) => ({
      userIds: userIds.filter((id) => this.people.has(id) && !this.withSecondFactor.has(id)),
    }),
    findUserByEmail: async ({ email }) => {
      const person = this.#personOf(email);
      const refusesInvitations = this.refusing.has(email);
      return person
        ? { userId: person.id, name: person.name, isVerified: person.isVerified, refusesInvitations, isHeld: this.holders.has(person.id) }
        : { name: '', isVerified: false, refusesInvitations };
    },
    getUsers: async ({ ids }) => {
      this.calls.push('getUsers');
      const at = '2026-01-01T00:00:00.000Z';
      return {
        users: ids.flatMap((id) => {
          const person = this.people.get(id);
          return person ? [{ id, name: person.name, metadataJson: '{}', createdAt: at, updatedAt: at }] : [];
        }),
      };
    },
    markEmailVerified: async ({ userId, email }) => {
      const person = this.people.get(userId);
      if (person !== undefined && isSameAddress(person.email, email)) person.isVerified = true;
      return {};
    },
    rejectRegistration: async ({ email }) => {
      const person = this.#personOf(email);
      if (person === undefined) throw failures.notFound('User');
      if (this.holders.has(person.id)) throw failures.conflict('User', 'email');
      this.people.delete(person.id);
      await this.onDeleted({ userId: person.id, hard: true });
      return {};
    },
    registerInvited: async ({ password, ...asked }) => {
      if (password.length < 8) throw failures.validation('userData.password', { en: 'is too short', de: 'ist zu kurz' });
      return this.#registerFor(asked);
    },
    registerProvisioned: (asked) => this.#registerFor(asked),
    registerProvisionedPeople: ({ people }) => this.#registerAll(people),
  };
}
