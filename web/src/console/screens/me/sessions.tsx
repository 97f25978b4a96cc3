import { Badge, Button } from '@mantine/core';
import type { Item } from '@tessera/client';
import { tessera } from '../../../session/tessera.ts';
import { deviceOf } from '../../device.ts';
import { Confirm } from '../../form/dialogs.tsx';
import { List } from '../../list/list.tsx';
import { useDialog } from '../../shell/address.ts';
import { Head } from '../../shell/states.tsx';
import { useTexts } from '../../shell/words.ts';

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
