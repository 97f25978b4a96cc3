import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../form/dialogs.tsx';
import { allowed } from '../list/actions.ts';
import { Accesses, isOpen } from './accesses.tsx';

/** Supporters who act as the person. Each is refused or ended at once. */
export function MySupport() {
  const { t } = useTexts();
  const dialog = useDialog();
  const { id } = dialog;
  return (
    <>
      <Accesses
        name="my support"
        label={t('mySupport')}
        empty={t('noSupport')}
        emptyText={t('noMySupportText')}
        load={(asked) => tessera.listMySupportAccesses(asked)}
        actions={(access) =>
          allowed([isOpen(access), { label: t('endSupport'), run: () => dialog.open('end support', access.id), isDangerous: true }])
        }
      />
      {dialog.name === 'end support' && id !== undefined ? (
        <Confirm
          title={t('endSupport')}
          text={t('endSupportText')}
          button={t('endSupport')}
          said={t('supportEnded')}
          run={() => tessera.endMySupportAccess({ id })}
          close={dialog.close}
        />
      ) : null}
    </>
  );
}
