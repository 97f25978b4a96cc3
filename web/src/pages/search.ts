import { useSearch } from '@tanstack/react-router';
import { safeReturn } from '../session/return-to.ts';
import type { PageSearch } from './router.tsx';

export function usePageSearch(): PageSearch {
  return useSearch({ strict: false }) as PageSearch;
}

/**
 * Where to go after signing in, and the same for the links between pages, while it is not home.
 * Going there replaces the page in the history: going back must not meet a finished sign-in.
 */
export function useReturn() {
  const { return_to: wanted } = usePageSearch();
  const target = safeReturn(wanted);
  return { target, search: wanted === undefined ? {} : { return_to: target }, go: () => window.location.replace(target) };
}
