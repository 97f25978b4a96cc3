import { useState } from 'react';
import { messageOf } from '../../parts/form.ts';
import { useTexts } from '../base/words.ts';
import { Confirm } from '../parts/form/dialogs.tsx';
import { EndGranted, readSessions } from '../parts/granted-sessions.tsx';

export type SignOutOptions = { readonly endGranted?: boolean };
export type SignOut = (options?: SignOutOptions) => Promise<void>;

/** Asks only when the session granted others: whether they end, too. */
export function useSignOut(signOut: SignOut) {
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [granted, setGranted] = useState(0);
  const leave = async () => {
    setPending(true);
    setProblem(undefined);
    try {
      const count = await grantedByCurrent();
      if (count === 0) return await signOut();
      setGranted(count);
    } catch (error) {
      setProblem(messageOf(error));
    }
    setPending(false);
  };
  return { leave, isPending, problem, granted, stay: () => setGranted(0) };
}

/** None when it cannot be read: nothing keeps a person from signing out. */
async function grantedByCurrent(): Promise<number> {
  const sessions = await readSessions().catch(() => []);
  return sessions.find(({ isCurrent }) => isCurrent)?.grantedSessions ?? 0;
}

type AskProps = { readonly granted: number; readonly signOut: SignOut; readonly close: () => void };

export function AskWhatEnds({ granted, signOut, close }: AskProps) {
  const { t } = useTexts();
  const [endGranted, setEndGranted] = useState(false);
  return (
    <Confirm
      title={t('signOut')}
      text={t('signOutText')}
      button={t('signOut')}
      said={t('signedOut')}
      run={() => signOut({ endGranted })}
      close={close}
    >
      <EndGranted count={granted} checked={endGranted} change={setEndGranted} />
    </Confirm>
  );
}
