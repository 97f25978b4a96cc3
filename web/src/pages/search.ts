import { useSearch } from '@tanstack/react-router';
import { safeReturn } from '../session/return-to.ts';

/** What a page reads from its address. */
const parameters = [
  'return_to',
  'error',
  'provider',
  'connected',
  'connection',
  'client_id',
  'redirect_uri',
  'state',
  'reason',
  'interaction',
  'done',
  'user_code',
  'redirect',
  'email',
  'link',
  'test',
  'way',
] as const;
export type PageSearch = { readonly [Name in (typeof parameters)[number]]?: string };

export function readPageSearch(search: Record<string, unknown>): PageSearch {
  return Object.fromEntries(parameters.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])));
}

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
