import { Button, Loader, Pagination, Select, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Waiting } from '../../../look/page.tsx';
import { type Change, useAddress } from '../../base/address.ts';
import { Icon, type IconName } from '../../base/icon.tsx';
import { usePlace, useScope } from '../../base/scope.ts';
import { Empty, Retry } from '../../base/states.tsx';
import { useTyped } from '../../base/typed.ts';
import { useTexts } from '../../base/words.ts';
import { type Csv, DownloadCsv } from '../bulk/download-csv.tsx';
import { useTagChoice } from '../form/tagging.tsx';
import type { Action } from './actions.ts';
import { type Column, Rows } from './rows.tsx';
import { type Choosing, TickBar, useTicks } from './ticks.tsx';

const perPage = 25;
const pauseMs = 250;
const movingMs = 2_000;

type Asked = {
  readonly page: number;
  readonly limit: number;
  readonly search?: string;
  readonly sortField?: never;
  readonly sortOrder?: 'asc' | 'desc';
  readonly tagIds?: string[];
};
type Page<Item> = { readonly items: readonly Item[]; readonly totalCount: number };
type ListProps<Item> = {
  readonly name: string;
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly load: (asked: Asked, filter: string | undefined) => Promise<Page<Item>>;
  /** Sorts when the address says nothing: `createdAt desc`. */
  readonly sort?: string;
  readonly filters?: readonly { readonly value: string; readonly label: string }[];
  readonly actions?: (item: Item) => readonly Action[];
  readonly canSearch?: boolean;
  /** Whether something goes on in one of them, so that the list is read again every two seconds. */
  readonly isMoving?: (item: Item) => boolean;
  /** Whether its things carry tags, by which the list can be narrowed. */
  readonly isTagged?: boolean;
  /** Offers the list as a file. */
  readonly csv?: Csv<Item>;
  /** Lets rows be ticked, to do the same with several. */
  readonly choosing?: Choosing<Item> | undefined;
  readonly icon: IconName;
  readonly empty: string;
  readonly emptyText?: string;
};

/** A list that the server pages, searches and sorts. Its state is in the address. */
export function List<Item extends { readonly id: string }>(props: ListProps<Item>) {
  const { name, label, columns, load, sort, filters, canSearch = true, isMoving, choosing, csv } = props;
  const { t, count } = useTexts();
  const place = usePlace();
  const { search: address, change } = useAddress();
  const [field = '', order] = (address['sort'] ?? sort ?? '').split(' ');
  const page = Math.max(1, Number.parseInt(address['page'] ?? '1', 10) || 1);
  const search = address['q'];
  const filter = address['filter'];
  const tag = address['tag'];
  const asked = {
    page,
    limit: perPage,
    ...(search === undefined ? {} : { search }),
    ...(tag === undefined ? {} : { tagIds: [tag] }),
    ...(field === '' ? {} : { sortField: field as never, sortOrder: order === 'desc' ? ('desc' as const) : ('asc' as const) }),
  };
  const list = useQuery({
    queryKey: ['console', name, place, asked, filter],
    queryFn: () => load(asked, filter),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isMoving !== undefined && state.data?.items.some(isMoving) ? movingMs : false),
  });
  // Rows of the page before stay until the next one is there: their ticks do not count any more.
  const ticks = useTicks(list.isPlaceholderData ? [] : (list.data?.items ?? []), JSON.stringify([place, asked, filter]));
  const pages = Math.ceil((list.data?.totalCount ?? 0) / perPage);
  const isNarrowed = search !== undefined || filter !== undefined || tag !== undefined;

  if (list.isPending) return <Waiting />;
  if (list.error && list.data === undefined) return <Retry error={list.error} again={() => void list.refetch()} />;
  if (list.data?.totalCount === 0 && !isNarrowed) {
    return <Empty icon={props.icon} title={props.empty} text={props.emptyText} />;
  }
  return (
    <section aria-label={label} className="listing">
      <div className="tools">
        {canSearch ? <Search key={place?.parentId} search={search} change={change} label={t('search')} /> : null}
        {filters === undefined ? null : (
          <Select
            aria-label={t('filter')}
            size="sm"
            data={[{ value: 'all', label: t('all') }, ...filters]}
            value={filter ?? 'all'}
            allowDeselect={false}
            onChange={(value) => change({ filter: value === 'all' ? undefined : (value ?? undefined), page: undefined })}
          />
        )}
        {props.isTagged ? <TagFilter tag={tag} change={change} /> : null}
        <span className="total" role="status">
          {list.isFetching ? <Loader size={14} aria-hidden /> : null}
          {t('total', { count: count(list.data?.totalCount ?? 0) })}
        </span>
        {csv === undefined ? null : <DownloadCsv<Item> {...csv} read={(page, limit) => load({ ...asked, page, limit }, filter)} />}
      </div>
      {list.error ? <Retry error={list.error} again={() => void list.refetch()} /> : null}
      {list.data?.items.length === 0 ? (
        <Empty icon="search" title={t('nothingFound')}>
          <Button variant="default" onClick={() => change({ q: undefined, filter: undefined, tag: undefined, page: undefined })}>
            {t('showAll')}
          </Button>
        </Empty>
      ) : (
        <Rows
          label={label}
          columns={columns}
          actions={props.actions}
          items={list.data?.items ?? []}
          field={field}
          order={order}
          change={change}
          choosing={choosing && { nameOf: choosing.nameOf, ticks }}
        />
      )}
      {choosing === undefined ? null : (
        <TickBar items={list.data?.items ?? []} ticks={ticks} ofOne={props.actions} ofSeveral={choosing.actions} />
      )}
      {pages > 1 ? (
        <Pagination
          className="pages"
          total={pages}
          value={page}
          size="sm"
          siblings={1}
          onChange={(next) => change({ page: next === 1 ? undefined : String(next) }, false)}
          getItemProps={(number) => ({ 'aria-label': t('pageNumber', { page: String(number) }) })}
          getControlProps={(control) => ({ 'aria-label': t(control === 'next' ? 'nextPage' : 'previousPage') })}
        />
      ) : null}
    </section>
  );
}

function TagFilter({ tag, change }: { readonly tag: string | undefined; readonly change: Change }) {
  const { t } = useTexts();
  const choice = useTagChoice(useScope());
  if (choice === undefined || choice.length === 0) return null;
  return (
    <Select
      aria-label={t('filterTag')}
      placeholder={t('filterTag')}
      size="sm"
      data={choice}
      value={tag ?? null}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('clear') }}
      onChange={(value) => change({ tag: value ?? undefined, page: undefined })}
    />
  );
}

type SearchProps = { readonly search: string | undefined; readonly change: Change; readonly label: string };

function Search({ search, change, label }: SearchProps) {
  const [typed, type] = useTyped(search ?? '', (q) => change({ q, page: undefined }), pauseMs);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" size={16} />}
      value={typed}
      onChange={({ currentTarget: { value } }) => type(value)}
    />
  );
}
