import { Button, Divider, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { TesseraError } from '@tessera/client';
import { use, useState } from 'react';
import { Card, Problem, Waiting } from '../look/page.tsx';
import { messageOf } from '../parts/form.ts';
import { MailForm } from '../parts/mail-form.tsx';
import { forgetLinkSecret } from '../session/link-secret.ts';
import { optionsQuery, tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { LinkSecretContext } from './link-secret-context.ts';
import { usePageSearch } from './search.ts';

/** Sign-in to an app of a project: asks for the address, and is where the link in the mail leads. */
export function AppSignIn() {
  const { t } = useWords();
  const { token, state } = use(LinkSecretContext);
  const { client_id: clientId } = usePageSearch();
  const app = useQuery({
    queryKey: ['app', clientId],
    queryFn: () => tessera.getAppInfo({ client_id: clientId ?? '' }),
    enabled: clientId !== undefined,
    retry: false,
  });
  if (token !== undefined && state !== undefined) return <FromMail app={app.data?.name ?? t('theApp')} token={token} state={state} />;
  if (clientId === undefined || (app.error instanceof TesseraError && [400, 404].includes(app.error.status)))
    return (
      <Card title={t('errorTitle')}>
        <Problem>{t('appUnknown')}</Problem>
      </Card>
    );
  if (app.error)
    return (
      <Card title={t('errorTitle')}>
        <Problem>{messageOf(app.error)}</Problem>
        <Button onClick={() => void app.refetch()}>{t('tryAgain')}</Button>
      </Card>
    );
  return app.data === undefined ? <Waiting /> : <Entry clientId={clientId} {...app.data} />;
}

type FromMailProps = { readonly app: string; readonly token: string; readonly state: string };

/** Mail scanners open links too: only the button uses the link up. */
function FromMail({ app, token, state }: FromMailProps) {
  const { t } = useWords();
  const [isLeaving, setLeaving] = useState(false);
  const go = () => {
    setLeaving(true);
    forgetLinkSecret();
    window.location.replace(`/api/auth/project/callback?${new URLSearchParams({ token, state })}`);
  };
  return (
    <Card title={t('appTitle', { app })} text={t('appConfirm', { app })}>
      <Button loading={isLeaving} onClick={go}>
        {t('appConfirmButton', { app })}
      </Button>
    </Card>
  );
}

type EntryProps = {
  readonly clientId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly enabledProviders: readonly string[];
};

function Entry({ clientId, name: app, scopes, enabledProviders }: EntryProps) {
  const { t } = useWords();
  const { redirect_uri: redirectUri = '', state } = usePageSearch();
  const { data: options } = useQuery(optionsQuery);
  const [sentTo, setSentTo] = useState<string>();
  if (sentTo !== undefined)
    return (
      <Card title={t('checkMailTitle')} text={t('appSent', { email: sentTo, app })}>
        <Button variant="default" onClick={() => setSentTo(undefined)}>
          {t('otherAddress')}
        </Button>
      </Card>
    );
  const request = { client_id: clientId, redirect_uri: redirectUri, ...(state === undefined ? {} : { state }) };
  const others = enabledProviders.filter((name) => name !== 'email');
  return (
    <Card title={t('appTitle', { app })} text={t('appText')}>
      {scopes.length === 0 ? null : (
        <Stack gap={4}>
          <Text size="sm">{t('appScopes', { app })}</Text>
          <ul className="scopes">
            {scopes.map((scope) => (
              <li key={scope}>{scope}</li>
            ))}
          </ul>
        </Stack>
      )}
      <MailForm button={t('sendLink')} send={(email) => tessera.requestMagicLink({ ...request, email })} sent={setSentTo} />
      {others.length === 0 ? null : <Divider label={t('or')} />}
      {others.map((name) => (
        <Button
          key={name}
          component="a"
          variant="default"
          href={`/api/auth/project/authorize?${new URLSearchParams({ ...request, provider: name })}`}
          fullWidth
        >
          {t('with', { provider: options?.providers.find((provider) => provider.name === name)?.label ?? name })}
        </Button>
      ))}
    </Card>
  );
}
