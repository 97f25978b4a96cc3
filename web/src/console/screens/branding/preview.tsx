import { Button } from '@mantine/core';
import { paletteOf } from '@tessera/rules/contrast';
import { type CSSProperties, type ReactNode, useState } from 'react';
import { type Face, FaceFoot, FaceHead, variablesOf } from '../../../look/face.tsx';
import { Panel } from '../../base/panel.tsx';
import { useTexts } from '../../base/words.ts';
import './branding.css';

const kinds = ['signIn', 'consent', 'mail'] as const;
type Kind = (typeof kinds)[number];

/** The parts and style sheet of the real pages, with what is typed; only looked at, not used. */
export function Preview({ face }: { readonly face: Face }) {
  const { t } = useTexts();
  const [kind, setKind] = useState<Kind>('signIn');
  const style = variablesOf(paletteOf(face.colors.primary, face.colors.background)) as CSSProperties;
  return (
    <Panel title={t('brandPreview')} text={t('brandPreviewText')}>
      <fieldset className="kinds">
        <legend className="unseen">{t('brandPreview')}</legend>
        {kinds.map((one) => (
          <label key={one}>
            <input type="radio" name="preview" value={one} checked={kind === one} onChange={() => setKind(one)} />
            {t(`preview_${one}`)}
          </label>
        ))}
      </fieldset>
      {(['light', 'dark'] as const).map((scheme) => (
        <figure key={scheme} className="face-figure">
          <figcaption>{t(scheme === 'light' ? 'previewLight' : 'previewDark')}</figcaption>
          <div className="face-preview" data-scheme={scheme} style={style} inert aria-hidden="true">
            <Page face={face} kind={kind} />
          </div>
        </figure>
      ))}
    </Panel>
  );
}

function Page({ face, kind }: { readonly face: Face; readonly kind: Kind }) {
  const { t } = useTexts();
  const { name, productName } = face;
  return (
    <div className="frame">
      <header>
        <FaceHead face={face} />
      </header>
      <div className="card face-card">{cardOf[kind](name, t)}</div>
      <footer>
        {kind === 'mail' ? (
          <div className="face-foot">{t('previewMailFor', { product: productName, name })}</div>
        ) : (
          <FaceFoot face={face} />
        )}
      </footer>
    </div>
  );
}

type T = ReturnType<typeof useTexts>['t'];

const cardOf: Readonly<Record<Kind, (app: string, t: T) => ReactNode>> = {
  signIn: (app, t) => (
    <>
      <strong>{t('appTitle', { app })}</strong>
      <Field label={t('email')} />
      <Field label={t('password')} />
      <Button fullWidth>{t('signIn')}</Button>
      <span className="face-link">{t('forgotPassword')}</span>
    </>
  ),
  consent: (app, t) => (
    <>
      <strong>{t('consentTitle', { app })}</strong>
      <span>{t('consentText', { app })}</span>
      <ul className="scopes">
        <li>{t('scope_profile')}</li>
        <li>{t('scope_email')}</li>
      </ul>
      <Button fullWidth>{t('allow')}</Button>
      <span className="face-link">{t('refuse')}</span>
    </>
  ),
  mail: (_app, t) => (
    <>
      <strong>{t('previewMailTitle')}</strong>
      <span>{t('previewMailText')}</span>
      <div>
        <Button>{t('previewMailButton')}</Button>
      </div>
    </>
  ),
};

function Field({ label }: { readonly label: string }) {
  return (
    <span className="face-field">
      {label}
      <i />
    </span>
  );
}
