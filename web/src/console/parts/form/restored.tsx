import { Button } from '@mantine/core';
import { useTexts } from '../../base/words.ts';

type RestoredProps = { readonly at: number; readonly discard: () => void };

/** Says that a form shows what was typed before it was left, and offers to begin anew. */
export function Restored({ at, discard }: RestoredProps) {
  const { t, when } = useTexts();
  return (
    <div className="restored" role="status">
      <span>{t('restoredFrom', { time: when(new Date(at).toISOString()) })}</span>
      <Button variant="subtle" size="compact-sm" onClick={discard}>
        {t('discardDraft')}
      </Button>
    </div>
  );
}
