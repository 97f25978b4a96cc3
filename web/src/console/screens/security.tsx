import { Button, Checkbox, NumberInput, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Waiting } from '../../look/page.tsx';
import { tessera } from '../../session/tessera.ts';
import { useRights } from '../base/rights.ts';
import { scopeOf, usePlaceHere } from '../base/scope.ts';
import { Head, Retry } from '../base/states.tsx';
import { useTell } from '../base/tell.tsx';
import { useTexts } from '../base/words.ts';
import { Conflict } from '../parts/form/conflict.tsx';
import { DraftForm } from '../parts/form/draft-form.tsx';
import { useDraft } from '../parts/form/use-draft.ts';

type Organization = Awaited<ReturnType<typeof tessera.getOrganization>>;

/** What an organization demands of sessions, and who could not go on. */
export function Screen() {
  const { t } = useTexts();
  const { id } = scopeOf(usePlaceHere());
  const scope = { tenant: 'organization', id } as const;
  const found = useQuery({ queryKey: ['console', 'organization', id], queryFn: () => tessera.getOrganization({ scope, id }) });
  return (
    <>
      <Head title={t('securityArea')} text={t('securityAreaText')} />
      {found.isPending ? <Waiting /> : null}
      {found.error ? <Retry error={found.error} again={() => void found.refetch()} /> : null}
      {found.data ? (
        <div className="panels">
          <Policy key={found.data.updatedAt} organization={found.data} />
          <Gaps organizationId={id} />
        </div>
      ) : null}
    </>
  );
}

function policyOf({ security: { requireSecondFactor, maxSessionAgeMinutes, allowEmailCode } }: Organization) {
  return { requireSecondFactor, allowCodes: allowEmailCode, minutes: String(maxSessionAgeMinutes ?? '') };
}

function Policy({ organization }: { readonly organization: Organization }) {
  const { t } = useTexts();
  const tell = useTell();
  const { may } = useRights();
  const { id } = organization;
  const scope = { tenant: 'organization', id } as const;
  const draft = useDraft({
    initial: policyOf(organization),
    edits: { thing: organization, show: policyOf, read: () => tessera.getOrganization({ scope, id }) },
    keepAs: `security ${id}`,
    serverFields: { 'security.maxSessionAgeMinutes': 'minutes' },
    send: ({ requireSecondFactor, allowCodes: allowEmailCode, minutes }, call) =>
      tessera.updateOrganization(
        { scope, id, security: { requireSecondFactor, allowEmailCode, maxSessionAgeMinutes: minutes === '' ? null : Number(minutes) } },
        call,
      ),
    done: () => tell(t('saved')),
  });
  const isFixed = !may('Organization:Update');
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('securityPolicy')}
      </Title>
      <DraftForm draft={draft}>
        <Checkbox
          checked={draft.values.requireSecondFactor}
          onChange={({ currentTarget: { checked } }) => draft.set('requireSecondFactor', checked)}
          label={t('demandFactor')}
          description={t('demandFactorText')}
          disabled={isFixed}
        />
        <Checkbox
          checked={draft.values.allowCodes}
          onChange={({ currentTarget: { checked } }) => draft.set('allowCodes', checked)}
          label={t('allowCodes')}
          description={t('allowCodesText')}
          disabled={isFixed}
        />
        <NumberInput
          value={draft.values.minutes}
          onChange={(value) => draft.set('minutes', String(value))}
          label={t('longestAge')}
          description={t('longestAgeText')}
          min={1}
          allowDecimal={false}
          hideControls
          disabled={isFixed}
        />
        {draft.other === undefined ? null : <Conflict {...draft.other} />}
        {isFixed ? null : (
          <div>
            <Button type="submit" loading={draft.isPending} disabled={draft.other !== undefined}>
              {t('save')}
            </Button>
          </div>
        )}
      </DraftForm>
    </section>
  );
}

/** Page by page: an organization may have 100,000 members. */
function Gaps({ organizationId: id }: { readonly organizationId: string }) {
  const { t } = useTexts();
  const gaps = useInfiniteQuery({
    queryKey: ['console', 'without second factor', id],
    queryFn: ({ pageParam }) =>
      tessera.listMembersWithoutSecondFactor({
        scope: { tenant: 'organization', id },
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const people = gaps.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('withoutFactor')}
      </Title>
      {gaps.isPending ? <Waiting /> : null}
      {gaps.error ? <Retry error={gaps.error} again={() => void gaps.refetch()} /> : null}
      {gaps.data && people.length === 0 && !gaps.hasNextPage ? <Text c="dimmed">{t('withoutFactorNone')}</Text> : null}
      <ul className="list" aria-label={t('withoutFactor')}>
        {people.map(({ userId, name, email }) => (
          <li key={userId}>
            <div>
              <div>{name}</div>
              <Text c="dimmed" size="sm">
                {email}
              </Text>
            </div>
          </li>
        ))}
      </ul>
      {gaps.hasNextPage ? (
        <Button variant="default" loading={gaps.isFetchingNextPage} onClick={() => void gaps.fetchNextPage()}>
          {t('more')}
        </Button>
      ) : null}
    </section>
  );
}
