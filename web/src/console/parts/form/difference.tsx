import { useTexts } from '../../base/words.ts';
import { type Change, changeOf, isAny } from './change.ts';

type DifferenceProps = {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly names: readonly { readonly value: string; readonly label: string }[];
};

/** What saving would add and take away. */
export function Difference({ before, after, names }: DifferenceProps) {
  const { t } = useTexts();
  const change = changeOf(before, after);
  if (!isAny(change)) return null;
  return (
    <section aria-label={t('difference')} className="difference">
      <strong>{t('difference')}</strong>
      <ChangeList label={t('difference')} change={change} nameOf={(id) => names.find(({ value }) => value === id)?.label ?? id} />
    </section>
  );
}

type ListProps = { readonly label: string; readonly change: Change; readonly nameOf: (id: string) => string };

export function ChangeList({ label, change: { added, removed }, nameOf }: ListProps) {
  return (
    <ul aria-label={label}>
      {added.map((id) => (
        <li key={id} data-change="added">
          <ins>+ {nameOf(id)}</ins>
        </li>
      ))}
      {removed.map((id) => (
        <li key={id} data-change="removed">
          <del>− {nameOf(id)}</del>
        </li>
      ))}
    </ul>
  );
}
