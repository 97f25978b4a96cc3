/** Mutations that try a secret or send mail: the GraphQL twins of the routes with `limit: 'auth'` in `proxy/routes.ts`. */
export const authFields: ReadonlySet<string> = new Set([
  'login',
  'register',
  'refreshSession',
  'verifyEmail',
  'resendVerification',
  'requestPasswordReset',
  'resetPassword',
  'changeMyPassword',
  'exchangeApiKey',
]);

/** How many tries a document makes: each field counts, whatever it is aliased or the operation is called. */
export function countTries(rootCounts: ReadonlyMap<string, number>): number {
  let tries = 0;
  for (const [field, count] of rootCounts) if (authFields.has(field)) tries += count;
  return tries;
}
