import { Button, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Waiting } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useScope } from '../../base/scope.ts';
import { Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { namedOf, type Subject, useNameOf } from './subject.tsx';

const perPage = 50;
const pauseMs = 300;

type EverythingProps = { readonly subject: Subject; readonly resource: Record<string, unknown> };
type Right = { readonly resource: string; readonly action: string; readonly authorized: boolean };

/** All that a subject may do here; with an action typed, the resources on which it may do that. */
export function Everything({ subject, resource }: EverythingProps) {
  const { t } = useTexts();
  const scope = useScope();
  const nameOf = useNameOf();
  const [typed, setTyped] = useState('');
  const [action] = useDebouncedValue(typed.trim(), pauseMs);
  const rights = useInfiniteQuery({
    queryKey: ['console', 'everything', scope, namedOf(subject), resource, action],
    queryFn: async ({ pageParam }): Promise<{ items: readonly Right[]; nextCursor: string | null }> => {
      const cursor = pageParam === '' ? {} : { cursor: pageParam };
      const asked = { scope, ...namedOf(subject), context: { resource }, limit: perPage, ...cursor };
      if (action === '') return tessera.findActions(asked);
      const { items, nextCursor } = await tessera.findResources({ ...asked, action });
      return { items: items.map(({ slug }) => ({ resource: slug, action, authorized: true })), nextCursor };
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const items = rights.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section className="panel">
      <Title order={2} size="h4" className="wrap">
        {subject.kind === 'self' ? t('everything') : t('everythingOf', { name: nameOf(subject) })}
      </Title>
      <Text size="sm" c="dimmed">
        {t('everythingText')}
      </Text>
      <TextInput
        type="search"
        size="sm"
        label={t('onlyAction')}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {rights.isPending ? <Waiting /> : null}
      {rights.error ? <Retry error={rights.error} again={() => void rights.refetch()} /> : null}
      {rights.data && items.length === 0 ? <Text>{t('mayNothing')}</Text> : null}
      <ul className="list rights">
        {[...Map.groupBy(items, (one) => one.resource)].map(([name, held]) => (
          <li key={name}>
            <strong>{name}</strong>
            <span>
              {held.map(({ action, authorized }) => (
                <Text key={action} span size="sm" className="right" data-authorized={authorized}>
                  {authorized ? action : `${action} (${t('underCondition')})`}
                </Text>
              ))}
            </span>
          </li>
        ))}
      </ul>
      {rights.hasNextPage ? (
        <div>
          <Button variant="default" loading={rights.isFetchingNextPage} onClick={() => void rights.fetchNextPage()}>
            {t('more')}
          </Button>
        </div>
      ) : null}
    </section>
  );
}
