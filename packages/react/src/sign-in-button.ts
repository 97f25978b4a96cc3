import { type ComponentPropsWithoutRef, createElement, type ReactElement } from 'react';
import { useTessera } from './provider.ts';

export type SignInButtonProps = Omit<ComponentPropsWithoutRef<'button'>, 'onClick' | 'type'> & {
  /** A provider (`google`, …); left out, the hosted page shows every way to sign in. */
  readonly provider?: string;
  /** With a provider: the page of yours that exchanges the code. */
  readonly redirect?: string;
  /** The hosted page. */
  readonly page?: string;
};

/** Leads to the sign-in, and from the hosted page back to where the person was. */
export function SignInButton({
  provider,
  redirect,
  page = '/auth/sign-in',
  children = 'Sign in',
  ...props
}: SignInButtonProps): ReactElement {
  const client = useTessera();
  const go = () => {
    const { pathname, search, hash } = window.location;
    const hosted = `${page}?${new URLSearchParams({ return_to: pathname + search + hash })}`;
    const more = redirect === undefined ? {} : { redirect };
    window.location.assign(provider === undefined ? hosted : client.signInUrl({ provider, action: 'login', ...more }));
  };
  return createElement('button', { ...props, type: 'button', onClick: go }, children);
}
