import { Checkbox, Stack } from '@mantine/core';
import { useState } from 'react';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { useRights } from '../../base/rights.ts';
import { useOrganization } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { allowed } from '../../parts/list/actions.ts';
import { type Access, Accesses, isOpen } from '../../parts/support/accesses.tsx';
import { Consents } from './consents.tsx';

/** Who asks to act as one of the organization's people, and who acts: allowed, refused, ended here. */
export function OfOrganization() {
  const { t } = useTexts();
  const scope = useOrganization();
  const { may } = useRights();
  const dialog = useDialog();
  const { id } = dialog;
  // After a reload the address names the dialog alone; the words then go without names.
  const [chosen, setChosen] = useState<Access>();
  const open = (name: string, access: Access) => {
    setChosen(access);
    dialog.open(name, access.id);
  };
  return (
    <>
      <Head title={t('supportArea')} text={t('supportOfOrganizationText')} />
      <Accesses
        name="support"
        label={t('supportArea')}
        empty={t('noSupport')}
        emptyText={t('noSupportOfOrganizationText')}
        load={(asked) => tessera.listSupportAccesses({ scope, ...asked })}
        actions={(access) =>
          allowed(
            [may('SupportAccess:Grant') && access.status === 'requested', { label: t('allowSupport'), run: () => open('allow', access) }],
            [
              may('SupportAccess:Revoke') && isOpen(access),
              {
                label: t(access.status === 'requested' ? 'refuseSupport' : 'endSupport'),
                run: () => open(access.status === 'requested' ? 'refuse' : 'end', access),
                isDangerous: true,
              },
            ],
          )
        }
      />
      <Consents />
      {dialog.name === 'allow' && id !== undefined ? (
        <Allow id={id} access={chosen?.id === id ? chosen : undefined} close={dialog.close} />
      ) : null}
      {(dialog.name === 'refuse' || dialog.name === 'end') && id !== undefined ? (
        <Confirm
          title={t(dialog.name === 'refuse' ? 'refuseSupport' : 'endSupport')}
          text={t(dialog.name === 'refuse' ? 'refuseSupportText' : 'endSupportText')}
          button={t(dialog.name === 'refuse' ? 'refuseSupport' : 'endSupport')}
          said={t('supportEnded')}
          run={() => tessera.revokeSupportAccess({ scope, id })}
          close={dialog.close}
        />
      ) : null}
    </>
  );
}

type AllowProps = { readonly id: string; readonly access: Access | undefined; readonly close: () => void };

/** Reading only, unless the organization chooses more. */
function Allow({ id, access, close }: AllowProps) {
  const { t } = useTexts();
  const scope = useOrganization();
  const [may, setMay] = useState({ mayWrite: false, mayExport: false });
  const names = access && {
    supporter: access.supporter.name ?? access.supporter.email ?? '–',
    person: access.user.name ?? '–',
    minutes: String(access.minutes),
  };
  return (
    <Confirm
      title={t('allowSupport')}
      text={names === undefined ? t('allowSupportText') : t('allowSupportNamed', names)}
      button={t('allowSupport')}
      said={t('supportAllowed')}
      run={() => tessera.grantSupportAccess({ scope, id, ...may })}
      close={close}
      isHarmless
    >
      <Rights may={may} change={setMay} />
    </Confirm>
  );
}

type Chosen = { readonly mayWrite: boolean; readonly mayExport: boolean };
type RightsProps = { readonly may: Chosen; readonly change: (may: Chosen) => void };

export function Rights({ may, change }: RightsProps) {
  const { t } = useTexts();
  return (
    <Stack gap="xs">
      <Checkbox
        label={t('supportMayWrite')}
        description={t('supportMayWriteHelp')}
        checked={may.mayWrite}
        onChange={({ currentTarget }) => change({ ...may, mayWrite: currentTarget.checked })}
      />
      <Checkbox
        label={t('supportMayExport')}
        checked={may.mayExport}
        onChange={({ currentTarget }) => change({ ...may, mayExport: currentTarget.checked })}
      />
    </Stack>
  );
}
