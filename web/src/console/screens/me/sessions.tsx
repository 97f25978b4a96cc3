import { Badge, Button } from '@mantine/core';
import type { Item } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { deviceOf } from '../../base/device.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { List } from '../../parts/list/list.tsx';

type Session = Item<'listMySessions'>;

export function Screen() {
  const { t, when } = useTexts();
  const dialog = useDialog();
  const { id } = dialog;
  return (
    <>
      <Head title={t('sessions')} text={t('sessionsText')} />
      <List<Session>
        name="sessions"
        label={t('sessions')}
        icon="device"
        empty={t('nothingYet')}
        canSearch={false}
        load={({ page, limit }) => tessera.listMySessions({ page, limit })}
        columns={[
          { label: t('device'), cell: ({ userAgent }) => deviceOf(userAgent) },
          { label: t('address'), cell: ({ ipAddress }) => ipAddress },
          { label: t('signedIn'), cell: ({ createdAt }) => when(createdAt) },
          { label: t('lastUsedAt'), cell: ({ lastUsedAt }) => when(lastUsedAt) },
          {
            label: t('status'),
            cell: (session) =>
              session.isCurrent ? (
                <Badge variant="outline">{t('thisDevice')}</Badge>
              ) : (
                <Button size="compact-sm" variant="default" onClick={() => dialog.open('end', session.id)}>
                  {t('endSession')}
                </Button>
              ),
          },
        ]}
      />
      {dialog.name === 'end' && id !== undefined ? (
        <Confirm
          title={t('endSession')}
          text={t('endSessionText')}
          button={t('endSession')}
          said={t('sessionEnded')}
          run={() => tessera.revokeMySession({ id })}
          close={dialog.close}
        />
      ) : null}
    </>
  );
}
