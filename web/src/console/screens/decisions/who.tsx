import { Button, Select, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Waiting } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useScope } from '../../base/scope.ts';
import { Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import type { Question } from './question.tsx';
import { type Kind, type Subject, useFindByIds, useKinds } from './subject.tsx';

const perPage = 50;

type WhoProps = { readonly question: Question; readonly choose: (subject: Subject) => void };

/** Everyone who may do something here; one of them can be asked about. */
export function Who({ question: { permission, target }, choose }: WhoProps) {
  const { t } = useTexts();
  const scope = useScope();
  const kinds = useKinds();
  const [kind, setKind] = useState<Kind>(kinds[0] ?? 'user');
  const { find, key } = useFindByIds();
  const who = useInfiniteQuery({
    queryKey: ['console', 'who', scope, kind, permission, target, key],
    queryFn: async ({ pageParam }) => {
      const cursor = pageParam === '' ? {} : { cursor: pageParam };
      const request = { scope, subjectType: kind, permission, context: { resource: target }, limit: perPage, ...cursor };
      const page = await tessera.findSubjects(request);
      const labels = await find(page.items.map(({ id, name }) => ({ kind, id, name: name ?? id })));
      return { ...page, items: page.items.map(({ id, type, name }) => ({ id, type, name: labels.get(id) ?? name ?? id })) };
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const items = who.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section className="panel" aria-label={t('whoMay')}>
      <Title order={2} size="h4" className="wrap">
        {t('whoMayTitle', permission)}
      </Title>
      {kinds.length > 1 ? (
        <Select
          label={t('whoKind')}
          size="sm"
          data={kinds.map((one) => ({ value: one, label: t(`kind_${one}`) }))}
          value={kind}
          allowDeselect={false}
          onChange={(chosen) => setKind(kinds.find((one) => one === chosen) ?? kind)}
        />
      ) : null}
      {who.isPending ? <Waiting /> : null}
      {who.error ? <Retry error={who.error} again={() => void who.refetch()} /> : null}
      {who.data && items.length === 0 ? <Text role="status">{t(who.hasNextPage ? 'whoMore' : 'whoNone')}</Text> : null}
      <ul className="list">
        {items.map(({ id, type, name }) => (
          <li key={id}>
            <button type="button" className="as-link" onClick={() => choose({ kind: type, id, name })}>
              {name}
            </button>
          </li>
        ))}
      </ul>
      {who.hasNextPage ? (
        <div>
          <Button variant="default" loading={who.isFetchingNextPage} onClick={() => void who.fetchNextPage()}>
            {t('more')}
          </Button>
        </div>
      ) : null}
    </section>
  );
}
