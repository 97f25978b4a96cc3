import { useWords } from '../../words/language.tsx';
import { fieldsOf, type Kind, type Provider, providers } from './providers.ts';
import type { SetUpState } from './set-up.tsx';

type PictureProps = { readonly provider: Provider; readonly kind: Kind; readonly setUp: SetUpState };

/** The form of the provider, drawn, with the values where they belong. */
export function ProviderPicture({ provider, kind, setUp: { callbackUrl, spEntityId, acsUrl } }: PictureProps) {
  const { t } = useWords();
  const fields = fieldsOf[provider][kind];
  const rows =
    'redirect' in fields
      ? [[fields.redirect, callbackUrl]]
      : [
          [fields.entity, spEntityId],
          [fields.acs, acsUrl],
        ];
  return (
    <figure className="provider-picture">
      <div lang="en">
        <strong>{fields.form}</strong>
        {rows.map(([name, value]) => (
          <div key={name}>
            <span>{name}</span>
            <samp>{value}</samp>
          </div>
        ))}
      </div>
      <figcaption>{t('setUpPicture', { provider: providers[provider] || t('setUpOther') })}</figcaption>
    </figure>
  );
}
