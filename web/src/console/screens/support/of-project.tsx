import { beginActing } from '../../../session/acting.ts';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { useMe } from '../../base/me.tsx';
import { useRights } from '../../base/rights.ts';
import { useProduct } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { allowed } from '../../parts/list/actions.ts';
import { Accesses, isOpen } from '../../parts/support/accesses.tsx';

/** What the product's supporters have asked for. Each begins and ends their own. */
export function OfProject() {
  const { t } = useTexts();
  const scope = useProduct();
  const { user } = useMe();
  const { may } = useRights();
  const dialog = useDialog();
  const { id } = dialog;
  return (
    <>
      <Head title={t('supportArea')} text={t('supportOfProjectText')} />
      <Accesses
        name="support"
        label={t('supportArea')}
        empty={t('noSupport')}
        emptyText={t('noSupportOfProjectText')}
        load={(asked) => tessera.listSupportAccesses({ scope, ...asked })}
        actions={(access) => {
          const isMine = access.supporter.id === user.id && may('SupportAccess:Use');
          const mayBegin = isMine && (access.status === 'allowed' || access.status === 'active');
          const begin = () => beginActing({ id: access.id, project: scope, organizationId: access.organization.id });
          return allowed(
            [mayBegin, { label: t('beginSupport', { name: access.user.name ?? '–' }), run: begin }],
            [isMine && isOpen(access), { label: t('endSupport'), run: () => dialog.open('end', access.id), isDangerous: true }],
          );
        }}
      />
      {dialog.name === 'end' && id !== undefined ? (
        <Confirm
          title={t('endSupport')}
          text={t('endOwnSupportText')}
          button={t('endSupport')}
          said={t('supportEnded')}
          run={() => tessera.endMySupportAccess({ id })}
          close={dialog.close}
        />
      ) : null}
    </>
  );
}
