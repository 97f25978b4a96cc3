import { Badge, Button, Checkbox, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { useState } from 'react';
import { Problem, Waiting } from '../../look/page.tsx';
import { messageOf } from '../../parts/form.ts';
import { tessera } from '../../session/tessera.ts';
import { useDialog } from '../base/address.ts';
import { Modal } from '../base/modal.tsx';
import { useRights } from '../base/rights.ts';
import { issuerOf, usePlaceHere, useProject } from '../base/scope.ts';
import { Empty, Head, Retry } from '../base/states.tsx';
import { useTell } from '../base/tell.tsx';
import { useTexts } from '../base/words.ts';
import { Copyable } from '../parts/form/secret.tsx';
import { KeyTimes } from '../parts/pictures/key-times.tsx';

type Key = Item<'listSigningKeys'>;
const order = { next: 0, active: 1, rotated: 2 } as const;

/** The keys that sign a project's tokens, on their timeline. */
export function Screen() {
  const { t } = useTexts();
  const scope = useProject();
  const issuer = issuerOf(usePlaceHere());
  const { may } = useRights();
  const dialog = useDialog();
  const list = useQuery({
    queryKey: ['console', 'signing keys', scope.id],
    queryFn: () => tessera.listSigningKeys({ scope, limit: 100, sortField: 'createdAt', sortOrder: 'desc' }),
  });
  const keys = [...(list.data?.items ?? [])].sort((a, b) => order[a.status] - order[b.status]);
  return (
    <>
      <Head title={t('signingKeys')} text={t('signingKeysText')}>
        {may('SigningKey:Rotate') ? <Button onClick={() => dialog.open('rotate')}>{t('rotate')}</Button> : null}
      </Head>
      {list.isPending ? <Waiting /> : null}
      {list.error ? <Retry error={list.error} again={() => void list.refetch()} /> : null}
      {list.data ? (
        <div className="panels">
          {keys.length === 0 ? (
            <Empty icon="clock" title={t('noSigningKeys')} text={t('noSigningKeysText')} />
          ) : (
            <section className="panel">
              <KeyTimes keys={keys} />
              <ol className="timeline">
                {keys.map((key) => (
                  <Step key={key.id} item={key} />
                ))}
              </ol>
            </section>
          )}
          <section className="panel">
            <Text fw={600}>{t('issuer')}</Text>
            <Copyable value={issuer} />
            <Text c="dimmed">{t('rotationHelp')}</Text>
          </section>
        </div>
      ) : null}
      {dialog.name === 'rotate' ? <Rotate close={dialog.close} /> : null}
    </>
  );
}

function Step({ item: { kid, status, createdAt, activatedAt, rotatedAt } }: { readonly item: Key }) {
  const { t, when } = useTexts();
  return (
    <li data-status={status}>
      <Badge variant="light" color={status === 'active' ? 'indigo' : 'gray'}>
        {t(`key_${status}`)}
      </Badge>
      <code>{kid}</code>
      <Text size="sm" c="dimmed">
        {t('created')}: {when(createdAt)}
        {activatedAt === null ? null : ` · ${t('activated')}: ${when(activatedAt)}`}
        {rotatedAt === null ? null : ` · ${t('rotatedAt')}: ${when(rotatedAt)}`}
      </Text>
    </li>
  );
}

function Rotate({ close }: { readonly close: () => void }) {
  const { t } = useTexts();
  const scope = useProject();
  const tell = useTell();
  const queries = useQueryClient();
  const [compromised, setCompromised] = useState(false);
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const rotate = async () => {
    setPending(true);
    try {
      await tessera.rotateSigningKey({ scope, compromised });
      await queries.invalidateQueries({ queryKey: ['console'] });
      tell(t('rotatedSaid'));
      close();
    } catch (error) {
      setProblem(messageOf(error));
      setPending(false);
    }
  };
  return (
    <Modal opened onClose={close} title={t('rotate')} closeButtonProps={{ 'aria-label': t('close') }}>
      <Stack>
        {problem === undefined ? null : <Problem>{problem}</Problem>}
        <Text>{t('rotateText')}</Text>
        <Checkbox
          label={t('compromised')}
          description={t('compromisedText')}
          checked={compromised}
          onChange={({ currentTarget }) => setCompromised(currentTarget.checked)}
        />
        <div className="dialog-end">
          <Button variant="default" onClick={close}>
            {t('cancel')}
          </Button>
          <Button loading={isPending} onClick={() => void rotate()} {...(compromised ? { className: 'danger-button' } : {})}>
            {t('rotate')}
          </Button>
        </div>
      </Stack>
    </Modal>
  );
}
