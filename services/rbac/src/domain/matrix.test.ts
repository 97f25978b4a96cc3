import { describe, expect, test } from '@jest/globals';
import { accountRoles, builtInResources, grantsOf, machineRoles, organizationRoles } from './catalogue.ts';
import { decide } from './decision.ts';
import { compileRights } from './rights.ts';

/** docs/permissions.md by hand: role → what it lacks, and what only it has. */
const everything = Object.entries(builtInResources).flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`));
const heldByNoRole = ['Account:Delete', 'Organization:Create', 'ApiKey:Exchange'];
const lackedByAdmin = [...heldByNoRole, 'Organization:Delete', 'Directory:Provision'];
const lackedByDev = [
  ...lackedByAdmin,
  'Organization:Update',
  'User:ExportData',
  'Directory:Update',
  'Directory:Query',
  'Decision:Evaluate',
  // Owner and Admin read the log, and have it sent to other systems.
  ...['Query', 'Export'].map((action) => `AuditEvent:${action}`),
  ...['Create', 'Update', 'Delete', 'Query'].flatMap((action) => [
    `Webhook:${action}`,
    `ProjectGrant:${action}`,
    `ServiceAccount:${action}`,
    `Domain:${action}`,
    `Branding:${action}`,
    `Connection:${action}`,
  ]),
  ...['Use', 'Query', 'Grant', 'Revoke'].map((action) => `SupportAccess:${action}`),
  ...['Update', 'Remove'].map((action) => `OrganizationMember:${action}`),
  ...['Create', 'Revoke', 'ResendEmail', 'Renew'].map((action) => `OrganizationInvitation:${action}`),
];
const ownOfDev = ['ApiKey:Delete', 'ApiKey:Revoke', 'User:Update', 'User:Delete', 'User:UploadPicture'];
const heldByViewer = everything.filter(
  (name) =>
    /:(Read|Query)$/.test(name) &&
    !/^(AuditEvent|ProjectApp|SigningKey|Webhook|ProjectGrant|ServiceAccount|Domain|Branding|Connection|Directory|SupportAccess):/.test(
      name,
    ),
);

const expected: Record<string, { held: readonly string[]; own?: readonly string[] }> = {
  Owner: { held: everything.filter((name) => !heldByNoRole.includes(name)) },
  Admin: { held: everything.filter((name) => !lackedByAdmin.includes(name)) },
  Dev: { held: everything.filter((name) => !lackedByDev.includes(name)), own: ownOfDev },
  Viewer: { held: heldByViewer },
  'Personal Account Owner': { held: everything.filter((name) => name !== 'Organization:Create') },
  'Organization Account Owner': { held: everything },
  'Organization Creator': { held: ['Organization:Create', 'Organization:Query'] },
  Provisioning: { held: ['Directory:Provision'] },
};

const me = '00000000-0000-7000-8000-000000000001';
const other = '00000000-0000-7000-8000-000000000002';

describe('the matrix of built-in roles', () => {
  for (const [name, { held, own = [] }] of Object.entries(expected)) {
    const rights = compileRights([{ id: name, name, description: null, metadata: {}, isBuiltIn: true, rank: null }], []);
    const may = (permission: string, target: Record<string, string>) => {
      const [resource = '', action = ''] = permission.split(':');
      return decide(rights, { resource, action, userId: me, target, nowMs: 0 }).authorized;
    };
    for (const permission of everything) {
      const has = held.includes(permission);
      const isOwn = own.includes(permission);
      test(`${name} ${has ? (isOwn ? 'has of its own' : 'has') : 'lacks'} ${permission}`, () => {
        expect(may(permission, { createdBy: other, id: other })).toBe(has && !isOwn);
        expect(may(permission, { createdBy: me })).toBe(has);
        if (isOwn) expect(may(permission, { id: me, createdBy: other })).toBe(permission.startsWith('User:'));
      });
    }
  }

  test('the matrix covers every role and only existing actions', () => {
    expect(Object.keys(expected)).toStrictEqual([...organizationRoles, ...Object.values(accountRoles), ...Object.values(machineRoles)]);
    for (const role of Object.keys(expected))
      for (const { resource, action } of grantsOf(role)) expect(everything).toContain(`${resource}:${action}`);
    expect(grantsOf('Somebody')).toStrictEqual([]);
    expect(grantsOf('constructor')).toStrictEqual([]);
  });

  test('each rank has at least the actions of the next one', () => {
    const keys = organizationRoles.map((role) => new Set(grantsOf(role).map(({ resource, action }) => `${resource}:${action}`)));
    for (const [index, lower] of keys.entries()) {
      const higher = keys[index - 1];
      if (higher) expect([...lower].every((action) => higher.has(action))).toBe(true);
    }
  });
});
