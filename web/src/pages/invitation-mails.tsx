import { Button } from '@mantine/core';
import { use, useState } from 'react';
import { Card, Problem } from '../look/page.tsx';
import { messageOf } from '../parts/form.ts';
import { tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { LinkSecretContext } from './link-secret-context.ts';

/** From the link in an invitation. Nothing changes before a button is pressed: scanners open links. */
export function InvitationMails() {
  const { t } = useWords();
  const { token } = use(LinkSecretContext);
  const [isWanted, setWanted] = useState<boolean>();
  const [problem, setProblem] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  if (token === undefined) return <Card title={t('linkCutTitle')} text={t('linkCutText')} />;

  const set = async (wanted: boolean) => {
    setPending(true);
    setProblem(undefined);
    await tessera.setInvitationMails({ token, isWanted: wanted }).then((state) => setWanted(state.isWanted), setProblem);
    setPending(false);
  };
  const text = isWanted === undefined ? 'mailsText' : isWanted ? 'mailsAllowed' : 'mailsStopped';
  return (
    <Card title={t('mailsTitle')} text={t(text)}>
      {problem === undefined ? null : <Problem>{messageOf(problem)}</Problem>}
      {isWanted === false ? null : (
        <Button loading={isPending} onClick={() => void set(false)}>
          {t('mailsStop')}
        </Button>
      )}
      {isWanted === true ? null : (
        <Button variant="default" loading={isPending} onClick={() => void set(true)}>
          {t('mailsAllow')}
        </Button>
      )}
    </Card>
  );
}
