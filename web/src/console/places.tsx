import { Button, Group, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Problem } from '../look/page.tsx';
import { requireName, useForm } from '../parts/form.ts';
import { type Me, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import type { TextKey } from '../words/texts.ts';
import { Tile } from './tile.tsx';

type Place = { readonly id: string; readonly name: string; readonly slug: string };
type Page = { readonly items: readonly Place[]; readonly totalCount: number; readonly hasNextPage: boolean };

type PlacesProps = {
  readonly title: TextKey;
  readonly empty: TextKey;
  readonly name: string;
  readonly load: (page: number) => Promise<Page>;
  /** Left out where the person may not make one. */
  readonly make?: { readonly label: TextKey; readonly create: (name: string) => Promise<unknown> } | undefined;
};

/** A list that grows page by page, and a form to add to it. */
function Places({ title, empty, name, load, make }: PlacesProps) {
  const { t } = useWords();
  const list = useInfiniteQuery({
    queryKey: ['places', name],
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: 1,
    getNextPageParam: (last, all) => (last.hasNextPage ? all.length + 1 : undefined),
  });
  const places = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Tile title={t(title)} isPending={list.isPending} error={list.error}>
      {places.length === 0 ? (
        <Text c="dimmed">{t(empty)}</Text>
      ) : (
        <ul className="list">
          {places.map((place) => (
            <li key={place.id}>
              <span>{place.name}</span>
              <Text span c="dimmed" size="sm">
                {place.slug}
              </Text>
            </li>
          ))}
        </ul>
      )}
      {list.hasNextPage ? (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t('more')}
        </Button>
      ) : null}
      {make === undefined ? null : <MakeOne queryName={name} {...make} />}
    </Tile>
  );
}

type MakeProps = { readonly queryName: string; readonly label: TextKey; readonly create: (name: string) => Promise<unknown> };

function MakeOne({ queryName, label, create }: MakeProps) {
  const { t } = useWords();
  const queries = useQueryClient();
  const { form, field, clear, problem, isPending } = useForm({
    initial: { place: '' },
    check: { place: (value) => (requireName(value) === undefined ? undefined : label) },
    serverFields: { name: 'place' },
    send: async ({ place }) => {
      await create(place.trim());
      clear();
      await queries.invalidateQueries({ queryKey: ['places', queryName] });
    },
  });
  return (
    <form {...form}>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <Group align="flex-end" gap="xs">
        <TextInput {...field('place')} size="sm" label={t(label)} flex="1 1 14rem" autoComplete="off" />
        <Button type="submit" size="sm" loading={isPending}>
          {t('create')}
        </Button>
      </Group>
    </form>
  );
}

export function Organizations({ me }: { readonly me: Me }) {
  const [first] = me.accounts;
  const account = me.accounts.find(({ type }) => type === 'organization');
  if (first === undefined) return null;
  const scope = { tenant: 'account', id: (account ?? first).id } as const;
  return (
    <Places
      title="organizations"
      empty="noOrganizations"
      name="organizations"
      load={(page) => tessera.listOrganizations({ scope, page, limit: 20 })}
      make={
        account !== undefined && me.isVerified
          ? { label: 'newOrganization', create: (name) => tessera.createOrganization({ scope, name }) }
          : undefined
      }
    />
  );
}

export function Projects({ me }: { readonly me: Me }) {
  const [account] = me.accounts;
  if (account === undefined) return null;
  const scope = { tenant: 'account', id: account.id } as const;
  return (
    <Places
      title="projects"
      empty="noProjects"
      name="projects"
      load={(page) => tessera.listProjects({ scope, page, limit: 20 })}
      make={me.isVerified ? { label: 'newProject', create: (name) => tessera.createProject({ scope, name }) } : undefined}
    />
  );
}
