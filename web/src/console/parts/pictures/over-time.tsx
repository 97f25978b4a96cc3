import './pictures.css';
import { Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { useId, useState } from 'react';
import { Waiting } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { type ProjectScope, type Scope, usePlaceHere } from '../../base/scope.ts';
import { Retry } from '../../base/states.tsx';
import { type Key, useTexts } from '../../base/words.ts';
import { Bars, type Step } from './bars.tsx';

const periods = ['day', 'week', 'month'] as const;
type Period = (typeof periods)[number];
type Found = { readonly unit: 'hour' | 'day'; readonly steps: readonly Step[]; readonly own?: number };

/** Allowed and refused questions of a place. */
export function DecisionsOverTime({ scope }: { readonly scope: Scope }) {
  const load = async (period: Period): Promise<Found> => {
    const { unit, counts } = await tessera.getDecisionCounts({ scope, period }, aMomentAgo);
    const own = counts.reduce((sum, step) => sum + step.own, 0);
    return { unit, own, steps: counts.map(({ at, allowed, refused }) => ({ at, good: allowed, bad: refused })) };
  };
  const words = { title: 'decisionsOverTime', text: 'decisionsOverTimeText', good: 'allowed', bad: 'refused' } as const;
  return <OverTime {...words} empty="noDecisionsYet" load={load} />;
}

/** A picture of hours and days may be a moment old. */
const aMomentAgo = { maxStaleSeconds: 5 };

const signInWords = {
  title: 'signInsOverTime',
  text: 'signInsOverTimeText',
  good: 'signedInCount',
  bad: 'refused',
  empty: 'noSignInsYet',
} as const;
const tokenWords = {
  ...signInWords,
  title: 'tokensOverTime',
  text: 'tokensOverTimeText',
  good: 'tokenCount',
  empty: 'noTokensYet',
} as const;

/** Sign-ins to the apps of a project, or to one of them; a machine gets tokens instead. */
export function SignInsOverTime({
  scope,
  app,
}: {
  readonly scope: ProjectScope;
  readonly app?: Pick<Item<'listProjectApps'>, 'id' | 'type'>;
}) {
  const load = async (period: Period): Promise<Found> => {
    const { unit, counts } = await tessera.getSignInCounts({ scope, period, ...(app === undefined ? {} : { appId: app.id }) }, aMomentAgo);
    return { unit, steps: counts.map(({ at, signedIn, refused }) => ({ at, good: signedIn, bad: refused })) };
  };
  if (app === undefined) return <OverTime {...signInWords} load={load} />;
  const words = app.type === 'machine' ? tokenWords : { ...signInWords, text: 'signInsToAppText' as const };
  return <OverTime {...words} of={app.id} load={load} />;
}

/** How often an API key was exchanged. A refused exchange names no key for certain, so none counts. */
export function KeyUseOverTime({ scope, id }: { readonly scope: ProjectScope; readonly id: string }) {
  const load = async (period: Period): Promise<Found> => {
    const { unit, counts } = await tessera.getApiKeyUse({ scope, id, period });
    return { unit, steps: counts.map(({ at, exchanged }) => ({ at, good: exchanged, bad: 0 })) };
  };
  return <OverTime title="keyUse" text="keyUseText" good="exchangedCount" empty="noKeyUseYet" of={id} load={load} />;
}

type OverTimeProps = {
  readonly title: Key;
  readonly text: Key;
  readonly good: Key;
  readonly bad?: Key;
  readonly empty: Key;
  /** The id of the one thing that is counted, where it is not the place. */
  readonly of?: string;
  readonly load: (period: Period) => Promise<Found>;
};

function OverTime({ title, text, good, bad, empty, of, load }: OverTimeProps) {
  const { t, count } = useTexts();
  const place = usePlaceHere();
  const name = useId();
  const [period, setPeriod] = useState<Period>('day');
  const found = useQuery({
    queryKey: ['console', 'over time', title, place, of, period],
    queryFn: () => load(period),
    placeholderData: keepPreviousData,
  });
  const isEmpty = found.data?.steps.every((step) => step.good + step.bad === 0) ?? false;
  return (
    <section className="panel">
      <div className="panel-head">
        <Title order={2} size="h4">
          {t(title)}
        </Title>
        <fieldset className="segments">
          <legend className="unseen">{`${t('period')}: ${t(title)}`}</legend>
          {periods.map((one) => (
            <label key={one} data-chosen={one === period}>
              <input type="radio" name={name} className="unseen" checked={one === period} onChange={() => setPeriod(one)} />
              {t(`period_${one}`)}
            </label>
          ))}
        </fieldset>
      </div>
      <Text c="dimmed" size="sm">
        {t(text)}
      </Text>
      {found.isPending ? <Waiting /> : null}
      {found.error ? <Retry error={found.error} again={() => void found.refetch()} /> : null}
      {isEmpty ? <Text c="dimmed">{t(empty)}</Text> : null}
      {found.data && !isEmpty ? <Bars {...found.data} label={t(title)} good={t(good)} bad={bad && t(bad)} /> : null}
      {found.data?.own === undefined ? null : (
        <Text c="dimmed" size="sm">
          {t('ownChecks', { count: count(found.data.own) })}
        </Text>
      )}
    </section>
  );
}
