import { useQuery } from '@tanstack/react-query';
import { usePlace } from '../shell/scope.ts';

/** The one that a dialog is about, by the id in the address. */
export function useItem<Item>(
  name: string,
  id: string | undefined,
  load: (ids: string[]) => Promise<{ readonly items: readonly Item[] }>,
): Item | undefined {
  const place = usePlace();
  const { data } = useQuery({
    queryKey: ['console', name, 'one', place, id],
    queryFn: async () => (await load([id ?? ''])).items[0] ?? null,
    enabled: id !== undefined,
    // Opened again it is read again: a form must not begin with what others have changed since.
    gcTime: 0,
  });
  return data ?? undefined;
}
