/** What a sign-in would make of a provider's answer, in a form that can be read. */
import type { Became, TestFinding, TestResult } from '../../ground/domain/connection-test.ts';
import { cameOf } from '../connections/came.ts';
import { shown } from '../connections/cause.ts';
import type { ProvenIdentity } from '../connections/provider.ts';
import type { ProtocolContext } from '../deps.ts';
import type { SignedIn } from '../provider-identity.ts';
import type { Connection } from '../storage/connections.ts';
import { rehearse } from './connection-sign-in.ts';
import { standingDefault } from './default-role.ts';
import { mappedBy } from './map-roles.ts';
import { type FlowError, FlowRefusal } from './refusal.ts';

type Kind = TestFinding['kind'];

const kinds: Readonly<Partial<Record<FlowError, Kind>>> = {
  address_not_allowed: 'address-not-allowed',
  address_not_verified: 'address-not-verified',
  address_not_held: 'address-not-held',
  address_taken: 'address-taken',
  link_needed: 'link-needed',
  not_a_member: 'not-a-member',
  organization_full: 'organization-full',
};

export async function describeAnswer(connection: Connection, identity: ProvenIdentity, context: ProtocolContext): Promise<TestResult> {
  const { organizationId } = connection;
  const { email, claims = {}, said = {} } = identity;
  const { tenancy } = context.deps;
  const { isDomainProven, hasProvenDomain } = await tenancy.getAdmission({ organizationId, address: email ?? '', userId: '' });
  const outcome = await rehearse(connection, identity, context).catch((error: unknown) => {
    if (error instanceof FlowRefusal) return error;
    throw error;
  });
  const refusal = outcome instanceof FlowRefusal ? outcome : undefined;
  const mapped = mappedBy(connection.roleMapping, claims);
  const { roles, isDefaultGone } = await rolesOf(
    connection,
    mapped.flatMap(({ roleId, grantId }) => (grantId === null ? [roleId] : [])),
    context,
  );
  const missing = new Set(connection.roleMapping.map(({ claim }) => claim).filter((claim) => !Object.hasOwn(claims, claim)));
  const blocking = refusal && blockingOf(refusal, { hasAddress: email !== null, hasProvenDomain });
  const findings: readonly (TestFinding | undefined)[] = [
    blocking && { kind: blocking, isBlocking: true, claims: [] },
    identity.name === null ? advice('no-name') : undefined,
    missing.size > 0 ? { ...advice('claim-missing'), claims: [...missing] } : undefined,
    Object.hasOwn(said, '_claim_names') ? advice('groups-elsewhere') : undefined,
    connection.roleMapping.length > 0 && mapped.length === 0 ? advice('nothing-mapped') : undefined,
    isDefaultGone ? advice('default-role-gone') : undefined,
  ];
  return {
    cause: null,
    came: cameOf(said),
    became: { ...becameOf(identity, refusal === undefined ? (outcome as SignedIn['how']) : undefined), isDomainProven, mapped, roles },
    findings: findings.filter((finding) => finding !== undefined),
  };
}

/**
 * The same for who set the provider up by a link and has no account: what the answer itself says.
 * Nothing is asked of accounts, members and roles, so that it says nothing of them.
 */
export async function describeToStranger(connection: Connection, identity: ProvenIdentity, context: ProtocolContext): Promise<TestResult> {
  const { email, isEmailVerified, said = {} } = identity;
  const asked = { organizationId: connection.organizationId, address: email ?? '', userId: '' };
  const { isDomainProven, hasProvenDomain } = await context.deps.tenancy.getAdmission(asked);
  const isAllowed = email !== null && isDomainProven;
  const refusal = isAllowed ? undefined : new FlowRefusal('address_not_allowed');
  const blocking = refusal === undefined ? undefined : blockingOf(refusal, { hasAddress: email !== null, hasProvenDomain });
  const kind = blocking ?? (isEmailVerified ? undefined : 'address-not-verified');
  const findings: readonly (TestFinding | undefined)[] = [
    kind && { kind, isBlocking: true, claims: [] },
    identity.name === null ? advice('no-name') : undefined,
    Object.hasOwn(said, '_claim_names') ? advice('groups-elsewhere') : undefined,
  ];
  return {
    cause: null,
    came: cameOf(said),
    became: { ...becameOf(identity, undefined), isDomainProven, mapped: [], roles: [] },
    findings: findings.filter((finding) => finding !== undefined),
  };
}

function becameOf({ providerId, email, name, isEmailVerified }: ProvenIdentity, how: SignedIn['how'] | undefined) {
  const person: Became['person'] = how === undefined ? null : how === 'created' ? 'new' : how;
  return { subject: shown(providerId), email, name, isEmailVerified, person };
}

function advice(kind: Kind): TestFinding {
  return { kind, isBlocking: false, claims: [] };
}

type Facts = { readonly hasAddress: boolean; readonly hasProvenDomain: boolean };

function blockingOf({ code }: FlowRefusal, { hasAddress, hasProvenDomain }: Facts): Kind {
  if (code === 'address_not_allowed' && !hasAddress) return 'no-address';
  if (code === 'address_not_allowed' && !hasProvenDomain) return 'no-domain';
  return kinds[code] ?? 'refused';
}

/** What the mapping gives in the organization, or the default role. */
async function rolesOf(connection: Connection, mapped: readonly string[], { deps }: ProtocolContext) {
  const { organizationId } = connection;
  const defaultRoleId = await standingDefault(connection, deps);
  const scope = { tenant: 'organization', id: organizationId };
  const { roles } = await deps.roles.getRoles({ scope, roleIds: [...new Set([...mapped, defaultRoleId])] });
  const isMapped = roles.some(({ id }) => mapped.includes(id));
  const given = roles.filter(({ id }) => (isMapped ? mapped.includes(id) : id === defaultRoleId && mapped.length === 0));
  return {
    roles: given.map(({ id, name }) => ({ roleId: id, name })),
    isDefaultGone: mapped.length === 0 && defaultRoleId !== connection.defaultRoleId,
  };
}
