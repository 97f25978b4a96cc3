import { useCopy } from '../../../parts/copy.ts';
import { Icon } from '../../base/icon.tsx';
import { useTexts } from '../../base/words.ts';
import { type Style, styles } from './lines.ts';

type LinesStyleProps = { readonly style: Style; readonly choose: (style: Style) => void };

/** The language of all lines of the page. */
export function LinesStyle({ style, choose }: LinesStyleProps) {
  const { t } = useTexts();
  return (
    <fieldset className="segments">
      <legend className="unseen">{t('linesLanguage')}</legend>
      {styles.map((one) => (
        <label key={one} data-chosen={one === style}>
          <input type="radio" name="lines" className="unseen" checked={one === style} onChange={() => choose(one)} />
          {t(`line_${one}`)}
        </label>
      ))}
    </fieldset>
  );
}

/** Lines to copy. */
export function Code({ label, text }: { readonly label: string; readonly text: string }) {
  const { t } = useTexts();
  const [isCopied, copy] = useCopy(text);
  return (
    <div className="lines">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by the keyboard too */}
      <section tabIndex={0} aria-label={label}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
      <button type="button" className="plain" onClick={copy} aria-label={`${t('copyLines')}: ${label}`}>
        <Icon name={isCopied ? 'check' : 'copy'} size={16} />
      </button>
      <span role="status" className="unseen">
        {isCopied ? t('copied') : ''}
      </span>
    </div>
  );
}
