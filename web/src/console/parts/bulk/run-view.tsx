import { Button, Progress, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Notice } from '../../../look/page.tsx';
import { useTexts } from '../../base/words.ts';
import type { Outcome } from './run.ts';
import { isOpen, type Run } from './use-run.ts';

/** What the outcomes are called: `Invited: 12`. */
export type OutcomeLabels = Readonly<Record<Outcome['kind'], (count: string) => string>>;
type RunViewProps = { readonly run: Omit<Run, 'start'>; readonly labels: OutcomeLabels; readonly close: () => void };

const order = ['refused', 'unsent', 'unneeded', 'done'] as const;

/** How far the requests for many things are, and at the end how each of them ended. */
export function RunView({ run, labels, close }: RunViewProps) {
  const { t, count, language } = useTexts();
  const { things, outcomes, isRunning, isStopping, waitsUntil } = run;
  const last = useRef<HTMLButtonElement>(null);
  // The button that was pressed is gone: the keyboard goes on with the next one.
  useEffect(() => {
    if (!isRunning || !isStopping) last.current?.focus();
  }, [isRunning, isStopping]);
  const ended = [...outcomes.values()].filter(({ kind }) => kind !== 'unsent').length;
  const far = t('farOf', { done: count(ended), all: count(things.length) });
  const said = order.flatMap((kind) => {
    const number = [...outcomes.values()].filter((outcome) => outcome.kind === kind).length;
    return number === 0 ? [] : [labels[kind](count(number))];
  });
  const open = things.filter(({ id }) => isOpen(outcomes.get(id))).length;
  const wait =
    isRunning && waitsUntil !== undefined && !isStopping
      ? t('waitsUntil', { time: waitsUntil.toLocaleTimeString(language, { timeStyle: 'medium' }) })
      : undefined;
  return (
    <Stack gap="md">
      <div>
        <Text mb={6}>{far}</Text>
        <Progress
          value={Math.round((ended / things.length) * 100)}
          {...(open > 0 && !isRunning ? { color: 'orange' } : {})}
          aria-label={far}
        />
      </div>
      {/* Not each step: a screen reader would say nothing else. */}
      <span role="status" className="unseen">
        {isRunning ? '' : said.join('. ')}
      </span>
      {wait === undefined ? null : <Notice>{wait}</Notice>}
      {/* The second click of a double one, on the button that was here before, stops nothing. */}
      {isRunning ? (
        <div className="dialog-end">
          <Button ref={last} variant="default" loading={isStopping} onClick={({ detail }) => (detail < 2 ? run.stop() : undefined)}>
            {t('stop')}
          </Button>
        </div>
      ) : (
        <>
          {order.map((kind) => (
            <Group key={kind} kind={kind} run={run} labels={labels} />
          ))}
          <div className="dialog-end">
            {open === 0 ? null : (
              <Button variant="default" onClick={run.again}>
                {t('againFor', { count: count(open) })}
              </Button>
            )}
            <Button ref={last} onClick={close}>
              {t('done')}
            </Button>
          </div>
        </>
      )}
    </Stack>
  );
}

type GroupProps = { readonly kind: Outcome['kind']; readonly run: Pick<Run, 'things' | 'outcomes'>; readonly labels: OutcomeLabels };

function Group({ kind, run: { things, outcomes }, labels }: GroupProps) {
  const { count } = useTexts();
  const ended = things.flatMap(({ id, name }) => {
    const outcome = outcomes.get(id);
    return outcome?.kind === kind ? [{ id, name, text: outcome.text }] : [];
  });
  if (ended.length === 0) return null;
  const [first] = ended;
  // A reason that all have is said once.
  const isOneReason = ended.length > 1 && ended.every(({ text }) => text === first?.text);
  return (
    <section>
      <Title order={3} size="h5">
        {labels[kind](count(ended.length))}
      </Title>
      {isOneReason && first?.text !== undefined ? <Text size="sm">{first.text}</Text> : null}
      <ul className="outcome-list">
        {ended.map(({ id, name, text }) => (
          <li key={id} className="outcome" data-kind={kind}>
            <span className="outcome-of">{name}</span>
            {text === undefined || isOneReason ? null : <span className="outcome-text">{text}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
