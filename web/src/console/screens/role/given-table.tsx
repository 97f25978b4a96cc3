import type { ReactNode } from 'react';
import { builtInResources, builtInRoles } from '../../../../../proto/generated/built-in-roles.ts';
import { actionOfResource, resourceInWords } from '../../base/built-in-words.ts';
import { Icon } from '../../base/icon.tsx';
import { useTexts } from '../../base/words.ts';

type Given = { readonly action: string; readonly note?: ReactNode };
export type GivenRow = {
  readonly id: string;
  readonly resource: { readonly name: string; readonly slug: string; readonly isBuiltIn: boolean };
  readonly actions: readonly Given[];
};

/** What a role gives, to read. */
export function GivenTable({ label, rows }: { readonly label: string; readonly rows: readonly GivenRow[] }) {
  return (
    <table className="ticks panel" aria-label={label}>
      <tbody>
        {rows.map(({ id, resource, actions }) => (
          <tr key={id}>
            <th scope="row">
              {resourceInWords(resource)} {resource.isBuiltIn ? null : <code>{resource.slug}</code>}
            </th>
            <td>
              {actions.map(({ action, note }) => (
                <span key={action} className="given">
                  <Icon name="check" size={14} /> {actionOfResource(resource, action)} {note}
                </span>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What a built-in role gives: the same in every organization. */
export function BuiltInGiven({ name }: { readonly name: string }) {
  const { t } = useTexts();
  const rows = (builtInRoles[name] ?? []).map(({ resource, actions, ofOwn }): GivenRow => {
    const inOrder = (builtInResources[resource] ?? []).filter((action) => actions.includes(action) || ofOwn.includes(action));
    const noteOf = (action: string) => (ofOwn.includes(action) ? { note: <small>{t('ownOnly')}</small> } : {});
    return {
      id: resource,
      resource: { name: resource, slug: resource, isBuiltIn: true },
      actions: inOrder.map((action) => ({ action, ...noteOf(action) })),
    };
  });
  return rows.length === 0 ? null : <GivenTable label={t('roleGives')} rows={rows} />;
}
