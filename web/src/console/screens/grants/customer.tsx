import { Button, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Notice, Problem, Waiting } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { NavigationLink } from '../../base/link.tsx';
import { useMe } from '../../base/me.tsx';
import { useRights } from '../../base/rights.ts';
import { pathOf, usePlaceHere, useProduct } from '../../base/scope.ts';
import { Head, Missing, Retry } from '../../base/states.tsx';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import { Conflict } from '../../parts/form/conflict.tsx';
import { objectOf } from '../../parts/form/json.ts';
import { useOwnRoleChoice } from '../../parts/form/roles.ts';
import { useDraft } from '../../parts/form/use-draft.ts';
import { Facts } from '../../parts/list/facts.tsx';
import { AskSupport } from './ask-support.tsx';
import { CustomerEnding } from './customer-ending.tsx';
import { customerName, type Grant, GrantStatus, isOpen } from './status.tsx';
import { TermsFields, termsInput, termsOf } from './terms.tsx';

/** Undefined when there is no such grant. */
export async function readCustomer(scope: ReturnType<typeof useProduct>, id: string): Promise<Grant | undefined> {
  return (await tessera.listProjectGrants({ scope, ids: [id] })).items[0];
}

/** One organization that uses the project: its people with roles, what it may do, and how that ends. */
export function Screen() {
  const scope = useProduct();
  const { grantId = '' } = useParams({ strict: false }) as { readonly grantId?: string };
  const found = useQuery({
    queryKey: ['console', 'customers', 'one', scope.id, grantId],
    queryFn: async () => (await readCustomer(scope, grantId)) ?? null,
  });
  if (found.isPending) return <Waiting />;
  if (found.error) return <Retry error={found.error} again={() => void found.refetch()} />;
  return found.data === null ? <Missing /> : <Found grant={found.data} />;
}

function Found({ grant }: { readonly grant: Grant }) {
  const { t, when } = useTexts();
  const place = usePlaceHere();
  const { may } = useRights();
  const { id, createdAt, acceptedAt, endedAt, organization, email, expiresAt, isMailed } = grant;
  const at = (date: string | null) => (date === null ? null : when(date));
  return (
    <>
      <NavigationLink to={pathOf(place, 'customers')}>{t('allCustomers')}</NavigationLink>
      <Head title={customerName(grant)} text={<GrantStatus status={grant.status} />} />
      <div className="panels">
        <div className="panel-stack">
          {grant.status === 'offered' && email !== null && !isMailed ? <Notice>{t('offerNotMailed', { email })}</Notice> : null}
          <section className="panel">
            <Title order={2} size="h4">
              {t('about')}
            </Title>
            <Facts
              facts={[
                [t('identifier'), organization?.id ?? null],
                [t('slug'), organization?.slug ?? null],
                ...(email === null ? [] : [[t('offeredTo'), email] as const]),
                [t('offeredAt'), at(createdAt)],
                ...(grant.status === 'offered' && expiresAt !== null ? [[t('offerWorksUntil'), at(expiresAt)] as const] : []),
                [t('acceptedAt'), at(acceptedAt)],
                [t('endedAt'), at(endedAt)],
              ]}
            />
          </section>
          {acceptedAt !== null && isOpen(grant) ? <People grant={grant} /> : null}
          {isOpen(grant) ? <CustomerEnding grant={grant} /> : null}
        </div>
        <TermsForm key={id} grant={grant} isReadOnly={!may('ProjectGrant:Update') || !isOpen(grant)} />
      </div>
    </>
  );
}

/** Who of the customer has which role, page after page. */
function People({ grant: { id, memberCount, organization, status } }: { readonly grant: Grant }) {
  const { t, count } = useTexts();
  const scope = useProduct();
  const tell = useTell();
  const { may } = useRights();
  const { user } = useMe();
  const dialog = useDialog();
  const mayAsk = may('SupportAccess:Use') && status === 'active';
  const people = useInfiniteQuery({
    queryKey: ['console', 'customer people', scope.id, id],
    queryFn: ({ pageParam }) =>
      tessera.listProjectGrantMembers({ scope, id, limit: 25, ...(pageParam === null ? {} : { after: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextAfter }) => nextAfter,
  });
  const members = people.data?.pages.flatMap((page) => page.members) ?? [];
  const total = people.data?.pages[0]?.totalCount ?? memberCount;
  const asked = members.find(({ userId }) => userId === dialog.id);
  return (
    <section className="panel" aria-label={t('peopleWithRoles')}>
      <div className="panel-head">
        <Title order={2} size="h4">
          {t('peopleWithRoles')}
        </Title>
        <Text c="dimmed" size="sm">
          {t('total', { count: count(total) })}
        </Text>
      </div>
      {people.isPending ? <Waiting /> : null}
      {people.error ? <Retry error={people.error} again={() => void people.refetch()} /> : null}
      {people.data && members.length === 0 ? <Text c="dimmed">{t('noPeopleWithRoles')}</Text> : null}
      {members.length === 0 ? null : (
        <ul className="people-list">
          {members.map(({ userId, name, email, roles }) => (
            <li key={userId}>
              <span className="wrap">
                <strong>{name ?? email ?? '–'}</strong>
                {name === null || email === null ? null : <small>{email}</small>}
              </span>
              <span className="wrap">{roles.map((role) => role.name).join(', ')}</span>
              {mayAsk && userId !== user.id ? (
                <Button variant="default" size="compact-sm" onClick={() => dialog.open('ask support', userId)}>
                  {t('askSupport')}
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {people.hasNextPage ? (
        <Button variant="default" loading={people.isFetchingNextPage} onClick={() => void people.fetchNextPage()}>
          {t('more')}
        </Button>
      ) : null}
      {dialog.name === 'ask support' && asked !== undefined && organization !== null && mayAsk ? (
        <AskSupport
          organizationId={organization.id}
          userId={asked.userId}
          name={asked.name ?? asked.email ?? '–'}
          close={dialog.close}
          made={() => {
            tell(t('supportAsked'));
            dialog.close();
          }}
        />
      ) : null}
    </section>
  );
}

type FormProps = { readonly grant: Grant; readonly isReadOnly: boolean };

function TermsForm({ grant, isReadOnly }: FormProps) {
  const { t } = useTexts();
  const tell = useTell();
  const scope = useProduct();
  const roles = useOwnRoleChoice();
  const { id } = grant;
  const draft = useDraft({
    initial: termsOf(grant),
    edits: { thing: grant, show: termsOf, read: () => readCustomer(scope, id) },
    names: roles,
    check: ({ metadata }) => ({ metadata: objectOf(metadata) === undefined ? t('enterObject') : undefined }),
    send: async (terms, call) => {
      await tessera.updateProjectGrant({ scope, id, ...termsInput(terms) }, call);
      tell(t('saved'));
    },
  });
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('termsOfGrant')}
      </Title>
      <form {...draft.form}>
        <Stack gap="md">
          {draft.problem === undefined ? null : <Problem>{draft.problem}</Problem>}
          <TermsFields draft={draft} isReadOnly={isReadOnly} />
          {draft.other === undefined ? null : <Conflict {...draft.other} />}
          {isReadOnly ? null : (
            <div>
              <Button type="submit" loading={draft.isPending} disabled={draft.other !== undefined}>
                {t('save')}
              </Button>
            </div>
          )}
        </Stack>
      </form>
    </section>
  );
}
