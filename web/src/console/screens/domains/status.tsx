import { Badge, Text } from '@mantine/core';
import { useTexts } from '../../base/words.ts';
import type { Domain } from './record.tsx';

const looks = {
  pending: { variant: 'light', color: 'gray' },
  verified: { variant: 'light', color: 'indigo' },
  failing: { variant: 'filled', color: 'red.9' },
  lost: { variant: 'filled', color: 'red.9' },
} as const;

export function Status({ domain: { status, lostAt } }: { readonly domain: Domain }) {
  const { t, day } = useTexts();
  const { variant, color } = looks[status];
  return (
    <>
      <Badge variant={variant} color={color}>
        {t(`domain_${status}`)}
      </Badge>{' '}
      {lostAt === null ? null : (
        <Text span size="sm">
          {t('lostOn', { when: day(lostAt) })}
        </Text>
      )}
    </>
  );
}
