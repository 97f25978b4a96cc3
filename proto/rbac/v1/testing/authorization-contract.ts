/**
 * What the other services rely on of rbac.v1.Authorization. It runs on the service itself and on
 * each fake of it, so that a fake which drifts away fails.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type * as wire from '../../../generated/rbac.v1.ts';

type Scope = { readonly tenant: string; readonly id: string };
type Check = { readonly userId: string; readonly scope: Scope; readonly permission: string };

/** Whether each check of a session is authorized, in the order of the checks. */
export type ContractDecide = (checks: readonly Check[]) => Promise<readonly boolean[]>;

type Authorization = { readonly isAuthorizedMany: (request: wire.CheckMany) => Promise<wire.DecisionMany> };

/** What a client of the service, or of a fake of it, decides. It is looked up at each question. */
export function decideBy(authorization: () => Authorization): ContractDecide {
  return async (asked) => {
    const checks = asked.map(({ userId, scope, permission }) => {
      const [resource = '', action = ''] = permission.split(':');
      const subject = { type: 'session', userId, tokenId: randomUUID(), scopes: [] };
      return { subject, scope, resource, action, targetJson: '', noCache: false };
    });
    return (await authorization().isAuthorizedMany({ checks, explain: false })).decisions.map(({ authorized }) => authorized);
  };
}

/** A person who holds one permission in the scope, and not another one. */
export type ContractRights = { readonly userId: string; readonly scope: Scope; readonly held: string; readonly missing: string };

/** Registers the suite. */
export function describeDecisionsContract(decide: ContractDecide, arrange: () => Promise<ContractRights>): void {
  test('rbac.v1.Authorization: decisions come in the order of the checks, none for none', async () => {
    const { userId, scope, held, missing } = await arrange();
    const asked = [missing, held, held, missing].map((permission) => ({ userId, scope, permission }));
    expect(await decide(asked)).toStrictEqual([false, true, true, false]);
    expect(await decide([])).toStrictEqual([]);
  });
}

const builtInRoles = ['Owner', 'Admin', 'Dev', 'Viewer'] as const;
export type ContractOrganization = {
  readonly scope: Scope;
  readonly ownerId: string;
  readonly addMember: (role: 'Admin' | 'Dev' | 'Viewer') => Promise<string>;
};
type Matrix = {
  readonly decide: ContractDecide;
  readonly createOrganization: () => Promise<ContractOrganization>;
  readonly createAccount: (type: 'personal' | 'organization') => Promise<{ readonly scope: Scope; readonly ownerId: string }>;
};

/** Who may do what tenancy asks about: how many of the roles above hold it, from Owner down. */
const holders: Readonly<Record<string, number>> = {
  'AuditEvent:Export': 2,
  'AuditEvent:Query': 2,
  'Directory:Query': 2,
  'Domain:Create': 2,
  'Domain:Delete': 2,
  'Domain:Query': 2,
  'Domain:Update': 2,
  'Group:Query': 4,
  'Organization:Create': 0,
  'Organization:Delete': 1,
  'Organization:Query': 4,
  'Organization:Read': 4,
  'Organization:Update': 2,
  'OrganizationInvitation:Create': 2,
  'OrganizationInvitation:Query': 4,
  'OrganizationInvitation:Renew': 2,
  'OrganizationInvitation:ResendEmail': 2,
  'OrganizationInvitation:Revoke': 2,
  'OrganizationMember:Query': 4,
  'OrganizationMember:Remove': 2,
  'OrganizationMember:Update': 2,
  'Project:Create': 3,
  'Project:Delete': 3,
  'Project:Query': 4,
  'Project:Update': 3,
  'ProjectGrant:Create': 2,
  'ProjectGrant:Delete': 2,
  'ProjectGrant:Query': 2,
  'ProjectGrant:Update': 2,
  'Role:Query': 4,
  'User:Query': 4,
  'Webhook:Create': 2,
  'Webhook:Delete': 2,
  'Webhook:Query': 2,
  'Webhook:Update': 2,
};

/** Registers the suite of built-in roles. `permissions`: all that tenancy asks about. */
export function describeMatrixContract({ decide, createOrganization, createAccount }: Matrix, permissions: readonly string[]): void {
  describe('rbac.v1.Authorization: built-in roles', () => {
    test('every permission that tenancy asks about is in this table', () => {
      expect(permissions.filter((one) => !(one in holders) && !one.startsWith('Account:'))).toStrictEqual([]);
      expect(Object.keys(holders)).toStrictEqual(Object.keys(holders).toSorted());
    });

    test('each role holds what the table says in its organization, and nobody anything elsewhere', async () => {
      const [organization, other] = [await createOrganization(), await createOrganization()];
      const people = [organization.ownerId];
      for (const role of builtInRoles.slice(1)) people.push(await organization.addMember(role as 'Admin'));
      const decided = async (scope: Scope, userId: string) => {
        const asked = Object.keys(holders).map((permission) => ({ userId, scope, permission }));
        const answers = await decide(asked);
        return asked.filter((_, at) => answers[at]).map(({ permission }) => permission);
      };
      const wanted = (count: number) => Object.keys(holders).filter((permission) => (holders[permission] ?? 0) > count);
      for (const [at, userId] of people.entries()) {
        expect([builtInRoles[at], await decided(organization.scope, userId)]).toStrictEqual([builtInRoles[at], wanted(at)]);
        expect(await decided(other.scope, userId)).toStrictEqual([]);
      }
      expect(await decided(organization.scope, randomUUID())).toStrictEqual([]);
    });

    test('the owner of an account may do everything there; organizations only in an account for them', async () => {
      for (const type of ['personal', 'organization'] as const) {
        const { scope, ownerId } = await createAccount(type);
        const asked = ['Project:Create', 'Project:Query', 'Organization:Create'];
        const of = (userId: string) => decide(asked.map((permission) => ({ userId, scope, permission })));
        expect(await of(ownerId)).toStrictEqual([true, true, type === 'organization']);
        expect(await of(randomUUID())).toStrictEqual([false, false, false]);
      }
    });
  });
}
