import type { Output } from '@tessera/client';
import { useTexts } from '../../base/words.ts';

type Comparison = Output<'tryCondition'>['comparisons'][number];

/** Each value that a condition has compared. */
export function Comparisons({ comparisons }: { readonly comparisons: readonly Comparison[] }) {
  const { t } = useTexts();
  if (comparisons.length === 0) return null;
  const labels = [t('path'), t('actual'), t('expected'), t('result')] as const;
  return (
    <table className="rows comparisons">
      <caption className="unseen">{t('compared')}</caption>
      <thead>
        <tr>
          {labels.map((label) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {comparisons.map((one, index) => (
          <tr key={index}>
            <td data-label={labels[0]}>
              <code>{one.path}</code>
            </td>
            <td data-label={labels[1]}>
              <Value value={one.actual} isHidden={one.isHidden} />
            </td>
            <td data-label={labels[2]}>
              <div>
                {one.operator} <Value value={one.expected} isHidden={one.isHidden} />
              </div>
            </td>
            <td data-label={labels[3]} className="verdict" data-holds={one.holds}>
              {t(one.isUnmet ? 'inTheWay' : one.holds ? 'yes' : 'no')}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ value, isHidden }: { readonly value: unknown; readonly isHidden: boolean }) {
  const { t } = useTexts();
  if (value === null) return <em>{t(isHidden ? 'hiddenValue' : 'noValue')}</em>;
  return <code>{JSON.stringify(value)}</code>;
}
