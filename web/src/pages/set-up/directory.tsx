import { Button, Text } from '@mantine/core';
import type { Output } from '@tessera/client';
import { useState } from 'react';
import { Notice, Problem } from '../../look/page.tsx';
import { messageOf } from '../../parts/form.ts';
import { tessera } from '../../session/tessera.ts';
import { useWords } from '../../words/language.tsx';
import { Part, ToCopy } from './part.tsx';

type DirectoryProps = { readonly number: number; readonly id: string; readonly baseUrl: string; readonly isMade: boolean };

/** The address of SCIM, and its token, which is shown once. */
export function SetUpDirectory({ number, id, baseUrl, isMade }: DirectoryProps) {
  const { t } = useWords();
  const [made, setMade] = useState<Output<'makeSetUpDirectory'>>();
  const [problem, setProblem] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const make = async () => {
    setPending(true);
    setProblem(undefined);
    await tessera.makeSetUpDirectory({ id }).then(setMade, setProblem);
    setPending(false);
  };
  return (
    <Part number={number} title={t('setUpDirectory')}>
      <Text>{t('setUpDirectoryText')}</Text>
      <ToCopy name={t('setUpBaseUrl')} value={baseUrl} />
      {made === undefined ? null : (
        <>
          <ToCopy name={t('setUpToken')} value={made.clientSecret} />
          <Notice>{t('setUpTokenOnce')}</Notice>
        </>
      )}
      {problem === undefined ? null : <Problem>{messageOf(problem)}</Problem>}
      {made !== undefined ? null : isMade ? (
        <Text c="dimmed">{t('setUpTokenMade')}</Text>
      ) : (
        <Button variant="default" loading={isPending} onClick={() => void make()}>
          {t('setUpMakeToken')}
        </Button>
      )}
    </Part>
  );
}
