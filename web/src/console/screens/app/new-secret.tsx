import { issuerOf, usePlaceHere } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { Secret } from '../../parts/form/secret.tsx';

type NewSecretProps = {
  readonly app: { readonly name: string; readonly clientId: string; readonly clientSecret: string };
  readonly close: () => void;
};

/** The secret of an app, this once, with all that a library needs besides. */
export function NewSecret({ app: { name, clientId, clientSecret }, close }: NewSecretProps) {
  const { t } = useTexts();
  const issuer = issuerOf(usePlaceHere());
  return <Secret title={t('secretOf', { name })} values={{ issuer, clientId, clientSecret }} file="tessera-app.json" close={close} />;
}
