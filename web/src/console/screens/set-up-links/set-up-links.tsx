import { Badge, Text } from '@mantine/core';
import type { Item } from '@tessera/client';
import { useState } from 'react';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { useRights } from '../../base/rights.ts';
import { useOrganization } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { CreateButton } from '../../parts/form/edit.tsx';
import { Secret } from '../../parts/form/secret.tsx';
import { useItem } from '../../parts/form/use-item.ts';
import { allowed } from '../../parts/list/actions.ts';
import { List } from '../../parts/list/list.tsx';
import { MakeLink } from './make-link.tsx';

type Link = Item<'listSetUpLinks'>;

/** By which the IT of the organization sets up its sign-in. */
export function Screen() {
  const { t, when, day } = useTexts();
  const scope = useOrganization();
  const { may } = useRights();
  const dialog = useDialog();
  const [url, setUrl] = useState<string>();
  const link = useItem('set-up-links', dialog.id, (ids) => tessera.listSetUpLinks({ scope, ids }));
  const nameOf = ({ email }: Link) => email ?? t('setUpLinkNobody');
  const isLive = ({ state }: Link) => ['open', 'begun', 'ended'].includes(state);
  return (
    <>
      <Head title={t('setUpLinks')} text={t('setUpLinksText')}>
        <CreateButton needs="Connection:Create" label={t('makeSetUpLink')} />
      </Head>
      <List<Link>
        name="set-up-links"
        label={t('setUpLinks')}
        icon="key"
        empty={t('noSetUpLinks')}
        emptyText={t('noSetUpLinksText')}
        sort="createdAt desc"
        load={(asked) => tessera.listSetUpLinks({ scope, ...asked })}
        columns={[
          { label: t('setUpLinkFor'), cell: (one) => nameOf(one) },
          {
            label: t('status'),
            cell: ({ state }) => (
              <Badge variant="light" color={state === 'ended' ? 'red.9' : state === 'begun' || state === 'finished' ? 'indigo' : 'gray'}>
                {t(`setUpLink_${state}`)}
              </Badge>
            ),
          },
          {
            label: t('setUpLinkBegun'),
            cell: ({ begunAt, begunFrom }) => <Text size="sm">{begunAt === null ? '–' : `${when(begunAt)} · ${begunFrom}`}</Text>,
          },
          { label: t('setUpLinkExpires'), sort: 'expiresAt', cell: ({ expiresAt }) => <Text size="sm">{day(expiresAt)}</Text> },
        ]}
        actions={(one) =>
          allowed([
            may('Connection:Delete') && isLive(one),
            { label: t('revokeSetUpLink'), run: () => dialog.open('delete', one.id), isDangerous: true },
          ])
        }
      />
      {dialog.name === 'create' && may('Connection:Create') ? <MakeLink close={dialog.close} made={setUrl} /> : null}
      {url === undefined ? null : (
        <Secret
          title={t('setUpLinkMade')}
          values={{ url }}
          labels={{ url: t('setUpLinkHelp') }}
          file="set-up-link.json"
          close={() => setUrl(undefined)}
        />
      )}
      {dialog.name === 'delete' && link && may('Connection:Delete') ? (
        <Confirm
          title={t('revokeSetUpLink')}
          text={t('revokeSetUpLinkText')}
          button={t('revokeSetUpLink')}
          said={t('setUpLink_revoked')}
          run={() => tessera.deleteSetUpLink({ scope, id: link.id })}
          close={dialog.close}
          done={() => undefined}
        />
      ) : null}
    </>
  );
}
