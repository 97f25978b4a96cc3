import { useTexts } from '../../base/words.ts';
import { Delete } from '../../parts/form/edit.tsx';
import type { ServiceAccount } from './account.ts';
import { useOwner } from './owner.ts';

type EndProps = { readonly account: ServiceAccount; readonly close: () => void; readonly done?: () => void };

/** Says what stops, and asks for the name. */
export function End({ account: { id, name, credentials }, close, done = () => undefined }: EndProps) {
  const { t } = useTexts();
  const { kind, remove } = useOwner();
  return (
    <Delete
      name={name}
      text={t(kind === 'organization' ? 'deleteServiceAccountText' : 'deleteServiceAccountTextPlain', {
        count: String(credentials.length),
      })}
      run={() => remove(id)}
      close={close}
      done={done}
    />
  );
}
