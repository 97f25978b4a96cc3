/** A test of a connection in the API. */
import { Id, Nullable, Timestamp } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import type { KeptClaim } from '../../../ground/domain/connection.ts';
import { connectionTestStatuses, failureCauses, testFindings } from '../../../ground/domain/connection-test.ts';
import type { ConnectionTest as Row } from '../../storage/connection-tests.ts';

export const Cause = Type.Object({
  kind: Type.Enum([...failureCauses]),
  reason: Type.String({ description: 'In technical words' }),
  upstreamError: Nullable(Type.String({ description: 'What the provider calls it' })),
  upstreamDescription: Nullable(Type.String()),
});
export const Came = Type.Object({ name: Type.String(), values: Type.Array(Type.String()), isCut: Type.Boolean() });
const Became = Type.Object({
  subject: Type.String(),
  email: Nullable(Type.String()),
  name: Nullable(Type.String()),
  isEmailVerified: Type.Boolean(),
  isDomainProven: Type.Boolean(),
  person: Nullable(Type.Enum(['known', 'new', 'linked'], { description: 'new: a person would be made. Null for who is refused' })),
  mapped: Type.Array(Type.Object({ claim: Type.String(), value: Type.String(), roleId: Id, grantId: Nullable(Id) }), {
    description: 'The lines of the role mapping that apply',
  }),
  roles: Type.Array(Type.Object({ roleId: Id, name: Type.String() }), { description: 'In the organization' }),
});
export const Finding = Type.Object({
  kind: Type.Enum([...testFindings]),
  isBlocking: Type.Boolean({ description: 'Whether a sign-in is refused for it' }),
  claims: Type.Array(Type.String(), { description: 'claim-missing: those of the mapping that did not come' }),
});

export const ConnectionTest = Type.Object({
  id: Id,
  connectionId: Id,
  status: Type.Enum([...connectionTestStatuses], {
    description:
      'waiting: its address was not opened. opened: the browser has not come back. refused: the answer is good, but nobody gets in',
  }),
  createdBy: Nullable(Id),
  createdAt: Timestamp,
  openedAt: Nullable(Timestamp),
  finishedAt: Nullable(Timestamp),
  expiresAt: Timestamp,
  cause: Nullable(Cause),
  came: Type.Array(Came, { description: 'Claims or attributes as they came, without tokens' }),
  became: Nullable(Became),
  findings: Type.Array(Finding),
});

export function toCame({ values, ...claim }: KeptClaim): Static<typeof Came> {
  return { ...claim, values: [...values] };
}

export function toConnectionTest({ result, ...row }: Row): Static<typeof ConnectionTest> {
  const { cause = null, came = [], became = null, findings = [] } = result ?? {};
  return {
    ...row,
    cause,
    came: came.map(toCame),
    became: became && { ...became, mapped: became.mapped.map((one) => ({ ...one })), roles: became.roles.map((one) => ({ ...one })) },
    findings: findings.map(({ claims, ...finding }) => ({ ...finding, claims: [...claims] })),
  };
}
