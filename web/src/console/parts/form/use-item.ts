import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { messageOf } from '../../../parts/form.ts';
import { usePlace } from '../../base/scope.ts';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';

/** The one that a dialog is about, by the id in the address. */
export function useItem<Item>(
  name: string,
  id: string | undefined,
  load: (ids: string[]) => Promise<{ readonly items: readonly Item[] }>,
): Item | undefined {
  const place = usePlace();
  const { data, error } = useQuery({
    queryKey: ['console', name, 'one', place, id],
    queryFn: async () => (await load([id ?? ''])).items[0] ?? null,
    enabled: id !== undefined,
    // Opened again it is read again: a form must not begin with what others have changed since.
    gcTime: 0,
  });
  useWhyNot(id, data, error);
  return data ?? undefined;
}

/** Says why a dialog does not open: what it is about is gone, or cannot be read. */
export function useWhyNot(id: string | undefined, data: unknown, error: unknown): void {
  const { t } = useTexts();
  const tell = useTell();
  // What was there and is gone was deleted here.
  const found = useRef<string>(undefined);
  const reason = error ? messageOf(error) : data === null ? t('goneMeanwhile') : undefined;
  useEffect(() => {
    if (data) found.current = id;
    else if (reason !== undefined && found.current !== id) tell(reason, 'failed');
  }, [id, data, reason, tell]);
}
