import { tessera } from '../../../session/tessera.ts';
import { useOrganization } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { Delete } from '../../parts/form/edit.tsx';
import type { ServiceAccount } from './account.ts';

type EndProps = { readonly account: ServiceAccount; readonly close: () => void; readonly done?: () => void };

/** Says what stops, and asks for the name. */
export function End({ account: { id, name, credentials }, close, done = () => undefined }: EndProps) {
  const { t } = useTexts();
  const scope = useOrganization();
  return (
    <Delete
      name={name}
      text={t('deleteServiceAccountText', { count: String(credentials.length) })}
      run={() => tessera.deleteServiceAccount({ scope, id })}
      close={close}
      done={done}
    />
  );
}
