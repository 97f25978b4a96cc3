const methods = ['totp', 'passkey', 'recoveryCode'] as const;

export type DueFactor = { readonly token: string; readonly methods: (typeof methods)[number][] };

/** The sign-in that a link names, with the methods that there are. */
export function dueFactorOf(fragment: string): DueFactor | undefined {
  const given = new URLSearchParams(fragment);
  const [token, named] = [given.get('token'), given.get('methods')?.split(',')];
  const known = methods.filter((method) => named?.includes(method));
  return token === null || known.length === 0 ? undefined : { token, methods: known };
}
