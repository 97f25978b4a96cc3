import { Badge, Text } from '@mantine/core';
import type { Item } from '@tessera/client';
import { useTexts } from '../../base/words.ts';
import { actionInWords } from '../audit/words.ts';
import type { Action } from '../list/actions.ts';
import { List } from '../list/list.tsx';

export type Access = Item<'listMySupportAccesses'>;
type Page = { readonly items: readonly Access[]; readonly totalCount: number };
type AccessesProps = {
  readonly name: string;
  readonly label: string;
  readonly empty: string;
  readonly emptyText: string;
  readonly load: (asked: { readonly page: number; readonly limit: number }) => Promise<Page>;
  readonly actions: (access: Access) => readonly Action[];
};

export function isOpen({ status }: Access): boolean {
  return status === 'requested' || status === 'allowed' || status === 'active';
}

/** Supporters who ask to act as somebody, act or acted: why, how far, until when, and what they did. */
export function Accesses({ name, label, empty, emptyText, load, actions }: AccessesProps) {
  const { t } = useTexts();
  return (
    <List<Access>
      name={name}
      label={label}
      icon="people"
      empty={empty}
      emptyText={emptyText}
      canSearch={false}
      load={({ page, limit }) => load({ page, limit })}
      columns={[
        { label: t('supporter'), cell: (access) => <Supporter access={access} /> },
        { label: t('actsAs'), cell: (access) => <ActsAs access={access} /> },
        { label: t('supportReason'), cell: ({ reason }) => <Quoted text={reason} /> },
        { label: t('status'), cell: (access) => <Status access={access} /> },
        { label: t('lastActions'), cell: ({ lastActions }) => <Acts acts={lastActions} /> },
      ]}
      actions={actions}
    />
  );
}

/** The words of a stranger: shown as such, and never as anything to click on. */
export function Quoted({ text }: { readonly text: string }) {
  return (
    <Text component="q" size="sm" className="wrap quoted">
      {text}
    </Text>
  );
}

function Supporter({ access: { supporter, project } }: { readonly access: Access }) {
  const { t } = useTexts();
  return (
    <>
      {supporter.name ?? '–'}
      <Text size="sm" c="dimmed" className="wrap">
        {supporter.email ?? '–'}
      </Text>
      <Text size="sm" c="dimmed" className="wrap">
        {t('supportOf', { name: project.name ?? '–' })}
      </Text>
    </>
  );
}

function ActsAs({ access: { user, organization } }: { readonly access: Access }) {
  return (
    <>
      {user.name ?? '–'}
      <Text size="sm" c="dimmed" className="wrap">
        {organization.name ?? '–'}
      </Text>
    </>
  );
}

const looks = {
  requested: { variant: 'outline' },
  allowed: { variant: 'light', color: 'indigo' },
  active: { variant: 'filled', color: 'red.9' },
  refused: { variant: 'light', color: 'gray' },
  ended: { variant: 'light', color: 'gray' },
} as const;

function Status({ access }: { readonly access: Access }) {
  const { t, when } = useTexts();
  const { status, minutes, endsAt, endedAt, endedBy, mayWrite, mayExport } = access;
  return (
    <>
      <Badge {...looks[status]}>{t(`support_${status}`)}</Badge>
      <Text size="sm" c="dimmed" className="wrap">
        {status === 'requested' || status === 'allowed' ? t('forMinutes', { minutes: String(minutes) }) : null}
        {status === 'active' ? t('activeUntil', { time: when(endsAt) }) : null}
        {endedAt === null ? null : [when(endedAt), endedBy === null ? '' : t(`endedBy_${endedBy}`)].filter(Boolean).join(', ')}
      </Text>
      {status === 'requested' || status === 'refused' ? null : (
        <Text size="sm" c="dimmed" className="wrap">
          {[t(mayWrite ? 'supportWrites' : 'supportReads'), ...(mayExport ? [t('supportExports')] : [])].join(', ')}
        </Text>
      )}
    </>
  );
}

function Acts({ acts }: { readonly acts: Access['lastActions'] }) {
  const { when } = useTexts();
  if (acts.length === 0) return '–';
  return (
    <ul className="plain-list">
      {acts.map(({ action, at }, index) => (
        <Text component="li" size="sm" key={`${at} ${action} ${index.toString()}`}>
          {`${actionInWords(action)}, ${when(at)}`}
        </Text>
      ))}
    </ul>
  );
}
