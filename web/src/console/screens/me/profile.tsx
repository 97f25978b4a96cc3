import { Button, JsonInput, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { Problem } from '../../../look/page.tsx';
import { messageOf } from '../../../parts/form.ts';
import { type Me, meQuery, tessera } from '../../../session/tessera.ts';
import { useMe } from '../../base/me.tsx';
import { Head } from '../../base/states.tsx';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import { Conflict } from '../../parts/form/conflict.tsx';
import { objectOf } from '../../parts/form/json.ts';
import { Picture } from '../../parts/form/picture.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';

export function Screen() {
  const { t } = useTexts();
  const { user, email, isHeld } = useMe();
  const queries = useQueryClient();
  const upload: ComponentProps<typeof Picture>['upload'] = async (picture) => {
    await tessera.uploadMyPicture(picture);
    await queries.invalidateQueries({ queryKey: meQuery.queryKey });
  };
  return (
    <>
      <Head title={t('profile')} text={t('profileText')} />
      <div className="panels">
        <section className="panel">
          <Title order={2} size="h4">
            {t('aboutYou')}
          </Title>
          <Name />
          <div>
            <Text size="sm" fw={500}>
              {t('email')}
            </Text>
            <Text className="wrap">{email ?? '–'}</Text>
            {isHeld || email === null ? null : (
              <Text size="sm" c="dimmed">
                {t('notHeldText')}
              </Text>
            )}
          </div>
          <InvitationMails />
        </section>
        <section className="panel">
          <Title order={2} size="h4">
            {t('picture')}
          </Title>
          <Picture url={user.pictureUrl} name={user.name} upload={upload} />
        </section>
      </div>
    </>
  );
}

const invitationMails = queryOptions({ queryKey: ['console', 'invitation mails'], queryFn: () => tessera.getMyInvitationMails() });

function InvitationMails() {
  const { t } = useTexts();
  const tell = useTell();
  const queries = useQueryClient();
  const { data } = useQuery(invitationMails);
  const set = useMutation({
    mutationFn: (isWanted: boolean) => tessera.setMyInvitationMails({ isWanted }),
    onSuccess: (state) => {
      queries.setQueryData(invitationMails.queryKey, state);
      tell(t('saved'));
    },
    onError: (error) => tell(messageOf(error), 'failed'),
  });
  return (
    <Switch
      label={t('invitationMails')}
      description={t('invitationMailsText')}
      checked={data?.isWanted ?? true}
      disabled={data === undefined || set.isPending}
      onChange={(event) => set.mutate(event.currentTarget.checked)}
    />
  );
}

function aboutOf({ name, metadata }: Me['user']) {
  return { name, metadata: JSON.stringify(metadata, null, 2) };
}

function Name() {
  const { t } = useTexts();
  const { user } = useMe();
  const tell = useTell();
  const queries = useQueryClient();
  const draft = useDraft({
    initial: aboutOf(user),
    edits: { thing: user, show: aboutOf, read: async () => (await tessera.getMe()).user },
    check: ({ name, metadata }) => ({
      name: name.trim() === '' ? t('enterName') : undefined,
      metadata: objectOf(metadata) === undefined ? t('enterObject') : undefined,
    }),
    send: async ({ name, metadata }, call) => {
      queries.setQueryData(meQuery.queryKey, await tessera.updateMe({ name: name.trim(), metadata: objectOf(metadata) ?? {} }, call));
      tell(t('saved'));
    },
  });
  return (
    <form {...draft.form}>
      <Stack gap="sm">
        {draft.problem === undefined ? null : <Problem>{draft.problem}</Problem>}
        <TextInput {...draft.text('name')} label={t('name')} autoComplete="name" />
        <JsonInput
          {...draft.field('metadata')}
          label={t('userMetadata')}
          description={t('userMetadataHelp')}
          autosize
          minRows={2}
          maxRows={10}
        />
        {draft.other === undefined ? null : <Conflict {...draft.other} />}
        <div>
          <Button type="submit" loading={draft.isPending}>
            {t('save')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
