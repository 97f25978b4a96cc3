import { useNavigate, useSearch } from '@tanstack/react-router';

type Changes = Readonly<Record<string, string | undefined>>;

/**
 * The state of a screen, which is kept in the address: it survives a reload, a sign-in and a shared
 * link.
 */
export function useAddress() {
  const search = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>;
  const navigate = useNavigate();
  const change = (changes: Changes, replace = true) => {
    const next = Object.entries({ ...search, ...changes }).filter(([, value]) => value !== undefined && value !== '');
    void navigate({ to: '.', search: Object.fromEntries(next), replace, resetScroll: false });
  };
  return { search, change };
}

export type Change = ReturnType<typeof useAddress>['change'];

/** Which dialog is open: `do`, and about what: `id`. */
export function useDialog() {
  const { search, change } = useAddress();
  return {
    name: search['do'],
    id: search['id'],
    open: (name: string, id?: string) => change({ do: name, id }, false),
    close: () => change({ do: undefined, id: undefined }),
  };
}
