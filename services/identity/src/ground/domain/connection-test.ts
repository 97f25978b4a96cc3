/** A test of a connection: what the provider said, and what a sign-in makes of it. */

/**
 * waiting and opened: the browser has not come back. refused: the answer is good, and a sign-in is
 * refused for it.
 */
export const connectionTestStatuses = ['waiting', 'opened', 'passed', 'refused', 'failed'] as const;
export type ConnectionTestStatus = (typeof connectionTestStatuses)[number];

/** Why there is no answer that could be believed. */
export const failureCauses = [
  'upstream-error',
  'client-refused',
  'unreachable',
  'discovery',
  'userinfo',
  'issuer',
  'audience',
  'signature',
  'clock',
  'request',
  'answer',
  'ours',
] as const;
export type FailureCause = (typeof failureCauses)[number];

export type Cause = {
  readonly kind: FailureCause;
  /** In technical words. Nothing of an inner error, never a token. */
  readonly reason: string;
  /** What the provider itself called it (RFC 6749 4.1.2.1 and 5.2). */
  readonly upstreamError: string | null;
  readonly upstreamDescription: string | null;
};

/** A claim or an attribute as it came. */
export type Came = { readonly name: string; readonly values: readonly string[]; readonly isCut: boolean };

export const testFindings = [
  'no-domain',
  'no-address',
  'address-not-allowed',
  'address-not-verified',
  'address-not-held',
  'address-taken',
  'link-needed',
  'not-a-member',
  'organization-full',
  'refused',
  'no-name',
  'claim-missing',
  'groups-elsewhere',
  'nothing-mapped',
  'default-role-gone',
] as const;
export type TestFinding = {
  readonly kind: (typeof testFindings)[number];
  /** Whether a sign-in is refused for it. */
  readonly isBlocking: boolean;
  /** claim-missing: those of the mapping that did not come. */
  readonly claims: readonly string[];
};

export type Became = {
  readonly subject: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly isEmailVerified: boolean;
  readonly isDomainProven: boolean;
  /** known: has come by it before. new: a person is made. Null for who is refused. */
  readonly person: 'known' | 'new' | 'linked' | null;
  /** Which lines of the mapping apply. */
  readonly mapped: readonly { readonly claim: string; readonly value: string; readonly roleId: string; readonly grantId: string | null }[];
  /** Of the organization; what a mapping gives elsewhere stands in `mapped`. */
  readonly roles: readonly { readonly roleId: string; readonly name: string }[];
};

export type TestResult = {
  readonly cause: Cause | null;
  readonly came: readonly Came[];
  readonly became: Became | null;
  readonly findings: readonly TestFinding[];
};
