import { QueryClient, queryOptions } from '@tanstack/react-query';
import { createClient, type Output, TesseraError } from '@tessera/client';
import { currentLanguage } from '../words/spoken.ts';
import { leaveActing, readActing } from './acting.ts';

type Prove = (error: TesseraError) => Promise<boolean>;
let prover: Prove | undefined;

/** Where the page can ask the person to prove that it is still them. */
export function setProver(next: Prove | undefined): void {
  prover = next;
}

const prove: Prove = async (error) => (await prover?.(error)) ?? false;

/** By the session of the person at this browser. */
export const ownTessera = createClient({ language: currentLanguage, prove });

/** As whom this tab acts, for support; undefined in all other tabs. */
export const acting = readActing();

/** By the own session; in a tab that acts, by tokens of the access, as long as it lasts. */
export const tessera = acting === undefined ? ownTessera : createClient({ language: currentLanguage, session: () => actingToken(acting) });

async function actingToken(access: NonNullable<typeof acting>): Promise<string> {
  try {
    return (await ownTessera.exchangeSupportAccess({ scope: access.project, id: access.id })).accessToken;
  } catch (error) {
    // It has ended, or the own session has.
    if (error instanceof TesseraError && error.status >= 400 && error.status < 500 && error.status !== 429) leaveActing(access);
    throw error;
  }
}

export type Me = Output<'getMe'>;

/**
 * As `freshness` of the operations that change ways to sign in; a little less, for the way there.
 */
const freshMs = 9 * 60_000;

/** Before the browser leaves for something that needs a fresh sign-in. */
export async function isFreshOrProven(): Promise<boolean> {
  const { authenticatedAt } = await tessera.getMe();
  if (Date.now() - Date.parse(authenticatedAt ?? '') < freshMs) return true;
  const error = new TesseraError('', { status: 403, code: 'FRESH_SIGN_IN_REQUIRED' });
  return (await prover?.(error)) ?? false;
}

export const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: (count, error) => isPassing(error) && count < 2, refetchOnWindowFocus: false, staleTime: 30_000 },
  },
});

/** Failures that may be over at the next try. */
function isPassing(error: unknown): boolean {
  return error instanceof TesseraError && (error.status === 0 || error.status >= 502);
}

/** Who is signed in; null when there is no session. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async (): Promise<Me | null> => {
    if ((await tessera.session.token()) === undefined) return null;
    return tessera.getMe().catch((error: unknown) => {
      if (error instanceof TesseraError && error.status === 401) return null;
      throw error;
    });
  },
});

export const optionsQuery = queryOptions({ queryKey: ['sign-in options'], queryFn: () => tessera.getSignInOptions(), staleTime: 300_000 });

/** A sign-in or sign-out here or in another tab changes everything that is shown. */
export function followSession(): void {
  let before = tessera.session.state;
  let person = tessera.session.userId;
  tessera.session.subscribe((state) => {
    const { userId } = tessera.session;
    // Another person: what was read for the one before is shown no more.
    if (state === before && userId !== person) void queries.resetQueries();
    else if (state !== before) void queries.invalidateQueries({ queryKey: meQuery.queryKey });
    before = state;
    person = userId;
  });
}

/** How the person is called on a page. */
export function nameOf({ email, user }: Me): string {
  return email ?? user.name;
}
