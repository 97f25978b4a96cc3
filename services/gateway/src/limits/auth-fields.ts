/**
 * Mutations that check a secret, tell whether an address is registered, or send mail, like the
 * routes with `limit: 'auth'` in `proxy/routes.ts`.
 */
export const authFields: ReadonlySet<string> = new Set([
  'login',
  'register',
  'refreshSession',
  'verifyEmail',
  'rejectRegistration',
  'rejectInvitedAccount',
  'requestAddressCode',
  'confirmAddress',
  'resendVerification',
  'requestPasswordReset',
  'resetPassword',
  'completeSecondFactor',
  'loginWithPasskey',
  'confirmIdentity',
  'startRecovery',
  'finishRecovery',
  'changeMyPassword',
  'createMyUserAuthenticationMethod',
  'exchangeApiKey',
]);

/**
 * The number of attempts in a document. Each field counts, whatever its alias or the name of the
 * operation.
 */
export function countAttempts(rootCounts: ReadonlyMap<string, number>): number {
  let attempts = 0;
  for (const [field, count] of rootCounts) if (authFields.has(field)) attempts += count;
  return attempts;
}
