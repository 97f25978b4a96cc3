import { Alert, Button, Group, Text, TextInput, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { Problem, useProductName, Waiting, Words } from '../../look/page.tsx';
import { messageOf } from '../../parts/form.ts';
import { type Me, tessera } from '../../session/tessera.ts';
import { NavigationLink } from '../base/link.tsx';
import { useMe } from '../base/me.tsx';
import { Retry } from '../base/states.tsx';
import { type Key, useTexts } from '../base/words.ts';
import { useDraft } from '../parts/form/use-draft.ts';
import { FirstRunPanel } from './first-run/progression.tsx';

/** The start: one's organizations and projects, and the way to the first ones. */
export function Screen() {
  const { t } = useTexts();
  const me = useMe();
  const product = useProductName();
  useEffect(() => {
    document.title = product;
  }, [product]);
  return (
    <>
      <div className="head">
        <div>
          <Title order={1} size="h2" className="wrap">
            {t('hello', { name: me.user.name })}
          </Title>
          <Text c="dimmed">{t('homeText')}</Text>
        </div>
      </div>
      {me.isVerified ? null : <VerifyBanner email={me.email ?? ''} />}
      <FirstRunPanel />
      <div className="panels">
        <Organizations me={me} />
        <Projects me={me} />
        <Developers />
      </div>
    </>
  );
}

function Organizations({ me }: { readonly me: Me }) {
  const account = me.accounts.find(({ type }) => type === 'organization');
  const asked = account ?? me.accounts[0];
  if (asked === undefined) return null;
  const scope = { tenant: 'account', id: asked.id } as const;
  return (
    <Places
      title="organizations"
      empty="noOrganizations"
      load={(page) => tessera.listOrganizations({ scope, page, limit: 10 })}
      to={(id) => `/console/org/${id}`}
    >
      {me.isVerified ? (
        <MakeOne
          label="newOrganization"
          make={async (name) => {
            const owner = account ?? (await tessera.createSecondaryAccount()).account;
            return tessera.createOrganization({ scope: { tenant: 'account', id: owner.id }, name });
          }}
          to={(id) => `/console/org/${id}`}
        />
      ) : null}
    </Places>
  );
}

function Projects({ me }: { readonly me: Me }) {
  const [account] = me.accounts;
  if (account === undefined) return null;
  const scope = { tenant: 'account', id: account.id } as const;
  const to = (id: string) => `/console/acc/${account.id}/prj/${id}`;
  return (
    <Places title="ownProjects" empty="noProjects" load={(page) => tessera.listProjects({ scope, page, limit: 10 })} to={to}>
      {me.isVerified ? <MakeOne label="newProject" make={(name) => tessera.createProject({ scope, name })} to={to} /> : null}
    </Places>
  );
}

type Found = {
  readonly items: readonly { readonly id: string; readonly name: string; readonly slug: string }[];
  readonly hasNextPage: boolean;
};
type PlacesProps = {
  readonly title: Key;
  readonly empty: Key;
  readonly load: (page: number) => Promise<Found>;
  readonly to: (id: string) => string;
  readonly children: ReactNode;
};

function Places({ title, empty, load, to, children }: PlacesProps) {
  const { t } = useTexts();
  const list = useInfiniteQuery({
    queryKey: ['console', 'home', title],
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: 1,
    getNextPageParam: (last, all) => (last.hasNextPage ? all.length + 1 : undefined),
  });
  const places = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t(title)}
      </Title>
      {list.isPending ? <Waiting /> : null}
      {list.error ? <Retry error={list.error} again={() => void list.refetch()} /> : null}
      {list.data && places.length === 0 ? <Text c="dimmed">{t(empty)}</Text> : null}
      <ul className="list">
        {places.map(({ id, name, slug }) => (
          <li key={id}>
            <NavigationLink to={to(id)}>{name}</NavigationLink>
            <Text span c="dimmed" size="sm">
              {slug}
            </Text>
          </li>
        ))}
      </ul>
      {list.hasNextPage ? (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t('more')}
        </Button>
      ) : null}
      {children}
    </section>
  );
}

type MakeProps = {
  readonly label: Key;
  readonly make: (name: string) => Promise<{ readonly id: string }>;
  readonly to: (id: string) => string;
};

function MakeOne({ label, make, to }: MakeProps) {
  const { t } = useTexts();
  const navigate = useNavigate();
  const draft = useDraft({
    initial: { name: '' },
    check: ({ name }) => (name.trim() === '' ? { name: t(label) } : {}),
    send: async ({ name }) => navigate({ to: to((await make(name.trim())).id) }),
  });
  return (
    <form {...draft.form}>
      {draft.problem === undefined ? null : <Problem>{draft.problem}</Problem>}
      <Group align="flex-end" gap="xs">
        <TextInput {...draft.text('name')} label={t(label)} flex="1 1 14rem" autoComplete="off" />
        <Button type="submit" loading={draft.isPending}>
          {t('create')}
        </Button>
      </Group>
    </form>
  );
}

function Developers() {
  const { t } = useTexts();
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('developers')}
      </Title>
      <Text c="dimmed">{t('developersText')}</Text>
      <Group gap="xs">
        <Button component="a" href="/api-docs" variant="default">
          {t('apiDocs')}
        </Button>
        <Button component="a" href="/graphql" variant="default">
          GraphQL
        </Button>
      </Group>
    </section>
  );
}

function VerifyBanner({ email }: { readonly email: string }) {
  const { t } = useTexts();
  const [said, setSaid] = useState<string>();
  const [isPending, setPending] = useState(false);
  const again = async () => {
    setPending(true);
    await tessera.resendVerification({ email }).then(
      () => setSaid(t('sentAgain')),
      (error: unknown) => setSaid(messageOf(error)),
    );
    setPending(false);
  };
  return (
    <Alert variant="outline" color="indigo" className="wrap banner">
      <Group justify="space-between">
        <span>
          <Words text={t('verifyBanner', { email })} />
        </span>
        <Button variant="default" loading={isPending} onClick={() => void again()}>
          {t('sendAgain')}
        </Button>
        <span role="status">{said}</span>
      </Group>
    </Alert>
  );
}
