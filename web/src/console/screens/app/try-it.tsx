import { Button, MultiSelect, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Modal } from '../../base/modal.tsx';
import { issuerOf, usePlaceHere } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { Copyable } from '../../parts/form/secret.tsx';
import type { App } from './fields.ts';

const standard = ['openid', 'profile', 'email', 'offline_access'];

/** Any text of the right form: the console redeems no code, so no verifier has to fit. */
function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

type TryItProps = { readonly app: App; readonly close: () => void };

/** Begins a sign-in as the app would: the pages are shown, and the app gets the code. */
export function TryIt({ app, close }: TryItProps) {
  const { t } = useTexts();
  const issuer = issuerOf(usePlaceHere());
  const [redirectUri, setRedirectUri] = useState(app.redirectUris[0] ?? '');
  const [scopes, setScopes] = useState(['openid', 'profile', 'email', ...app.scopes]);
  const [texts] = useState(() => ({ state: randomText(), nonce: randomText(), code_challenge: randomText() }));
  const query = { client_id: app.clientId, redirect_uri: redirectUri };
  const url =
    app.type === null
      ? `${window.location.origin}/api/auth/project/authorize?${new URLSearchParams({ ...query, provider: 'email' })}`
      : `${issuer}/oauth/authorize?${new URLSearchParams({ ...query, response_type: 'code', scope: scopes.join(' '), ...texts, code_challenge_method: 'S256' })}`;
  return (
    <Modal opened onClose={close} title={t('tryNamed', { name: app.name })} size="lg" closeButtonProps={{ 'aria-label': t('close') }}>
      <Stack gap="md">
        <Text>{t('tryItText')}</Text>
        <Select
          label={t('redirectUri')}
          data={app.redirectUris}
          value={redirectUri}
          onChange={(value) => setRedirectUri(value ?? redirectUri)}
          allowDeselect={false}
        />
        {app.type === null ? null : (
          <MultiSelect label={t('scopes')} data={[...standard, ...app.scopes]} value={scopes} onChange={setScopes} />
        )}
        <Copyable value={url} isBlock />
        <div className="dialog-end">
          <Button component="a" href={url} target="_blank" rel="noopener noreferrer" onClick={close}>
            {t('tryIt')}
          </Button>
        </div>
      </Stack>
    </Modal>
  );
}
