import { Button, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { useState } from 'react';
import { Problem, Waiting } from '../../../look/page.tsx';
import { messageOf } from '../../../parts/form.ts';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { useRights } from '../../base/rights.ts';
import { useProject } from '../../base/scope.ts';
import { Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import type { App } from './fields.ts';
import { NewSecret } from './new-secret.tsx';

const most = 2;
type AppSecret = Item<'listProjectAppSecrets'>;

/** The secrets of an app. Two are valid while one replaces the other. */
export function Secrets({ app }: { readonly app: App }) {
  const { t } = useTexts();
  const scope = useProject();
  const { may } = useRights();
  const dialog = useDialog();
  const queries = useQueryClient();
  const [clientSecret, setClientSecret] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  const list = useQuery({
    queryKey: ['console', 'app secrets', app.id],
    queryFn: () => tessera.listProjectAppSecrets({ scope, id: app.id }),
  });
  const secrets = list.data?.items ?? [];
  const chosen = secrets.find(({ id }) => id === dialog.id);
  const mayChange = may('ProjectApp:Update');
  const add = async () => {
    setPending(true);
    setProblem(undefined);
    try {
      const made = await tessera.createProjectAppSecret({ scope, id: app.id });
      setClientSecret(made.clientSecret);
      await queries.invalidateQueries({ queryKey: ['console'] });
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setPending(false);
    }
  };
  return (
    <section className="panel">
      <div className="panel-head">
        <Title order={2} size="h4">
          {t('secrets')}
        </Title>
        {mayChange && list.data && secrets.length < most ? (
          <Button size="compact-sm" variant="default" loading={isPending} onClick={() => void add()}>
            {t('newSecret')}
          </Button>
        ) : null}
      </div>
      <Text c="dimmed">{t('secretsText')}</Text>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      {list.isPending ? <Waiting /> : null}
      {list.error ? <Retry error={list.error} again={() => void list.refetch()} /> : null}
      <ul className="list" aria-label={t('secrets')}>
        {secrets.map((secret) => (
          <li key={secret.id}>
            <Shown secret={secret} />
            {mayChange ? (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t('deleteNamed', { name: `…${secret.lastFour}` })}
                onClick={() => dialog.open('delete-secret', secret.id)}
              >
                {t('delete')}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {clientSecret === undefined ? null : <NewSecret app={{ ...app, clientSecret }} close={() => setClientSecret(undefined)} />}
      {dialog.name === 'delete-secret' && chosen ? (
        <Confirm
          title={t('deleteNamed', { name: `…${chosen.lastFour}` })}
          text={t(secrets.length === 1 ? 'deleteLastSecretText' : 'deleteSecretText')}
          button={t('delete')}
          name={chosen.lastFour}
          said={t('deleted', { name: `…${chosen.lastFour}` })}
          run={() => tessera.deleteProjectAppSecret({ scope, id: app.id, secretId: chosen.id })}
          close={dialog.close}
        />
      ) : null}
    </section>
  );
}

function Shown({ secret: { lastFour, createdAt, lastUsedAt } }: { readonly secret: AppSecret }) {
  const { t, when } = useTexts();
  return (
    <div>
      <code>…{lastFour}</code>
      <Text c="dimmed" size="sm">
        {t('created')}: {when(createdAt)} · {t('lastUsed', { when: lastUsedAt === null ? t('never') : when(lastUsedAt) })}
      </Text>
    </div>
  );
}
