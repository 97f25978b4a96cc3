import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Change } from '../../base/address.ts';
import { Icon } from '../../base/icon.tsx';
import { useTexts } from '../../base/words.ts';
import type { Action } from './actions.ts';
import { type Choosing, TickBox, TickPage, type Ticks } from './ticks.tsx';

export type Column<Item> = {
  readonly label: string;
  /** The server's name of the field to sort by. */
  readonly sort?: string;
  readonly cell: (item: Item) => ReactNode;
};

type RowsProps<Item> = {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly actions?: ((item: Item) => readonly Action[]) | undefined;
  readonly items: readonly Item[];
  readonly field: string;
  readonly order: string | undefined;
  readonly change: Change;
  readonly choosing?: (Pick<Choosing<Item>, 'nameOf'> & { readonly ticks: Ticks<Item> }) | undefined;
};

export function Rows<Item extends { readonly id: string }>(props: RowsProps<Item>) {
  const { label, columns, items, actions, field, order, change, choosing } = props;
  const { t } = useTexts();
  return (
    <table className="rows">
      <caption className="unseen">{label}</caption>
      <thead>
        <tr>
          {choosing === undefined ? null : (
            <th scope="col" className="row-tick">
              <TickPage items={items} ticks={choosing.ticks} />
            </th>
          )}
          {columns.map(({ label, sort }) => (
            <th
              key={label}
              scope="col"
              aria-sort={sort !== undefined && sort === field ? (order === 'desc' ? 'descending' : 'ascending') : undefined}
            >
              {sort === undefined ? (
                label
              ) : (
                <button
                  type="button"
                  onClick={() => change({ sort: sort === field && order !== 'desc' ? `${sort} desc` : sort, page: undefined })}
                >
                  {label}
                  {sort === field ? <Icon name={order === 'desc' ? 'down' : 'up'} size={12} /> : null}
                </button>
              )}
            </th>
          ))}
          {actions === undefined ? null : (
            <th scope="col">
              <span className="unseen">{t('actions')}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={item.id} data-is-ticked={choosing?.ticks.isTicked(item) || undefined}>
            {choosing === undefined ? null : (
              <td className="row-tick" aria-label={t('choice')}>
                <TickBox item={item} {...choosing} />
              </td>
            )}
            {columns.map(({ label, cell }) => (
              <td key={label} data-label={label}>
                <div>{cell(item)}</div>
              </td>
            ))}
            {actions === undefined ? null : (
              <td className="row-actions">
                <RowActions actions={actions(item)} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function RowActions({ actions }: { readonly actions: readonly Action[] }) {
  const { t } = useTexts();
  if (actions.length === 0) return null;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <button type="button" className="plain" aria-label={t('actions')}>
          <Icon name="more" />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label, run, isDangerous }) => (
          <Menu.Item key={label} onClick={run} {...(isDangerous ? { className: 'danger' } : {})}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
