import { Button, Text, Textarea, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Output } from '@tessera/client';
import { useState } from 'react';
import { Waiting } from '../../../look/page.tsx';
import { meQuery, tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { NavigationLink } from '../../base/link.tsx';
import { pathOfPlatform } from '../../base/scope.ts';
import { Head, Missing, Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { Facts } from '../../parts/list/facts.tsx';

type Person = Output<'findPlatformUsers'>['items'][number];

/** One person of the installation, and their block. */
export function Screen() {
  const { userId = '' } = useParams({ strict: false }) as { readonly userId?: string };
  const found = useQuery({
    queryKey: ['console', 'platform people', 'one', userId],
    queryFn: async () => (await tessera.findPlatformUsers({ search: userId })).items[0] ?? null,
  });
  if (found.isPending) return <Waiting />;
  if (found.error) return <Retry error={found.error} again={() => void found.refetch()} />;
  return found.data === null ? <Missing /> : <Found person={found.data} />;
}

function Found({ person }: { readonly person: Person }) {
  const { t, when } = useTexts();
  const { id, name, email, isPlatformAdministrator, createdAt } = person;
  return (
    <>
      <NavigationLink to={pathOfPlatform('people')}>{t('findAnother')}</NavigationLink>
      <Head title={name} text={email ?? id} />
      <div className="panels">
        <section className="panel">
          <Title order={2} size="h4">
            {t('about')}
          </Title>
          <Facts
            facts={[
              [t('identifier'), id],
              [t('emailShort'), email],
              [t('platformAdministrator'), t(isPlatformAdministrator ? 'yes' : 'no')],
              [t('created'), when(createdAt)],
            ]}
          />
        </section>
        <Block person={person} />
      </div>
    </>
  );
}

function Block({ person: { id, name, blockedAt, blockReason } }: { readonly person: Person }) {
  const { t, when } = useTexts();
  const dialog = useDialog();
  const { data: me } = useQuery(meQuery);
  const [reason, setReason] = useState('');
  const given = reason.trim();
  if (me === undefined || me?.user.id === id) return null;
  return (
    <section className="panel danger-zone">
      <Title order={2} size="h4">
        {t('block')}
      </Title>
      {blockedAt === null ? (
        <>
          <Text c="dimmed">{t('blockUserText')}</Text>
          <div>
            <Button className="danger-button" onClick={() => dialog.open('block')}>
              {t('block')}
            </Button>
          </div>
        </>
      ) : (
        <>
          <Text>{t('blockedSinceWhen', { when: when(blockedAt) })}</Text>
          {blockReason === null ? null : <Text className="wrap">{t('suspendedBecause', { reason: blockReason })}</Text>}
          <div>
            <Button onClick={() => dialog.open('unblock')}>{t('unblock')}</Button>
          </div>
        </>
      )}
      {dialog.name === 'block' ? (
        <Confirm
          title={t('blockNamed', { name })}
          text={t('blockUserText')}
          button={t('block')}
          said={t('blockedSaid', { who: name })}
          name={name}
          run={() => tessera.blockUser({ id, ...(given === '' ? {} : { reason: given }) })}
          close={dialog.close}
        >
          <Textarea
            data-autofocus
            label={t('suspensionReason')}
            description={t('blockReasonHelp')}
            value={reason}
            autosize
            minRows={2}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </Confirm>
      ) : null}
      {dialog.name === 'unblock' ? (
        <Confirm
          title={t('unblock')}
          text={t('unblockUserText')}
          button={t('unblock')}
          said={t('unblockedSaid', { who: name })}
          run={() => tessera.unblockUser({ id })}
          close={dialog.close}
        />
      ) : null}
    </section>
  );
}
