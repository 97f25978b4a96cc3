import { Autocomplete, Button, Loader, Select, TextInput } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { Input, Output } from '@tessera/client';
import { auditActions } from '../../../../../proto/generated/audit-actions.ts';
import { Waiting } from '../../../look/page.tsx';
import { type Change, useAddress, useDialog } from '../../base/address.ts';
import { usePlaceName } from '../../base/place-name.ts';
import { usePlace } from '../../base/scope.ts';
import { Empty, Retry } from '../../base/states.tsx';
import { useTyped } from '../../base/typed.ts';
import { useTexts } from '../../base/words.ts';
import { Rows } from '../list/rows.tsx';
import { Details, Outcome } from './event.tsx';
import { TenantOf, tenantIdOf, useTenantNames } from './tenant.tsx';
import { actionInWords, type Event, sentenceInWords } from './words.ts';

export type Filters = Input<'listMyAuditEvents'>;
type Page = Output<'listAuditEvents'>;
type Address = Readonly<Record<string, string | undefined>>;

const perPage = 50;
const pauseMs = 300;
const mostOffered = 50;
const outcomes = ['ok', 'refused', 'failed'] as const;
const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function isId(text: string | undefined): text is string {
  return text !== undefined && id.test(text);
}

/** A day of the address as the moment at which it begins here; the last day counts whole. */
function momentOf(day: string | undefined, daysLater: number): string | undefined {
  const date = new Date(`${day}T00:00:00`);
  if (Number.isNaN(date.getTime())) return undefined;
  date.setDate(date.getDate() + daysLater);
  return date.toISOString();
}

/** What the address asks for; what it says wrongly is left out. */
export function filtersOf(address: Address): Filters {
  const outcome = outcomes.find((known) => known === address['outcome']);
  const [from, to] = [momentOf(address['from'], 0), momentOf(address['to'], 1)];
  const { action, actor, target } = address;
  return {
    ...(outcome && { outcome }),
    ...(action && { action }),
    ...(isId(actor) ? { actorId: actor } : {}),
    ...(target && { targetId: target }),
    ...(from && { from }),
    ...(to && { to }),
  };
}

type LogProps = {
  readonly name: string;
  readonly label: string;
  readonly load: (asked: Filters) => Promise<Page>;
  /** Of all tenants: each event shows its own, and one can be chosen. */
  readonly isOfPlatform?: boolean;
};

/** Events, newest first, with filters in the address; older ones join below. */
export function Log({ name, label, load, isOfPlatform = false }: LogProps) {
  const { t, when, count } = useTexts();
  const place = usePlace();
  const { search: address, change } = useAddress();
  const dialog = useDialog();
  const filters = filtersOf(address);
  const log = useInfiniteQuery({
    queryKey: ['console', name, place, filters],
    queryFn: ({ pageParam }) => load({ ...filters, limit: perPage, ...(pageParam === '' ? {} : { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const all = log.data?.pages.flatMap((page) => page.items) ?? [];
  const { items, timesOf } = gathered(all);
  const tenantNames = useTenantNames(isOfPlatform ? items : []);
  const here = usePlaceName();
  const sayOf = (event: Event) => {
    const tenant = event.scope === null ? undefined : tenantNames.get(tenantIdOf(event.scope));
    return sentenceInWords(event, isOfPlatform ? tenant : (here.project ?? here.parent));
  };
  const chosen = items.find((item) => item.id === dialog.id);
  const isNarrowed = Object.keys(filters).length > 0 || (isOfPlatform && address['tenant'] !== undefined);

  if (log.isPending) return <Waiting />;
  if (log.error && log.data === undefined) return <Retry error={log.error} again={() => void log.refetch()} />;
  return (
    <section aria-label={label} className="listing">
      <Tools address={address} change={change} isNarrowed={isNarrowed} isFetching={log.isFetching} />
      {log.error ? <Retry error={log.error} again={() => void log.refetch()} /> : null}
      {items.length === 0 ? (
        <Empty icon="clock" title={t(isNarrowed ? 'nothingFound' : 'noEvents')} />
      ) : (
        <Rows<Event>
          label={label}
          items={items}
          field=""
          order={undefined}
          change={change}
          columns={[
            { label: t('time'), cell: ({ at }) => when(at) },
            {
              label: t('event'),
              cell: (event) => (
                <button type="button" className="as-link" onClick={() => dialog.open('event', event.id)}>
                  {sayOf(event)}
                  {timesOf(event) > 1 ? ` (${t('times', { count: count(timesOf(event)) })})` : null}
                </button>
              ),
            },
            ...(isOfPlatform ? [{ label: t('tenant'), cell: ({ scope }: Event) => <TenantOf scope={scope} names={tenantNames} /> }] : []),
            { label: t('outcome'), cell: (event) => <Outcome outcome={event.outcome} /> },
          ]}
        />
      )}
      {log.hasNextPage ? (
        <div className="older">
          <Button variant="default" loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
            {t('older')}
          </Button>
        </div>
      ) : null}
      {dialog.name === 'event' && chosen ? (
        <Details event={chosen} sentence={sayOf(chosen)} change={change} close={dialog.close} isOfPlatform={isOfPlatform} />
      ) : null}
    </section>
  );
}

/** A session that goes on says so each time that a page is opened: the newest of them stands for those before. */
function gathered(events: readonly Event[]) {
  const times = new Map<string, number>();
  let first: Event | undefined;
  const items = events.filter((event) => {
    const goesOn = event.action === 'session.refresh' && event.outcome === 'ok';
    if (goesOn && first !== undefined && first.target.id === event.target.id) {
      times.set(first.id, (times.get(first.id) ?? 1) + 1);
      return false;
    }
    first = goesOn ? event : undefined;
    return true;
  });
  return { items, timesOf: ({ id }: Event) => times.get(id) ?? 1 };
}

type ToolsProps = { readonly address: Address; readonly change: Change; readonly isNarrowed: boolean; readonly isFetching: boolean };

function Tools({ address, change, isNarrowed, isFetching }: ToolsProps) {
  const { t } = useTexts();
  const names = ['action', 'outcome', 'actor', 'target', 'tenant', 'from', 'to'];
  const nothing = Object.fromEntries(names.map((name) => [name, undefined]));
  return (
    <div className="tools audit-tools">
      <Action action={address['action']} change={change} />
      <Select
        label={t('outcome')}
        size="sm"
        data={[{ value: 'all', label: t('all') }, ...outcomes.map((value) => ({ value, label: t(`outcome_${value}`) }))]}
        value={outcomes.find((known) => known === address['outcome']) ?? 'all'}
        allowDeselect={false}
        onChange={(value) => change({ outcome: value === 'all' ? undefined : (value ?? undefined) })}
      />
      <TextInput
        type="date"
        label={t('fromDay')}
        value={address['from'] ?? ''}
        onChange={({ currentTarget }) => change({ from: currentTarget.value || undefined })}
      />
      <TextInput
        type="date"
        label={t('toDay')}
        value={address['to'] ?? ''}
        onChange={({ currentTarget }) => change({ to: currentTarget.value || undefined })}
      />
      {isNarrowed ? (
        <Button variant="default" onClick={() => change(nothing)}>
          {t('clearFilters')}
        </Button>
      ) : null}
      <span className="total" role="status">
        {isFetching ? <Loader size={14} aria-hidden /> : null}
        {address['actor'] === undefined ? null : t('narrowedActor')} {address['target'] === undefined ? null : t('narrowedTarget')}{' '}
        {address['tenant'] === undefined ? null : t('narrowedTenant')}
      </span>
    </div>
  );
}

type ActionProps = { readonly action: string | undefined; readonly change: Change };

/** By its name, which may be typed; in the list it is in words too. */
function Action({ action, change }: ActionProps) {
  const { t } = useTexts();
  const [typed, type] = useTyped(action ?? '', (next) => change({ action: next || undefined }), pauseMs);
  const inWords = (name: string) => actionInWords(name);
  return (
    <Autocomplete
      label={t('actionName')}
      placeholder={t('actionHelp')}
      data={[...auditActions]}
      limit={mostOffered}
      filter={({ options, search, limit }) => {
        const wanted = search.trim().toLowerCase();
        const isMeant = (name: string) => name.toLowerCase().includes(wanted) || inWords(name).toLowerCase().includes(wanted);
        return options.filter((option) => 'value' in option && isMeant(option.value)).slice(0, limit);
      }}
      renderOption={({ option }) => (
        <span className="offer">
          {inWords(option.value)} <small>{option.value}</small>
        </span>
      )}
      value={typed}
      onChange={type}
    />
  );
}
