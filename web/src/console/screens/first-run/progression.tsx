import './first-run.css';
import { Button, Group, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { NavigationLink } from '../../base/link.tsx';
import { useMe } from '../../base/me.tsx';
import { useTexts } from '../../base/words.ts';
import { firstOpen, isNoted, loadProgress, note, type Progress } from './progress.ts';
import { stepNames } from './steps.ts';

type ProgressionProps = { readonly progress: Progress; readonly isDecided: boolean };

/** How far one is. */
export function Progression({ progress, isDecided }: ProgressionProps) {
  const { t, count } = useTexts();
  const done = Object.keys(progress.found).length + (isDecided ? 1 : 0);
  const text = t('firstStepsDone', { done: count(done), all: count(stepNames.length) });
  return (
    <div className="progression">
      <progress value={done} max={stepNames.length} aria-label={t('firstSteps')} />
      <span>{text}</span>
    </div>
  );
}

/** On the start: leads into the first steps until they are done or hidden. */
export function FirstRunPanel() {
  const { t } = useTexts();
  const me = useMe();
  const [isDismissed, setDismissed] = useState(() => isNoted(me.user.id, 'dismissed'));
  const isDecided = isNoted(me.user.id, 'decided');
  const { data } = useQuery({
    queryKey: ['console', 'first run', me.user.id],
    queryFn: loadProgress,
    enabled: !isDismissed,
  });
  if (isDismissed || data === undefined || firstOpen(data, isDecided) === undefined) return null;
  const dismiss = () => {
    note(me.user.id, 'dismissed');
    setDismissed(true);
  };
  return (
    <section className="panel banner">
      <Title order={2} size="h4">
        {t('firstSteps')}
      </Title>
      <span>{t('firstStepsText')}</span>
      <Progression progress={data} isDecided={isDecided} />
      <Group gap="sm">
        <NavigationLink to="/console/first-steps" className="as-button" underline="never">
          {t('goOn')}
        </NavigationLink>
        <Button variant="default" onClick={dismiss}>
          {t('dismiss')}
        </Button>
      </Group>
    </section>
  );
}
