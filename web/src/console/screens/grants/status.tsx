import { Badge } from '@mantine/core';
import type { Item } from '@tessera/client';
import { useTexts } from '../../base/words.ts';

export type Grant = Item<'listProjectGrants'>;

export const states = ['offered', 'active', 'suspended', 'declined', 'ended'] as const;

/** The grant lives: its terms can be changed, and it can end. */
export function isOpen({ status }: Pick<Grant, 'status'>): boolean {
  return status !== 'declined' && status !== 'ended';
}

/** What the owner calls its customer: an offer by mail by its address, until it is taken. */
export function customerName({ organization, email }: Pick<Grant, 'organization' | 'email'>): string {
  return organization?.name ?? email ?? '–';
}

const looks = {
  offered: { variant: 'outline', color: 'indigo' },
  active: { variant: 'light', color: 'indigo' },
  suspended: { variant: 'filled', color: 'red.9' },
  declined: { variant: 'light', color: 'gray' },
  ended: { variant: 'light', color: 'gray' },
} as const;

export function GrantStatus({ status }: Pick<Grant, 'status'>) {
  const { t } = useTexts();
  return <Badge {...looks[status]}>{t(`grant_${status}`)}</Badge>;
}

/** What a filter of the address names, as the list takes it. */
export function narrowedTo(filter: string | undefined) {
  const status = states.find((one) => one === filter);
  return status === undefined ? {} : { status };
}

export function useStateFilters() {
  const { t } = useTexts();
  return states.map((value) => ({ value, label: t(`grant_${value}`) }));
}
