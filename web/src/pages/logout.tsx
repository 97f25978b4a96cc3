import { Button, Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Card, Problem, useProductName, Waiting } from '../look/page.tsx';
import { messageOf } from '../parts/form.ts';
import { useAnswer, WithInteraction } from '../parts/interaction.tsx';
import type { Interaction } from '../session/interactions.ts';
import { meQuery, nameOf, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { ErrorPage } from './error.tsx';
import { usePageSearch } from './search.ts';

/** Where an app sends a person who leaves it, and where the session itself may be ended. */
export function Logout() {
  const { interaction: id, done } = usePageSearch();
  if (done !== undefined) return <Done />;
  if (id === undefined) return <LogoutHere />;
  return <WithInteraction id={id}>{(asked) => <LogoutOfApp id={id} asked={asked} />}</WithInteraction>;
}

function Done() {
  const { t } = useWords();
  return <Card title={t('logoutDoneTitle')} text={t('logoutDoneText')} />;
}

type GrantedProps = { readonly count: number; readonly checked: boolean; readonly change: (isChecked: boolean) => void };

/** Whether the sessions end, too, that this one granted to programs and devices. */
function Granted({ count, checked, change }: GrantedProps) {
  const { t } = useWords();
  if (count === 0) return null;
  const label = count === 1 ? t('logoutGrantedOne') : t('logoutGrantedMany', { count: String(count) });
  return <Checkbox label={label} checked={checked} onChange={({ currentTarget }) => change(currentTarget.checked)} />;
}

/** The app's tokens end whatever the answer is. */
function LogoutOfApp({ id, asked }: { readonly id: string; readonly asked: Interaction }) {
  const { t } = useWords();
  const product = useProductName();
  const { pending, problem, send } = useAnswer(id);
  const { app, account, prompt, grantedSessions } = asked;
  const [endGranted, setEndGranted] = useState(false);
  const isAsked = account !== null || problem !== undefined;
  // Without a session there is nothing left to ask.
  useEffect(() => {
    if (!isAsked && prompt === 'logout') void send('deny');
  }, [isAsked, prompt]);
  if (prompt !== 'logout') return <ErrorPage reason="invalid_request" />;
  if (!isAsked) return <Waiting />;
  return (
    <Card title={t('logoutTitle', { product })} text={t('logoutText', { app: app.name })}>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <Granted count={grantedSessions} checked={endGranted} change={setEndGranted} />
      <Button loading={pending === 'continue'} disabled={pending === 'deny'} onClick={() => void send('continue', { endGranted })}>
        {t('logoutEverywhere')}
      </Button>
      <Button variant="default" loading={pending === 'deny'} disabled={pending === 'continue'} onClick={() => void send('deny')}>
        {t('logoutStay')}
      </Button>
    </Card>
  );
}

/** None when it cannot be read: nothing keeps a person from signing out. */
async function countGranted(): Promise<number> {
  const { items } = await tessera.listMySessions({ limit: 100 }).catch(() => ({ items: [] }));
  return items.find(({ isCurrent }) => isCurrent)?.grantedSessions ?? 0;
}

/** No app says that it was left: the page ends the session alone. */
function LogoutHere() {
  const { t } = useWords();
  const product = useProductName();
  const me = useQuery(meQuery);
  const granted = useQuery({ queryKey: ['granted by this session'], queryFn: countGranted, enabled: Boolean(me.data) });
  const [endGranted, setEndGranted] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const [problem, setProblem] = useState<string>();
  if (me.isPending) return <Waiting />;
  if (!me.data) return <Done />;
  const leave = async () => {
    setLeaving(true);
    setProblem(undefined);
    await tessera.signOut({ endGranted }).catch((error: unknown) => setProblem(messageOf(error)));
    setLeaving(false);
  };
  return (
    <Card title={t('logoutOnlyTitle', { product })} text={`${t('signedInAs', { who: nameOf(me.data) })} ${t('logoutOnlyText')}`}>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <Granted count={granted.data ?? 0} checked={endGranted} change={setEndGranted} />
      <Button loading={isLeaving} onClick={() => void leave()}>
        {t('logoutEverywhere')}
      </Button>
    </Card>
  );
}
