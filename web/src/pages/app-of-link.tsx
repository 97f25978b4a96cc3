import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Waiting, Words } from '../look/page.tsx';
import { interactionOf } from '../session/interaction-path.ts';
import { continueSignIn, interactionQuery, pathOf } from '../session/interactions.ts';
import { tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { usePageSearch } from './search.ts';

/** The app that a person is on the way to, and their sign-in to it. */
export type AppOfLink = { readonly clientId: string; readonly interactionId?: string };

/** Of the link in a mail, whose page may be on another device than the sign-in. */
export function useAppOfLink(): AppOfLink | undefined {
  const { client_id: clientId, interaction } = usePageSearch();
  if (clientId === undefined) return undefined;
  return { clientId, ...(interaction === undefined ? {} : { interactionId: interaction }) };
}

type Returning = { readonly app: AppOfLink | undefined; readonly isPending: boolean };

/** Of the sign-in that this page leads back to: the link that is requested here takes it along. */
export function useAppOfReturn(): Returning {
  const { return_to: wanted } = usePageSearch();
  const id = interactionOf(wanted);
  const { data, isPending } = useQuery({ ...interactionQuery(id ?? ''), enabled: id !== undefined });
  if (id === undefined) return { app: undefined, isPending: false };
  return { app: data && { clientId: data.app.clientId, interactionId: id }, isPending };
}

type OnwardProps = {
  readonly app: AppOfLink;
  /** The person has shown here that the account of the link is theirs, and is signed in to it. */
  readonly isProven?: boolean;
};

/**
 * The way on to the app. A sign-in belongs to the browser that began it: elsewhere the app begins
 * another one. The console is no place for people of an app.
 */
export function OnwardToApp({ app: { clientId, interactionId }, isProven = false }: OnwardProps) {
  const { t } = useWords();
  const info = useQuery({ queryKey: ['app', clientId], queryFn: () => tessera.getAppInfo({ client_id: clientId }), retry: false });
  const begun = useQuery({ ...interactionQuery(interactionId ?? ''), enabled: interactionId !== undefined });
  const [isLeaving, setLeaving] = useState(false);
  if (info.isPending || (interactionId !== undefined && begun.isPending)) return <Waiting />;
  if (info.data === undefined) return <Text>{t('goOnInApp')}</Text>;
  const { name, url } = info.data;
  if (interactionId !== undefined && begun.data?.app.clientId === clientId) {
    const openPage = () => window.location.assign(pathOf(interactionId));
    const go = () => {
      setLeaving(true);
      if (isProven) void continueSignIn(interactionId, openPage);
      else openPage();
    };
    return (
      <Button loading={isLeaving} onClick={go}>
        <Words text={t('continueToApp', { app: name })} />
      </Button>
    );
  }
  return (
    <>
      <Text className="wrap">{t('goOnWhereBegun', { app: name })}</Text>
      {url === null ? null : (
        <>
          <Button component="a" href={url} rel="noreferrer" variant="default">
            <Words text={t('openApp', { app: name })} />
          </Button>
          {/* Anybody may have requested the mail, for an app with any name. */}
          <Text size="sm" c="dimmed" className="wrap">
            {new URL(url).host}
          </Text>
        </>
      )}
    </>
  );
}
