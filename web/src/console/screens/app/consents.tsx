import { Title } from '@mantine/core';
import type { Item } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { useProject } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { List } from '../../parts/list/list.tsx';
import { Since } from '../../parts/list/since.tsx';
import type { App } from './fields.ts';

type Consent = Item<'listProjectAppConsents'> & { readonly id: string };

/** Who allowed the app to act in their name. */
export function Consents({ app }: { readonly app: App }) {
  const { t } = useTexts();
  const scope = useProject();
  const dialog = useDialog();
  const { id: userId } = dialog;
  return (
    <section className="section">
      <Title order={2} size="h4">
        {t('consents')}
      </Title>
      <List<Consent>
        name={`consents ${app.id}`}
        label={t('consents')}
        icon="people"
        empty={t('noConsents')}
        emptyText={t(app.isFirstParty ? 'noConsentsFirstParty' : 'noConsentsText')}
        canSearch={false}
        load={async ({ page, limit }) => {
          const found = await tessera.listProjectAppConsents({ scope, id: app.id, page, limit });
          return { ...found, items: found.items.map((consent) => ({ ...consent, id: consent.user.id })) };
        }}
        columns={[
          { label: t('nameLabel'), cell: ({ user }) => user.name },
          { label: t('scopes'), cell: ({ scopes }) => scopes.join(', ') },
          { label: t('grantedAt'), cell: ({ grantedAt }) => <Since at={grantedAt} /> },
          { label: t('lastUsedAt'), cell: ({ lastUsedAt }) => <Since at={lastUsedAt} /> },
        ]}
        actions={({ id }) => [{ label: t('withdraw'), run: () => dialog.open('withdraw', id), isDangerous: true }]}
      />
      {dialog.name === 'withdraw' && userId !== undefined ? (
        <Confirm
          title={t('withdrawConsent')}
          text={t('withdrawOfPersonText', { app: app.name })}
          button={t('withdraw')}
          said={t('withdrawn')}
          run={() => tessera.deleteProjectAppConsent({ scope, id: app.id, userId })}
          close={dialog.close}
        />
      ) : null}
    </section>
  );
}
