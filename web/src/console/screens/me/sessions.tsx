import { Badge, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { useState } from 'react';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { deviceOf } from '../../base/device.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { EndGranted, readSessions } from '../../parts/granted-sessions.tsx';
import { List } from '../../parts/list/list.tsx';
import { Since } from '../../parts/list/since.tsx';

type Session = Item<'listMySessions'>;

export function Screen() {
  const { t } = useTexts();
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
          { label: t('device'), cell: (session) => <Device {...session} /> },
          { label: t('address'), cell: ({ ipAddress }) => ipAddress },
          { label: t('signedIn'), cell: ({ createdAt }) => <Since at={createdAt} /> },
          { label: t('lastUsedAt'), cell: ({ lastUsedAt }) => <Since at={lastUsedAt} /> },
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
      {dialog.name === 'end' && id !== undefined ? <End id={id} close={dialog.close} /> : null}
    </>
  );
}

/** With what granted the session, when that was another one. */
function Device({ userAgent, grantedBy }: Pick<Session, 'userAgent' | 'grantedBy'>) {
  const { t, when } = useTexts();
  if (grantedBy === null) return deviceOf(userAgent);
  return (
    <>
      {deviceOf(userAgent)}
      <Text size="sm" c="dimmed" className="wrap">
        {t('grantedBy', { device: deviceOf(grantedBy.userAgent), when: when(grantedBy.grantedAt) })}
      </Text>
    </>
  );
}

function End({ id, close }: { readonly id: string; readonly close: () => void }) {
  const { t } = useTexts();
  const sessions = useQuery({ queryKey: ['console', 'sessions', 'granted'], queryFn: readSessions });
  const [endGranted, setEndGranted] = useState(true);
  const granted = sessions.data?.find((session) => session.id === id)?.grantedSessions ?? 0;
  return (
    <Confirm
      title={t('endSession')}
      text={t('endSessionText')}
      button={t('endSession')}
      said={t('sessionEnded')}
      run={() => tessera.revokeMySession({ id, ...(granted > 0 && endGranted ? { endGranted } : {}) })}
      close={close}
    >
      {granted > 0 ? <EndGranted count={granted} checked={endGranted} change={setEndGranted} /> : null}
    </Confirm>
  );
}
