import { Button, FileButton, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../../look/page.tsx';
import { messageOf } from '../../../parts/form.ts';
import { meQuery, tessera } from '../../../session/tessera.ts';
import { Conflict } from '../../form/conflict.tsx';
import { useDraft } from '../../form/use-draft.ts';
import { useMe } from '../../shell/me.tsx';
import { Head } from '../../shell/states.tsx';
import { useTell } from '../../shell/tell.tsx';
import { useTexts } from '../../shell/words.ts';

const pictureTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;

export function Screen() {
  const { t } = useTexts();
  const { user, email } = useMe();
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
          </div>
        </section>
        <section className="panel">
          <Title order={2} size="h4">
            {t('picture')}
          </Title>
          <Picture url={user.pictureUrl} />
        </section>
      </div>
    </>
  );
}

function Name() {
  const { t } = useTexts();
  const { user } = useMe();
  const tell = useTell();
  const queries = useQueryClient();
  const draft = useDraft({
    initial: { name: user.name },
    edits: { thing: user, show: ({ name }) => ({ name }), read: async () => (await tessera.getMe()).user },
    check: ({ name }) => ({ name: name.trim() === '' ? t('enterName') : undefined }),
    send: async ({ name }, call) => {
      queries.setQueryData(meQuery.queryKey, await tessera.updateMe({ name: name.trim() }, call));
      tell(t('saved'));
    },
  });
  return (
    <form {...draft.form}>
      <Stack gap="sm">
        {draft.problem === undefined ? null : <Problem>{draft.problem}</Problem>}
        <TextInput {...draft.text('name')} label={t('name')} autoComplete="name" />
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

function Picture({ url }: { readonly url: string | null }) {
  const { t } = useTexts();
  const { user } = useMe();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string>();
  const upload = async (file: File | null) => {
    const contentType = pictureTypes.find((type) => type === file?.type);
    if (file === null) return;
    if (contentType === undefined) return setProblem(t('pictureKinds'));
    setProblem(undefined);
    try {
      await tessera.uploadMyPicture({ file: await base64Of(file), filename: file.name, contentType });
      await queries.invalidateQueries({ queryKey: meQuery.queryKey });
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <Group>
        {url === null ? (
          <span className="face large" aria-hidden="true">
            {user.name.slice(0, 1).toUpperCase()}
          </span>
        ) : (
          <img className="face large" src={url} alt="" />
        )}
        <FileButton onChange={(file) => void upload(file)} accept={pictureTypes.join(',')}>
          {(button) => (
            <Button variant="default" {...button}>
              {t('choosePicture')}
            </Button>
          )}
        </FileButton>
      </Group>
      <Text c="dimmed" size="sm">
        {t('pictureKinds')}
      </Text>
    </>
  );
}

function base64Of(file: File): Promise<string> {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => failed(reader.error ?? new Error('The file can not be read'));
    reader.readAsDataURL(file);
  });
}
