import { Badge, Button, Select, TextInput } from '@mantine/core';
import type { Item, Output } from '@tessera/client';
import { useState } from 'react';
import { tessera } from '../../session/tessera.ts';
import { useDialog } from '../base/address.ts';
import { Modal } from '../base/modal.tsx';
import { useRights } from '../base/rights.ts';
import { useProject } from '../base/scope.ts';
import { Head } from '../base/states.tsx';
import { useTexts } from '../base/words.ts';
import { Confirm, FormDialog } from '../parts/form/dialogs.tsx';
import { Delete } from '../parts/form/edit.tsx';
import { useKeyRoleChoice } from '../parts/form/roles.ts';
import { Secret } from '../parts/form/secret.tsx';
import { useDraft } from '../parts/form/use-draft.ts';
import { useItem } from '../parts/form/use-item.ts';
import { allowed } from '../parts/list/actions.ts';
import { List } from '../parts/list/list.tsx';
import { Since } from '../parts/list/since.tsx';
import { KeyUseOverTime } from '../parts/pictures/over-time.tsx';

type Key = Item<'listApiKeys'>;
type NewKey = Output<'createApiKey'>;

export function Screen() {
  const { t, when } = useTexts();
  const scope = useProject();
  const { may } = useRights();
  const dialog = useDialog();
  const [made, setMade] = useState<NewKey>();
  const key = useItem('keys', dialog.id, (ids) => tessera.listApiKeys({ scope, ids }));
  const create = may('ApiKey:Create') ? <Button onClick={() => dialog.open('create')}>{t('newKey')}</Button> : null;
  return (
    <>
      <Head title={t('apiKeys')} text={t('keysText')}>
        {create}
      </Head>
      <List<Key>
        name="keys"
        label={t('apiKeys')}
        icon="key"
        empty={t('noKeys')}
        emptyText={t('noKeysText')}
        sort="createdAt desc"
        load={(asked) => tessera.listApiKeys({ scope, ...asked, relations: ['role'] })}
        columns={[
          { label: t('nameLabel'), sort: 'name', cell: ({ name }) => name },
          { label: t('clientId'), cell: ({ clientId }) => <code>{clientId}</code> },
          { label: t('role'), cell: ({ role }) => role?.name ?? '–' },
          { label: t('lastUsedAt'), sort: 'lastUsedAt', cell: ({ lastUsedAt }) => <Since at={lastUsedAt} /> },
          { label: t('expires'), sort: 'expiresAt', cell: ({ expiresAt }) => (expiresAt === null ? t('never') : when(expiresAt)) },
          { label: t('status'), cell: (one) => <Status item={one} /> },
        ]}
        actions={({ id, createdBy, isRevoked }) =>
          allowed(
            [true, { label: t('keyUse'), run: () => dialog.open('use', id) }],
            [
              !isRevoked && may('ApiKey:Revoke', { createdBy }),
              { label: t('revoke'), run: () => dialog.open('revoke', id), isDangerous: true },
            ],
            [may('ApiKey:Delete', { createdBy }), { label: t('delete'), run: () => dialog.open('delete', id), isDangerous: true }],
          )
        }
      />
      {dialog.name === 'create' && create ? <Create close={dialog.close} made={setMade} /> : null}
      {made ? (
        <Secret
          title={t('keyMade', { name: made.name })}
          values={{ clientId: made.clientId, clientSecret: made.clientSecret }}
          file="tessera-api-key.json"
          close={() => setMade(undefined)}
        />
      ) : null}
      {dialog.name === 'use' && key ? (
        <Modal opened onClose={dialog.close} title={key.name} size="lg" closeButtonProps={{ 'aria-label': t('close') }}>
          <KeyUseOverTime scope={scope} id={key.id} />
        </Modal>
      ) : null}
      {dialog.name === 'revoke' && key ? (
        <Confirm
          title={t('revokeNamed', { name: key.name })}
          text={t('revokeKeyText')}
          button={t('revoke')}
          name={key.name}
          said={t('keyRevoked', { name: key.name })}
          run={() => tessera.revokeApiKey({ scope, id: key.id })}
          close={dialog.close}
        />
      ) : null}
      {dialog.name === 'delete' && key ? (
        <Delete name={key.name} text={t('revokeKeyText')} run={() => tessera.deleteApiKey({ scope, id: key.id })} close={dialog.close} />
      ) : null}
    </>
  );
}

function Status({ item: { isRevoked, expiresAt } }: { readonly item: Key }) {
  const { t } = useTexts();
  const isExpired = expiresAt !== null && Date.parse(expiresAt) < Date.now();
  const status = isRevoked ? 'revoked' : isExpired ? 'expired' : 'active';
  return (
    <Badge variant="light" color={status === 'active' ? 'indigo' : 'gray'}>
      {t(status)}
    </Badge>
  );
}

const dayMs = 86_400_000;

function Create({ close, made }: { readonly close: () => void; readonly made: (key: NewKey) => void }) {
  const { t } = useTexts();
  const scope = useProject();
  const roles = useKeyRoleChoice();
  const draft = useDraft({
    initial: { name: '', description: '', roleId: null as string | null, days: '90' },
    keepAs: `key ${scope.id}`,
    check: ({ name, roleId }) => ({
      name: name.trim() === '' ? t('enterAName') : undefined,
      roleId: roleId === null ? t('chooseRole') : undefined,
    }),
    serverFields: { expiresAt: 'days' },
    send: async ({ name, description, roleId, days }) => {
      const expiresAt = days === 'never' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString();
      made(await tessera.createApiKey({ scope, name: name.trim(), description: description.trim() || null, roleId, expiresAt }));
    },
    done: close,
  });
  const choices = ['7', '30', '90', '365'].map((days) => ({ value: days, label: t('inDays', { days }) }));
  return (
    <FormDialog title={t('newKey')} draft={draft} submit={t('create')} close={close}>
      <TextInput {...draft.text('name')} label={t('nameLabel')} data-autofocus autoComplete="off" />
      <TextInput {...draft.text('description')} label={t('description')} autoComplete="off" />
      <Select {...draft.field('roleId')} label={t('role')} description={t('keyRoleHelp')} data={roles} searchable />
      <Select
        {...draft.field('days')}
        onChange={(days) => draft.set('days', days ?? 'never')}
        label={t('expires')}
        data={[...choices, { value: 'never', label: t('never') }]}
        allowDeselect={false}
      />
    </FormDialog>
  );
}
