import type { Item } from '@tessera/client';

type Method = NonNullable<Item<'listUsers'>['authenticationMethods']>[number];
type Methods = readonly Pick<Method, 'provider' | 'providerId' | 'isPrimary' | 'isVerified'>[];

/** What tells people of one name apart: an address, or that they have no way to sign in. */
export type SignInName =
  | { readonly kind: 'known'; readonly text: string }
  /** The caller may not read the addresses of other people. */
  | { readonly kind: 'hidden' }
  | { readonly kind: 'none' };

/** The email address before the id at a provider, the primary one before others. */
export function signInNameOf(methods: Methods | undefined): SignInName {
  if (methods === undefined) return { kind: 'hidden' };
  if (methods.length === 0) return { kind: 'none' };
  const rank = ({ provider, isPrimary, isVerified }: Methods[number]) =>
    (provider === 'email' ? 4 : 0) + (isPrimary ? 2 : 0) + (isVerified ? 1 : 0);
  const [first] = methods.filter(({ providerId }) => providerId !== null).toSorted((one, other) => rank(other) - rank(one));
  if (first === undefined || first.providerId === null) return { kind: 'hidden' };
  const { provider, providerId } = first;
  return { kind: 'known', text: provider === 'email' ? providerId : `${provider}: ${providerId}` };
}
