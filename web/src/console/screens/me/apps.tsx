import { Text } from '@mantine/core';
import type { Item } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { wordsOfScope } from '../../../words/scopes.ts';
import { useDialog } from '../../base/address.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { List } from '../../parts/list/list.tsx';

type Consent = Item<'listMyConsents'> & { readonly id: string };

/** The apps that one allowed to act in one's name. */
export function Screen() {
  const { t, when } = useTexts();
  const dialog = useDialog();
  const { id: clientId } = dialog;
  return (
    <>
      <Head title={t('connectedApps')} text={t('connectedAppsText')} />
      <List<Consent>
        name="my consents"
        label={t('connectedApps')}
        icon="app"
        empty={t('noConnectedApps')}
        emptyText={t('noConnectedAppsText')}
        canSearch={false}
        load={async ({ page, limit }) => {
          const found = await tessera.listMyConsents({ page, limit });
          return { ...found, items: found.items.map((consent) => ({ ...consent, id: consent.app.clientId })) };
        }}
        columns={[
          { label: t('nameLabel'), cell: ({ app }) => app.name },
          {
            label: t('project'),
            cell: ({ project, organization }) => [project.name, organization?.name].filter(Boolean).join(' · ') || '–',
          },
          { label: t('scopes'), cell: ({ scopes }) => <Allowed scopes={scopes} /> },
          { label: t('grantedAt'), cell: ({ grantedAt }) => when(grantedAt) },
          { label: t('lastUsedAt'), cell: ({ lastUsedAt }) => when(lastUsedAt) },
        ]}
        actions={({ id }) => [{ label: t('withdraw'), run: () => dialog.open('withdraw', id), isDangerous: true }]}
      />
      {dialog.name === 'withdraw' && clientId !== undefined ? (
        <Confirm
          title={t('withdrawConsent')}
          text={t('withdrawText')}
          button={t('withdraw')}
          said={t('withdrawn')}
          run={() => tessera.deleteMyConsent({ clientId })}
          close={dialog.close}
        />
      ) : null}
    </>
  );
}

function Allowed({ scopes }: { readonly scopes: readonly string[] }) {
  const { t } = useTexts();
  return (
    <ul className="plain-list">
      {scopes.map((scope) => (
        <Text component="li" size="sm" key={scope}>
          {wordsOfScope(scope, t) ?? scope}
        </Text>
      ))}
    </ul>
  );
}
