import { useId } from 'react';
import { useTexts } from '../../base/words.ts';

export type Step = { readonly at: string; readonly good: number; readonly bad: number };
type BarsProps = {
  readonly label: string;
  readonly good: string;
  /** Left out where nothing is counted but what went well. */
  readonly bad?: string | undefined;
  readonly unit: 'hour' | 'day';
  readonly steps: readonly Step[];
};

const height = 100;
const width = 10;
const gap = 2;

/** Two kinds of events over time: a picture, what its colours mean, and the same as a table. */
export function Bars({ label, good, bad, unit, steps }: BarsProps) {
  const { t, count, language } = useTexts();
  const id = useId();
  const most = Math.max(1, ...steps.map((step) => step.good + step.bad));
  const [allGood, allBad] = [sumOf(steps, 'good'), sumOf(steps, 'bad')];
  const moment = (at: string) =>
    new Date(at).toLocaleString(language, unit === 'hour' ? { hour: 'numeric', minute: '2-digit' } : { day: 'numeric', month: 'short' });
  const [first, last] = [steps[0], steps.at(-1)];
  return (
    <figure className="bars" aria-labelledby={id}>
      <figcaption id={id} className="unseen">
        {label}
      </figcaption>
      <div className="bars-sum">
        <span data-kind="good">
          {good}: <strong>{count(allGood)}</strong>
        </span>
        {bad === undefined ? null : (
          <span data-kind="bad">
            {bad}: <strong>{count(allBad)}</strong>
          </span>
        )}
      </div>
      <div className="bars-field">
        <span className="bars-most" aria-hidden="true">
          {count(most)}
        </span>
        <svg viewBox={`0 0 ${Math.max(steps.length, 1) * width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {steps.map((step, index) => {
            const [up, down] = [(step.good / most) * height, (step.bad / most) * height];
            return (
              <g key={step.at}>
                <title>
                  {[moment(step.at), `${good}: ${count(step.good)}`, ...(bad === undefined ? [] : [`${bad}: ${count(step.bad)}`])].join(
                    ' · ',
                  )}
                </title>
                <rect className="bars-step" x={index * width} y={0} width={width} height={height} />
                <rect className="bars-good" x={index * width + gap / 2} y={height - up} width={width - gap} height={up} />
                <rect className="bars-bad" x={index * width + gap / 2} y={height - up - down} width={width - gap} height={down} />
              </g>
            );
          })}
        </svg>
      </div>
      <div className="bars-time" aria-hidden="true">
        <span>{first === undefined ? '' : moment(first.at)}</span>
        <span>{last === undefined ? '' : moment(last.at)}</span>
      </div>
      <details>
        <summary>{t('asTable')}</summary>
        <table className="numbers">
          <caption className="unseen">{label}</caption>
          <thead>
            <tr>
              <th scope="col">{t(unit === 'hour' ? 'hour' : 'day')}</th>
              <th scope="col">{good}</th>
              {bad === undefined ? null : <th scope="col">{bad}</th>}
            </tr>
          </thead>
          <tbody>
            {steps.map((step) => (
              <tr key={step.at}>
                <th scope="row">{moment(step.at)}</th>
                <td>{count(step.good)}</td>
                {bad === undefined ? null : <td>{count(step.bad)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

function sumOf(steps: readonly Step[], kind: 'good' | 'bad'): number {
  return steps.reduce((sum, step) => sum + step[kind], 0);
}
