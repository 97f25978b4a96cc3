import { Badge } from '@mantine/core';
import { useTexts } from '../../base/words.ts';
import { type ServiceAccount, type State, stateOf } from './account.ts';
import { nameOf } from './proof.ts';

const looks: Readonly<Record<State, { readonly variant: 'light' | 'filled'; readonly color: string }>> = {
  active: { variant: 'light', color: 'indigo' },
  suspended: { variant: 'filled', color: 'red.9' },
  bare: { variant: 'light', color: 'gray' },
  expired: { variant: 'filled', color: 'red.9' },
};

export function Status({ account }: { readonly account: Pick<ServiceAccount, 'isSuspended' | 'credentials'> }) {
  const { t } = useTexts();
  const state = stateOf(account, Date.now());
  return (
    <Badge component="span" {...looks[state]}>
      {t(`service_${state}`)}
    </Badge>
  );
}

/** When it was last used, from where and by which credential. */
export function useLastUse() {
  const { t, when } = useTexts();
  return ({ lastUsedAt, lastUsedFrom, lastUsedCredentialId, credentials }: ServiceAccount): string => {
    if (lastUsedAt === null) return t('never');
    const used = credentials.find(({ id }) => id === lastUsedCredentialId);
    const values = { when: when(lastUsedAt), from: lastUsedFrom ?? '–' };
    return used === undefined ? t('usedFrom', values) : t('usedFromBy', { ...values, name: nameOf(used) });
  };
}
