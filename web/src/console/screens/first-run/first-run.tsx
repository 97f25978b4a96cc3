import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Notice, Waiting } from '../../../look/page.tsx';
import { meQuery } from '../../../session/tessera.ts';
import { NavigationLink } from '../../base/link.tsx';
import { useMe } from '../../base/me.tsx';
import { Head, Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { LinesStyle } from './code.tsx';
import type { Style } from './lines.ts';
import { firstOpen, isNoted, loadProgress } from './progress.ts';
import { Progression } from './progression.tsx';
import { Step } from './step.tsx';
import { type StepName, stepNames } from './steps.ts';

/** From nothing to the first decision: what is there already, what comes next, and how to script it. */
export function Screen() {
  const { t } = useTexts();
  const me = useMe();
  const queries = useQueryClient();
  const progress = useQuery({ queryKey: ['console', 'first run', me.user.id], queryFn: loadProgress });
  const [isDecided, setDecided] = useState(() => isNoted(me.user.id, 'decided'));
  const [style, setStyle] = useState<Style>('curl');
  const [opened, setOpened] = useState<StepName>();
  const next = progress.data && firstOpen(progress.data, isDecided);
  return (
    <>
      <Head title={t('firstSteps')} text={t('firstStepsText')}>
        <Button variant="default" loading={progress.isFetching} onClick={() => void progress.refetch()}>
          {t('lookAgain')}
        </Button>
      </Head>
      {progress.isPending ? <Waiting /> : null}
      {progress.error ? <Retry error={progress.error} again={() => void progress.refetch()} /> : null}
      {progress.data === undefined ? null : (
        <>
          <div className="first-run-head">
            <Progression progress={progress.data} isDecided={isDecided} />
            <LinesStyle style={style} choose={setStyle} />
          </div>
          {next === undefined ? (
            <Notice>
              {t('firstStepsAll')}{' '}
              <NavigationLink to={`/console/org/${progress.data.values.organizationId}/prj/${progress.data.values.projectId}`}>
                {t('openNamed', { name: progress.data.found.project ?? '' })}
              </NavigationLink>
            </Notice>
          ) : null}
          <ol className="first-run">
            {stepNames.map((name) => (
              <Step
                key={name}
                name={name}
                found={name === 'decision' ? (isDecided ? t('stepDone') : undefined) : progress.data.found[name]}
                isOpen={(opened ?? next) === name}
                isNext={next === name}
                toggle={(isOpen) => setOpened(isOpen ? name : undefined)}
                values={progress.data.values}
                style={style}
                done={async () => {
                  if (name === 'decision') setDecided(true);
                  // The answer stays in sight.
                  setOpened(name === 'decision' ? name : undefined);
                  await progress.refetch();
                  // The account that a first organization makes is the person's from now on.
                  if (name === 'organization') await queries.invalidateQueries({ queryKey: meQuery.queryKey });
                }}
              />
            ))}
          </ol>
        </>
      )}
    </>
  );
}
