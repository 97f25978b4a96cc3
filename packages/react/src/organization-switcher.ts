import { type Item, TesseraError } from '@tessera/client';
import { type ChangeEvent, type ComponentPropsWithoutRef, createElement, type ReactElement, useEffect, useState } from 'react';
import { useOrganization, useTessera } from './provider.ts';
import { useSession } from './use-session.ts';

export type OrganizationSwitcherProps = Omit<ComponentPropsWithoutRef<'select'>, 'value' | 'onChange' | 'children'> & {
  /** What is shown while no organization is chosen. */
  readonly placeholder?: string;
};

type Organization = Pick<Item<'listOrganizations'>, 'id' | 'name'>;

/**
 * A select with the person's organizations, or those of them that use the project of the provider;
 * the chosen one is the scope of `useAuthorized`.
 */
export function OrganizationSwitcher({ placeholder = '–', ...props }: OrganizationSwitcherProps): ReactElement {
  const client = useTessera();
  const { me } = useSession();
  const { id, choose, scopeOf } = useOrganization();
  const [organizations, setOrganizations] = useState<readonly Organization[]>([]);
  useEffect(() => {
    let isOver = false;
    // Every member may read something where the organization uses the project, else nothing.
    const isUsedBy = async (organizationId: string): Promise<boolean> => {
      const scope = scopeOf(organizationId);
      if (scope.tenant === 'organization') return true;
      return client.listPermissions({ scope }).then(({ permissions }) => permissions.length > 0, isNotFailure);
    };
    const load = async () => {
      const found = new Map<string, Organization>();
      for (const account of me?.accounts ?? []) {
        const scope = { tenant: 'account', id: account.id } as const;
        for await (const one of client.listOrganizations({ scope, limit: 100, sortField: 'name' })) found.set(one.id, one);
      }
      const used = await Promise.all([...found.values()].map(async (one) => ((await isUsedBy(one.id)) ? [one] : [])));
      if (!isOver) setOrganizations(used.flat());
    };
    load().catch(() => {
      if (!isOver) setOrganizations([]);
    });
    return () => {
      isOver = true;
    };
  }, [client, me, scopeOf]);
  return createElement(
    'select',
    {
      'aria-label': 'Organization',
      ...props,
      value: organizations.some((one) => one.id === id) ? id : '',
      onChange: ({ currentTarget }: ChangeEvent<HTMLSelectElement>) => choose(currentTarget.value === '' ? undefined : currentTarget.value),
    },
    createElement('option', { value: '' }, placeholder),
    ...organizations.map((one) => createElement('option', { key: one.id, value: one.id }, one.name)),
  );
}

/** A refusal is an answer: not used here. What could not be asked is thrown. */
function isNotFailure(error: unknown): boolean {
  if (error instanceof TesseraError && [400, 403, 404].includes(error.status)) return false;
  throw error;
}
