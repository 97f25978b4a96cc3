import { Button, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { Problem, useProductName, Waiting } from '../../look/page.tsx';
import { messageOf } from '../../parts/form.ts';
import { Icon, type IconName } from './icon.tsx';
import { NavigationLink } from './link.tsx';
import { isServerThere } from './load.ts';
import { useTexts } from './words.ts';

type HeadProps = { readonly title: string; readonly text?: ReactNode; readonly children?: ReactNode };

/** The head of a screen: its heading, which is the title of the tab too, and what can be done. */
export function Head({ title, text, children }: HeadProps) {
  const product = useProductName();
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
  return (
    <div className="head">
      <div>
        <Title order={1} size="h2" className="wrap">
          {title}
        </Title>
        {text === undefined ? null : (
          <Text c="dimmed" className="wrap">
            {text}
          </Text>
        )}
      </div>
      {children === undefined ? null : <div className="actions">{children}</div>}
    </div>
  );
}

type EmptyProps = { readonly icon: IconName; readonly title: string; readonly text?: string | undefined; readonly children?: ReactNode };

/** Nothing is here yet: what this is for, and what to do first. */
export function Empty({ icon, title, text, children }: EmptyProps) {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon name={icon} size={28} />
      </span>
      <Title order={2} size="h4">
        {title}
      </Title>
      {text === undefined ? null : <Text c="dimmed">{text}</Text>}
      {children}
    </div>
  );
}

export function Retry({ error, again }: { readonly error: unknown; readonly again: () => void }) {
  const { t } = useTexts();
  return (
    <Stack align="flex-start" py="md">
      <Problem>{messageOf(error)}</Problem>
      <Button variant="default" onClick={again}>
        {t('tryAgain')}
      </Button>
    </Stack>
  );
}

export function Opening() {
  return <Waiting />;
}

export function Missing() {
  const { t } = useTexts();
  return (
    <>
      <Head title={t('missingTitle')} />
      <Empty icon="search" title={t('missingText')}>
        <NavigationLink to="/console">{t('toStart')}</NavigationLink>
      </Empty>
    </>
  );
}

export function NotAllowed() {
  const { t } = useTexts();
  return (
    <>
      <Head title={t('notAllowedTitle')} />
      <Empty icon="lock" title={t('notAllowedText')} text={t('notAllowedHelp')}>
        <NavigationLink to="/console">{t('toStart')}</NavigationLink>
      </Empty>
    </>
  );
}

/** A fault of ours while a screen is shown, or a screen whose code did not come. */
export function Fault({ error }: { readonly error: unknown }) {
  const { t } = useTexts();
  const [isPending, setPending] = useState(false);
  // Without a server the browser would show a page of its own.
  const again = async () => {
    setPending(true);
    if (await isServerThere()) window.location.reload();
    setPending(false);
  };
  return (
    <Stack align="flex-start" p="md">
      <Title order={1} size="h2">
        {t('errorTitle')}
      </Title>
      <Problem>{messageOf(error)}</Problem>
      <Button loading={isPending} onClick={() => void again()}>
        {t('tryAgain')}
      </Button>
    </Stack>
  );
}
