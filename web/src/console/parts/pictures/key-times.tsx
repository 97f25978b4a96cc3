import './pictures.css';
import type { Item } from '@tessera/client';
import { useTexts } from '../../base/words.ts';

type Key = Item<'listSigningKeys'>;

const wide = 1_000;
const row = 14;

/** When each key was published, signed, and was replaced. The list beside it says the same in words. */
export function KeyTimes({ keys }: { readonly keys: readonly Key[] }) {
  const { t, day, when } = useTexts();
  const now = Date.now();
  const ordered = keys.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
  const [first] = ordered;
  if (first === undefined) return null;
  const start = Date.parse(first.createdAt);
  const span = Math.max(now - start, 1);
  const x = (at: string | number) => ((typeof at === 'number' ? at : Date.parse(at)) - start) * (wide / span);
  return (
    <figure className="key-times">
      <figcaption>{t('keyTimes')}</figcaption>
      <svg viewBox={`0 0 ${wide} ${ordered.length * row}`} preserveAspectRatio="none" aria-hidden="true">
        {ordered.map(({ id, kid, status, createdAt, activatedAt, rotatedAt }, index) => {
          const [from, signs, until] = [x(createdAt), x(activatedAt ?? now), x(rotatedAt ?? now)];
          return (
            <g key={id}>
              <title>{`${kid} · ${t(`key_${status}`)} · ${when(createdAt)}`}</title>
              <rect className="key-known" x={from} y={index * row + 3} width={Math.max(wide - from, 4)} height={row - 6} />
              {activatedAt === null ? null : (
                <rect className="key-signs" x={signs} y={index * row + 1} width={Math.max(until - signs, 4)} height={row - 2} />
              )}
            </g>
          );
        })}
      </svg>
      <div className="bars-time" aria-hidden="true">
        <span>{day(first.createdAt)}</span>
        <span>{t('today')}</span>
      </div>
      <div className="bars-sum">
        <span data-kind="good">{t('keySigns')}</span>
        <span data-kind="known">{t('keyKnown')}</span>
      </div>
    </figure>
  );
}
