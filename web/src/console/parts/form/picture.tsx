import { Button, FileButton, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Problem } from '../../../look/page.tsx';
import { messageOf } from '../../../parts/form.ts';
import { useTexts } from '../../base/words.ts';

const pictureTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
export type Upload = { readonly file: string; readonly filename: string; readonly contentType: (typeof pictureTypes)[number] };
type PictureProps = {
  readonly url: string | null;
  readonly name: string;
  readonly upload: (picture: Upload) => Promise<unknown>;
};

/** Reads the chosen file and hands it on; `problem` says what was wrong with it. */
export function usePictureChoice(take: (picture: Upload) => unknown) {
  const { t } = useTexts();
  const [problem, setProblem] = useState<string>();
  const choose = async (file: File | null) => {
    const contentType = pictureTypes.find((type) => type === file?.type);
    if (file === null) return;
    if (contentType === undefined) return setProblem(t('pictureKinds'));
    setProblem(undefined);
    try {
      await take({ file: await base64Of(file), filename: file.name, contentType });
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return { problem, choose };
}

type PictureButtonProps = { readonly label: string; readonly choose: (file: File | null) => Promise<void> };

export function PictureButton({ label, choose }: PictureButtonProps) {
  return (
    <FileButton onChange={(file) => void choose(file)} accept={pictureTypes.join(',')}>
      {(button) => (
        <Button variant="default" {...button}>
          {label}
        </Button>
      )}
    </FileButton>
  );
}

/** A person's picture, or the first letter of their name, and the choice of another one. */
export function Picture({ url, name, upload }: PictureProps) {
  const { t } = useTexts();
  const { problem, choose } = usePictureChoice(upload);
  return (
    <>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <Group>
        {url === null ? (
          <span className="face large" aria-hidden="true">
            {name.slice(0, 1).toUpperCase()}
          </span>
        ) : (
          <img className="face large" src={url} alt="" />
        )}
        <PictureButton label={t('choosePicture')} choose={choose} />
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
