import { Badge } from '@mantine/core';
import { useTexts } from '../../base/words.ts';
import type { Connection, Test } from './connection.ts';

const looks = {
  draft: { variant: 'light', color: 'gray' },
  active: { variant: 'light', color: 'indigo' },
  disabled: { variant: 'light', color: 'gray' },
} as const;

export function Status({ connection: { status } }: { readonly connection: Connection }) {
  const { t } = useTexts();
  return (
    <Badge component="span" {...looks[status]}>
      {t(`connection_${status}`)}
    </Badge>
  );
}

const testLooks = {
  waiting: { variant: 'light', color: 'gray' },
  opened: { variant: 'light', color: 'gray' },
  passed: { variant: 'light', color: 'indigo' },
  refused: { variant: 'filled', color: 'red.9' },
  failed: { variant: 'filled', color: 'red.9' },
} as const;

export function TestStatus({ status }: Pick<Test, 'status'>) {
  const { t } = useTexts();
  return (
    <Badge component="span" {...testLooks[status]}>
      {t(`test_${status}`)}
    </Badge>
  );
}
