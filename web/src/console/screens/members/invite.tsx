import { Select } from '@mantine/core';
import { TesseraError } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { Modal } from '../../base/modal.tsx';
import { useOrganization } from '../../base/scope.ts';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import { addressesIn } from '../../parts/bulk/addresses.ts';
import { AddressesField, useAddressFault } from '../../parts/bulk/addresses-field.tsx';
import type { Outcome } from '../../parts/bulk/run.ts';
import { type OutcomeLabels, RunView } from '../../parts/bulk/run-view.tsx';
import { type Thing, useRun } from '../../parts/bulk/use-run.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { useRolesToGive } from '../../parts/form/roles.ts';
import { useDraft } from '../../parts/form/use-draft.ts';

/** Its key lets the server know a request that is sent again because no answer came. */
type Invitation = Thing & { readonly roleId: string; readonly idempotencyKey: string };

const presentKeys: readonly (string | undefined)[] = ['errors.organizationMember.exists', 'errors.organizationInvitation.exists'];

export function Invite({ close }: { readonly close: () => void }) {
  const { t, count } = useTexts();
  const tell = useTell();
  const scope = useOrganization();
  const roles = useRolesToGive(scope);
  const faultOf = useAddressFault();
  const run = useRun<Invitation>({
    send: async ({ id: email, roleId, idempotencyKey }): Promise<Outcome> => {
      try {
        const { isMailed } = await tessera.inviteMember({ scope, email, roleId }, { idempotencyKey });
        return { kind: 'done', text: isMailed ? undefined : t('invitedQuietly') };
      } catch (error) {
        if (error instanceof TesseraError && presentKeys.includes(error.translationKey)) return { kind: 'unneeded', text: error.message };
        throw error;
      }
    },
    // What is still to be sent is in the form again, also after a sign-in.
    left: (invitations) => (invitations.length === 0 ? draft.discard() : draft.set('email', invitations.map(({ id }) => id).join('\n'))),
  });
  const draft = useDraft({
    initial: { email: '', roleId: null as string | null },
    keepAs: `invitation ${scope.id}`,
    check: ({ email, roleId }) => ({ email: faultOf(email), roleId: roleId === null ? t('chooseRole') : undefined }),
    send: async ({ email: text, roleId }) => {
      const { addresses } = addressesIn(text);
      const [email = ''] = addresses;
      if (addresses.length > 1) {
        run.start(addresses.map((id) => ({ id, name: id, roleId: roleId ?? '', idempotencyKey: newKey() })));
        return;
      }
      const { isMailed } = await tessera.inviteMember({ scope, email, roleId: roleId ?? '' });
      if (isMailed) tell(t('mailSent', { email }));
      else tell(t('notMailedSaid', { email }), 'failed');
    },
    done: () => {
      if (addressesIn(draft.values.email).addresses.length === 1) close();
    },
  });
  const leave = () => {
    draft.discard();
    close();
  };
  const labels: OutcomeLabels = {
    done: (count) => t('invitedOnes', { count }),
    unneeded: (count) => t('invitedBefore', { count }),
    refused: (count) => t('refusedOnes', { count }),
    unsent: (count) => t('unsentOnes', { count }),
  };
  if (run.things.length > 0) {
    return (
      <Modal
        opened
        onClose={run.isRunning ? run.stop : leave}
        title={t('invite')}
        closeButtonProps={{ 'aria-label': t('close') }}
        closeOnClickOutside={false}
      >
        <RunView run={run} labels={labels} close={leave} />
      </Modal>
    );
  }
  const { length } = addressesIn(draft.values.email).addresses;
  return (
    <FormDialog
      title={t('invite')}
      draft={draft}
      submit={length > 1 ? t('sendInvitations', { count: count(length) }) : t('sendInvitation')}
      close={close}
    >
      <AddressesField {...draft.text('email')} label={t('email')} />
      <Select {...draft.field('roleId')} label={t('role')} data={roles} searchable comboboxProps={{ withinPortal: true }} />
    </FormDialog>
  );
}

/** A page over plain HTTP has no crypto.randomUUID. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
