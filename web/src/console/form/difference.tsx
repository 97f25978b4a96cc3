import { useTexts } from '../shell/words.ts';

type DifferenceProps = {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly names: readonly { readonly value: string; readonly label: string }[];
};

/** What saving would add and take away. */
export function Difference({ before, after, names }: DifferenceProps) {
  const { t } = useTexts();
  const nameOf = (id: string) => names.find(({ value }) => value === id)?.label ?? id;
  const added = after.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !after.includes(id));
  if (added.length + removed.length === 0) return null;
  return (
    <section aria-label={t('difference')} className="difference">
      <strong>{t('difference')}</strong>
      <ul>
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
    </section>
  );
}
