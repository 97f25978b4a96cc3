import { useSearch } from '@tanstack/react-router';
import { safeReturn } from '../session/return-to.ts';
import type { PageSearch } from './router.tsx';

export function usePageSearch(): PageSearch {
  return useSearch({ strict: false }) as PageSearch;
}

/** Where to go after signing in, and the same for the links between pages, while it is not home. */
export function useReturn() {
  const { return_to: wanted } = usePageSearch();
  const target = safeReturn(wanted);
  return { target, search: wanted === undefined ? {} : { return_to: target }, go: () => window.location.assign(target) };
}
