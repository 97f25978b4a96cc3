import { queryOptions } from '@tanstack/react-query';
import { type Input, type Output, TesseraError } from '@tessera/client';
import { tessera } from './tessera.ts';

/** What an app that signs people in by OpenID Connect asks of them. */
export type Interaction = Output<'getInteraction'>;

export const interactionQuery = (id: string) =>
  queryOptions({ queryKey: ['interaction', id], queryFn: () => tessera.getInteraction({ id }), retry: false, staleTime: 0 });

/**
 * Answers, and leaves for the app. By script, so that the policy of the page allows no form to
 * other hosts.
 */
export async function answer(input: Input<'continueInteraction'>): Promise<void> {
  const { redirectTo } = await tessera.continueInteraction(input);
  window.location.replace(redirectTo);
}

/** After a sign-up: on to the app. Anything but a sign-in, or a refusal, is for its own page. */
export async function continueSignIn(id: string, openPage: () => void): Promise<void> {
  try {
    const { prompt } = await tessera.getInteraction({ id });
    if (prompt === 'sign_in') await answer({ id, action: 'continue' });
    else openPage();
  } catch {
    openPage();
  }
}

/** Unknown, over, or of another browser. */
export function isOver(error: unknown): boolean {
  return error instanceof TesseraError && (error.status === 404 || error.status === 400);
}

/** The page that goes on with an interaction after a sign-in. */
export function pathOf(id: string): string {
  return `/auth/sign-in?${new URLSearchParams({ interaction: id })}`;
}
