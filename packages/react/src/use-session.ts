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

/** Whether a person is signed in, and who. It follows sign-ins and sign-outs in every tab. */
export function useSession(): ReactSession {
  const client = useTessera();
  const { session } = client;
  const state = useSyncExternalStore(
    session.subscribe,
    () => session.state,
    (): SessionState => 'unknown',
  );
  const [known, setKnown] = useState<{ readonly me?: Output<'getMe'>; readonly error?: unknown }>({});
  useEffect(() => {
    let isOver = false;
    const keep = (found: typeof known) => {
      if (!isOver) setKnown(found);
    };
    const fail = (error: unknown) => keep({ error });
    if (state === 'unknown') session.token().catch(fail);
    else if (state === 'signed-in') client.getMe().then((me) => keep({ me }), fail);
    else keep({});
    return () => {
      isOver = true;
    };
  }, [client, session, state]);
  return { state, me: state === 'signed-in' ? known.me : undefined, error: known.error, signOut: client.signOut };
}
