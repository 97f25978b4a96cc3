import { Button, Divider, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type Output, TesseraError } from '@tessera/client';
import { use, useState } from 'react';
import { Card, Problem, Waiting } from '../../look/page.tsx';
import { messageOf } from '../../parts/form.ts';
import { forgetLinkSecret } from '../../session/link-secret.ts';
import { tessera } from '../../session/tessera.ts';
import { useWords } from '../../words/language.tsx';
import { LinkSecretContext } from '../link-secret-context.ts';
import { usePageSearch } from '../search.ts';
import { SetUpConnection } from './connection.tsx';
import { SetUpDirectory } from './directory.tsx';
import { SetUpDomains } from './domains.tsx';
import { Part } from './part.tsx';
import { SetUpTest } from './test.tsx';

export type SetUpState = Output<'getSetUp'>;

/** Where a set-up link leads: the IT of an organization sets up its sign-in, without an account. */
export function SetUp() {
  const { t } = useWords();
  const { token } = use(LinkSecretContext);
  const { link } = usePageSearch();
  if (link !== undefined) return <Begun id={link} />;
  if (token === undefined) return <Card title={t('linkCutTitle')} text={t('linkCutText')} />;
  return <Begin token={token} />;
}

/** Nothing happens before the button: previews and mail scanners open links. */
function Begin({ token }: { readonly token: string }) {
  const { t } = useWords();
  const navigate = useNavigate();
  const [problem, setProblem] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const begin = async () => {
    setPending(true);
    setProblem(undefined);
    try {
      const { id } = await tessera.redeemSetUpLink({ token });
      forgetLinkSecret();
      await navigate({ to: '/set-up', search: { link: id }, replace: true });
    } catch (error) {
      setProblem(error);
      setPending(false);
    }
  };
  return (
    <Card title={t('setUpTitle')} text={t('setUpText')}>
      {problem === undefined ? null : <Problem>{isUnknown(problem) ? t('setUpUnknown') : messageOf(problem)}</Problem>}
      <Button loading={isPending} onClick={() => void begin()}>
        {t('setUpBegin')}
      </Button>
    </Card>
  );
}

function isUnknown(error: unknown): boolean {
  return error instanceof TesseraError && [400, 404].includes(error.status ?? 0);
}

function Begun({ id }: { readonly id: string }) {
  const { t, language } = useWords();
  const queries = useQueryClient();
  const key = ['set-up', id];
  const { data, error, refetch } = useQuery({ queryKey: key, queryFn: () => tessera.getSetUp({ id }), retry: false });
  if (error !== null && data === undefined)
    return (
      <Card title={t('setUpEndedTitle')}>
        <Problem>{isUnknown(error) ? t('setUpUnknown') : messageOf(error)}</Problem>
        <Button variant="default" onClick={() => void refetch()}>
          {t('tryAgain')}
        </Button>
      </Card>
    );
  if (data === undefined) return <Waiting />;
  const { organization, madeBy, expiresAt, finishedAt, directory } = data;
  if (finishedAt !== null) return <Card title={t('setUpDoneTitle')} text={t('setUpDoneText', { organization })} />;
  const show = (next: SetUpState) => queries.setQueryData(key, next);
  const when = new Date(expiresAt).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <Card title={t('setUpOf', { organization })} text={t('setUpAsked', { maker: madeBy, when })}>
      <SetUpDomains setUp={data} changed={() => void refetch()} />
      <Divider />
      <SetUpConnection setUp={data} saved={show} />
      <Divider />
      <SetUpTest setUp={data} number={3} />
      {directory === null ? null : (
        <>
          <Divider />
          <SetUpDirectory number={4} id={id} baseUrl={directory.baseUrl} isMade={directory.isMade} />
        </>
      )}
      <Divider />
      <Finish setUp={data} number={directory === null ? 4 : 5} done={show} />
    </Card>
  );
}

type FinishProps = { readonly setUp: SetUpState; readonly number: number; readonly done: (next: SetUpState) => void };

function Finish({ setUp: { id, organization }, number, done }: FinishProps) {
  const { t } = useWords();
  const [problem, setProblem] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const finish = async () => {
    setPending(true);
    setProblem(undefined);
    await tessera.finishSetUp({ id }).then(done, setProblem);
    setPending(false);
  };
  return (
    <Part number={number} title={t('setUpFinish')}>
      <Stack gap="sm">
        <Text>{t('setUpFinishText', { organization })}</Text>
        {problem === undefined ? null : <Problem>{messageOf(problem)}</Problem>}
        <Button loading={isPending} onClick={() => void finish()}>
          {t('setUpFinishButton')}
        </Button>
      </Stack>
    </Part>
  );
}
