import type { Output, SessionState } from '@tessera/client';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTessera } from './provider.ts';

export type ReactSession = {
  /** `unknown` until the server was asked. */
  readonly state: SessionState;
  /** The person who is signed in, as soon as they are known. */
  readonly me: Output<'getMe'> | undefined;
  readonly error: unknown;
  readonly signOut: () => Promise<void>;
};

type Known = { readonly userId?: string | undefined; readonly me?: Output<'getMe'>; readonly error?: unknown };

/** Whether a person is signed in, and who. It follows sign-ins and sign-outs in every tab. */
export function useSession(): ReactSession {
  const client = useTessera();
  const { session } = client;
  const state = useSyncExternalStore(
    session.subscribe,
    () => session.state,
    (): SessionState => 'unknown',
  );
  const userId = useSyncExternalStore(
    session.subscribe,
    () => session.userId,
    () => undefined,
  );
  const [known, setKnown] = useState<Known>({});
  useEffect(() => {
    let isOver = false;
    const keep = (found: Known) => {
      if (!isOver) setKnown({ ...found, userId });
    };
    const fail = (error: unknown) => keep({ error });
    if (state === 'unknown') session.token().catch(fail);
    else if (state === 'signed-in') client.getMe().then((me) => keep({ me }), fail);
    else keep({});
    return () => {
      isOver = true;
    };
  }, [client, session, state, userId]);
  // `known` is of the person before until the answer about the new one is there.
  const isKnown = state === 'signed-in' && known.userId === userId;
  return { state, me: isKnown ? known.me : undefined, error: known.error, signOut: client.signOut };
}
