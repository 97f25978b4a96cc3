import { Checkbox, Text, TextInput } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { actionOfResource, resourceInWords } from '../../base/built-in-words.ts';
import { useRights } from '../../base/rights.ts';
import { useTexts } from '../../base/words.ts';
import { keyOf, type Resource, type Row, rowsOf, type Source, tickOf } from './ticks.ts';

/** More rows than this can be searched. */
const rowsAtOnce = 8;

type TicksProps = {
  readonly resources: readonly Resource[];
  /** The keys of what is ticked. */
  readonly chosen: readonly string[];
  readonly change: (keys: readonly string[]) => void;
  /** What the role gives already, by which groups and under which conditions. */
  readonly sources: ReadonlyMap<string, readonly Source[]>;
  /** Where an organization uses another's product: the keys of what the product's roles give. */
  readonly onOffer?: ReadonlySet<string> | undefined;
  readonly children?: ReactNode;
};

/** A table of resources with a box for each action that the role gives. */
export function TickTable({ resources, chosen, change, sources, onOffer, children }: TicksProps) {
  const { t } = useTexts();
  const { may } = useRights();
  const isShown = ({ resource: { slug, isBuiltIn }, key, action }: Cell) =>
    sources.has(key) || chosen.includes(key) || ((onOffer?.has(key) ?? true) && (!isBuiltIn || may(`${slug}:${action}`)));
  const rows = rowsOf(resources, sources.keys())
    .map((row) => ({ ...row, actions: row.actions.filter((action) => isShown(cellOf(row, action))) }))
    .filter(({ actions, resource }) => actions.length > 0 || !resource.isBuiltIn);
  const [builtIn, own] = [rows.filter(({ resource }) => resource.isBuiltIn), rows.filter(({ resource }) => !resource.isBuiltIn)];
  const table = (label: string, some: readonly Row[]) => <Rows {...{ label, sources, chosen, change }} rows={some} />;
  // Of what stands, so that it does not close while one unticks.
  const isBuiltInGiven = builtIn.some((row) => row.actions.some((action) => sources.has(cellOf(row, action).key)));
  return (
    <section className="ticking" aria-label={t('roleGives')}>
      <div>
        <strong>{t('roleGives')}</strong>
        <Text size="sm" c="dimmed">
          {t(own.length === 0 && children ? 'noResourcesForRole' : 'roleGivesHelp')}
        </Text>
      </div>
      {own.length === 0 ? null : table(t('resources'), own)}
      {children}
      {builtIn.length === 0 ? null : (
        <details className="more" open={(own.length === 0 && !children) || isBuiltInGiven}>
          <summary>{t('ofTessera')}</summary>
          {table(t('ofTessera'), builtIn)}
        </details>
      )}
    </section>
  );
}

type Cell = { readonly resource: Resource; readonly action: string; readonly key: string };

function cellOf({ resource }: Pick<Row, 'resource'>, action: string): Cell {
  return { resource, action, key: keyOf({ resourceId: resource.id, action }) };
}

type RowsProps = Pick<TicksProps, 'chosen' | 'change' | 'sources'> & { readonly label: string; readonly rows: readonly Row[] };

function Rows({ label, rows, chosen, change, sources }: RowsProps) {
  const { t } = useTexts();
  const [typed, setTyped] = useState('');
  const wanted = typed.trim().toLowerCase();
  const isMeant = ({ resource }: Row) => `${resourceInWords(resource)} ${resource.slug}`.toLowerCase().includes(wanted);
  const shown = rows.filter(isMeant);
  return (
    <>
      {rows.length > rowsAtOnce ? (
        <TextInput
          size="sm"
          aria-label={t('findResource')}
          placeholder={t('findResource')}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      ) : null}
      <table className="ticks" aria-label={label}>
        <tbody>
          {shown.map((row) => (
            <tr key={row.resource.id}>
              <th scope="row">
                {resourceInWords(row.resource)} {row.resource.isBuiltIn ? null : <code>{row.resource.slug}</code>}
              </th>
              <td>
                {row.actions.map((action) => {
                  const cell = cellOf(row, action);
                  return <Box key={action} cell={cell} chosen={chosen} change={change} sources={sources.get(cell.key) ?? []} />;
                })}
                {row.actions.length === 0 ? <Text size="sm">–</Text> : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length === 0 ? <Text c="dimmed">{t('nothingFound')}</Text> : null}
    </>
  );
}

type BoxProps = Pick<TicksProps, 'chosen' | 'change'> & { readonly cell: Cell; readonly sources: readonly Source[] };

function Box({ cell: { resource, action, key }, chosen, change, sources }: BoxProps) {
  const tick = tickOf(key, chosen, sources);
  const name = actionOfResource(resource, action);
  const note = useId();
  return (
    <div className="tick">
      <Checkbox
        label={name}
        aria-label={`${resourceInWords(resource)}: ${name}`}
        {...(sources.length === 0 ? {} : { 'aria-describedby': note })}
        checked={tick === 'own' || tick === 'group'}
        indeterminate={tick === 'partly'}
        disabled={tick === 'group'}
        onChange={() => change(tick === 'own' ? chosen.filter((one) => one !== key) : [...chosen, key].toSorted())}
      />
      <div id={note}>
        <Sources sources={sources} isTicked={tick === 'own'} />
      </div>
    </div>
  );
}

/** By which group an action is given, and under which condition. */
export function Sources({ sources, isTicked = true }: { readonly sources: readonly Source[]; readonly isTicked?: boolean }) {
  const { t } = useTexts();
  return sources
    .filter(({ group, permission }) => group !== undefined || (isTicked && permission.condition !== null))
    .map(({ group, permission: { id, condition } }) => (
      <small key={`${group} ${id}`}>
        {group === undefined ? t('onlyIf') : t(condition === null ? 'fromGroup' : 'fromGroupIf', { name: group })}
        {condition === null ? null : <code>{JSON.stringify(condition)}</code>}
      </small>
    ));
}
