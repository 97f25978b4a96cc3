import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { NavigationLink } from '../../base/link.tsx';
import { useRights } from '../../base/rights.ts';
import { pathOf, usePlaceHere, useRoleScope } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { actionInWords } from '../../parts/audit/words.ts';
import { CreateButton, Delete } from '../../parts/form/edit.tsx';
import { Secret } from '../../parts/form/secret.tsx';
import { useItem } from '../../parts/form/use-item.ts';
import { allowed } from '../../parts/list/actions.ts';
import { List } from '../../parts/list/list.tsx';
import { Since } from '../../parts/list/since.tsx';
import { Edit, type NewWebhook, type Webhook } from './edit.tsx';
import { Status } from './status.tsx';

const mostNamed = 3;

/** Addresses that are told what happens in an organization or project. */
export function Screen() {
  const { t } = useTexts();
  const scope = useRoleScope();
  const place = usePlaceHere();
  const { may } = useRights();
  const dialog = useDialog();
  const navigate = useNavigate();
  const [made, setMade] = useState<NewWebhook>();
  const webhook = useItem('webhooks', dialog.id, (ids) => tessera.listWebhooks({ scope, ids }));
  const pathOfWebhook = (id: string) => pathOf(place, `webhooks/${id}`);
  const named = (types: readonly string[]) => {
    if (types.includes('*')) return t('everyEvent');
    const names = types.slice(0, mostNamed).map((type) => actionInWords(type));
    return types.length > mostNamed ? `${names.join(', ')} …` : names.join(', ');
  };
  return (
    <>
      <Head title={t('webhooks')} text={t('webhooksText')}>
        <CreateButton needs="Webhook:Create" label={t('newWebhook')} />
      </Head>
      <List<Webhook>
        name="webhooks"
        label={t('webhooks')}
        icon="send"
        empty={t('noWebhooks')}
        emptyText={t('noWebhooksText')}
        sort="createdAt desc"
        load={(asked) => tessera.listWebhooks({ scope, ...asked })}
        columns={[
          { label: t('webhookUrl'), sort: 'url', cell: ({ id, url }) => <NavigationLink to={pathOfWebhook(id)}>{url}</NavigationLink> },
          { label: t('description'), cell: ({ description }) => description || '–' },
          { label: t('events'), cell: ({ eventTypes }) => named(eventTypes) },
          { label: t('status'), cell: (one) => <Status webhook={one} /> },
          { label: t('created'), sort: 'createdAt', cell: ({ createdAt }) => <Since at={createdAt} /> },
        ]}
        actions={({ id }) =>
          allowed(
            [true, { label: t('open'), run: () => void navigate({ to: pathOfWebhook(id) }) }],
            [may('Webhook:Update'), { label: t('edit'), run: () => dialog.open('edit', id) }],
            [may('Webhook:Delete'), { label: t('delete'), run: () => dialog.open('delete', id), isDangerous: true }],
          )
        }
      />
      {dialog.name === 'create' && may('Webhook:Create') ? <Edit close={dialog.close} made={setMade} /> : null}
      {dialog.name === 'edit' && webhook ? <Edit webhook={webhook} close={dialog.close} /> : null}
      {dialog.name === 'delete' && webhook ? (
        <Delete
          name={webhook.url}
          text={t('deleteWebhookText')}
          run={() => tessera.deleteWebhook({ scope, id: webhook.id })}
          close={dialog.close}
        />
      ) : null}
      {made ? (
        <Secret
          title={t('webhookMade')}
          values={{ secret: made.secret }}
          file="tessera-webhook.json"
          close={() => {
            setMade(undefined);
            void navigate({ to: pathOfWebhook(made.id) });
          }}
        />
      ) : null}
    </>
  );
}
