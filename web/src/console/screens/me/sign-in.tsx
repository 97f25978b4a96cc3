import { Badge, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Item } from '@tessera/client';
import { Problem, Waiting } from '../../../look/page.tsx';
import { messageOf } from '../../../parts/form.ts';
import { PasswordField, requireGoodPassword } from '../../../parts/password.tsx';
import { isFreshOrProven, optionsQuery, tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { Head, Retry } from '../../base/states.tsx';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm, FormDialog } from '../../parts/form/dialogs.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import { RowActions } from '../../parts/list/rows.tsx';
import { Security } from './security.tsx';

type Way = Item<'listMyAuthenticationMethods'>;

export function Screen() {
  const { t } = useTexts();
  const list = useQuery({ queryKey: ['console', 'ways'], queryFn: () => tessera.listMyAuthenticationMethods({ limit: 100 }) });
  const ways = list.data?.items ?? [];
  return (
    <>
      <Head title={t('waysToSignIn')} text={t('waysText')} />
      {list.isPending ? <Waiting /> : null}
      {list.error ? <Retry error={list.error} again={() => void list.refetch()} /> : null}
      {list.data ? (
        <div className="panels">
          <Ways ways={ways} />
          {ways.some(({ provider }) => provider === 'email') ? <Password /> : null}
          <Security />
        </div>
      ) : null}
    </>
  );
}

function Ways({ ways }: { readonly ways: readonly Way[] }) {
  const { t, when } = useTexts();
  const dialog = useDialog();
  const tell = useTell();
  const queries = useQueryClient();
  const { data: options } = useQuery(optionsQuery);
  const chosen = ways.find(({ id }) => id === dialog.id);
  const labelOf = (provider: string) =>
    provider === 'email' ? t('emailAndPassword') : (options?.providers.find(({ name }) => name === provider)?.label ?? provider);
  /** The page leaves, so it asks for the proof before. */
  const connect = async (provider: string) => {
    if (!(await isFreshOrProven())) return;
    window.location.assign(tessera.signInUrl({ provider, action: 'connect', redirect: '/auth/callback?return_to=/console/me/sign-in' }));
  };
  const missing = options?.providers.filter(({ name }) => ways.every(({ provider }) => provider !== name)) ?? [];
  const makePrimary = (id: string) =>
    void tessera.setMyPrimaryAuthenticationMethod({ id }, { ifMatch: ways.find((way) => way.id === id) }).then(
      () => queries.invalidateQueries({ queryKey: ['console'] }),
      (error: unknown) => tell(messageOf(error), 'failed'),
    );
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('waysToSignIn')}
      </Title>
      <ul className="list">
        {ways.map(({ id, provider, providerId, isPrimary, isVerified, lastUsedAt }) => (
          <li key={id}>
            <div>
              <div>
                {labelOf(provider)} {isPrimary ? <Badge variant="outline">{t('primary')}</Badge> : null}{' '}
                {isVerified ? null : (
                  <Badge variant="light" color="gray">
                    {t('notConfirmed')}
                  </Badge>
                )}
              </div>
              <Text c="dimmed" size="sm">
                {provider === 'email' ? `${providerId} · ` : ''}
                {t('lastUsed', { when: when(lastUsedAt) })}
              </Text>
            </div>
            {isPrimary ? null : (
              <RowActions
                actions={[
                  { label: t('makePrimary'), run: () => makePrimary(id) },
                  { label: t('removeMember'), run: () => dialog.open('remove', id), isDangerous: true },
                ]}
              />
            )}
          </li>
        ))}
      </ul>
      <Group gap="xs">
        {missing.map(({ name, label }) => (
          <Button key={name} variant="default" onClick={() => void connect(name)}>
            {t('connect', { provider: label })}
          </Button>
        ))}
        {ways.some(({ provider }) => provider === 'email') ? null : (
          <Button variant="default" onClick={() => dialog.open('add-email')}>
            {t('addEmail')}
          </Button>
        )}
      </Group>
      {dialog.name === 'add-email' ? <AddEmail close={dialog.close} /> : null}
      {dialog.name === 'remove' && chosen ? (
        <Confirm
          title={t('removeNamed', { name: labelOf(chosen.provider) })}
          text={t('removeWayText')}
          button={t('removeMember')}
          said={t('removed', { name: labelOf(chosen.provider) })}
          run={() => tessera.deleteMyAuthenticationMethod({ id: chosen.id })}
          close={dialog.close}
        />
      ) : null}
    </section>
  );
}

function AddEmail({ close }: { readonly close: () => void }) {
  const { t } = useTexts();
  const draft = useDraft({
    initial: { email: '', password: '' },
    check: ({ email, password }) => {
      const broken = requireGoodPassword(password);
      return { email: /^\s*\S+@\S+\s*$/.test(email) ? undefined : t('enterEmail'), password: broken && t(broken) };
    },
    serverFields: { providerId: 'email', providerData: 'password' },
    send: ({ email, password }) =>
      tessera.createMyAuthenticationMethod({ provider: 'email', providerId: email.trim(), providerData: { password } }),
    done: close,
  });
  return (
    <FormDialog title={t('addEmail')} draft={draft} submit={t('add')} close={close}>
      <TextInput {...draft.text('email')} label={t('email')} type="email" autoComplete="username" data-autofocus />
      <PasswordField {...draft.text('password')} label={t('newPassword')} isNew />
    </FormDialog>
  );
}

function Password() {
  const { t } = useTexts();
  const tell = useTell();
  const none = { currentPassword: '', newPassword: '' };
  const draft = useDraft({
    initial: none,
    check: ({ currentPassword, newPassword }) => {
      const broken = requireGoodPassword(newPassword);
      return { currentPassword: currentPassword === '' ? t('enterPassword') : undefined, newPassword: broken && t(broken) };
    },
    send: (values) => tessera.changePassword({ ...values, confirmPassword: values.newPassword }),
    done: () => {
      tell(t('passwordChanged'));
      draft.reset(none);
    },
  });
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('changePassword')}
      </Title>
      <Text c="dimmed">{t('changePasswordText')}</Text>
      <form {...draft.form}>
        <Stack gap="sm">
          {draft.problem === undefined ? null : <Problem>{draft.problem}</Problem>}
          <PasswordField {...draft.text('currentPassword')} label={t('currentPassword')} />
          <PasswordField {...draft.text('newPassword')} label={t('newPassword')} isNew />
          <div>
            <Button type="submit" loading={draft.isPending}>
              {t('changePassword')}
            </Button>
          </div>
        </Stack>
      </form>
    </section>
  );
}
