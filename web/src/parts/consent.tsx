import { Button, Stack, Text } from '@mantine/core';
import { Notice, Problem } from '../look/page.tsx';
import type { Interaction } from '../session/interactions.ts';
import { useWords } from '../words/language.tsx';
import { wordsOfScope } from '../words/scopes.ts';
import { PlaceOfApp, useAnswer } from './interaction.tsx';

type Props = { readonly id: string; readonly asked: Interaction; readonly text: string };

/** What an app will be able to do, and the two answers. */
export function ConsentForm({ id, asked: { app, scopes, details, joins, opensSession, organization }, text }: Props) {
  const { t } = useWords();
  const { pending, problem, send } = useAnswer(id);
  return (
    <>
      <PlaceOfApp app={app} />
      {organization === null ? null : <Text className="wrap">{t('consentFor', { organization: organization.name })}</Text>}
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <Stack gap={4}>
        <Text>{text}</Text>
        <ul className="scopes">
          {opensSession ? (
            <li>{t('consentEverything')}</li>
          ) : (
            scopes.map(({ name, description }) => <li key={name}>{wordsOfScope(name, t) ?? description ?? name}</li>)
          )}
          {details.length === 0 ? null : <li className="wrap">{t('consentDetails', { names: details.join(', ') })}</li>}
        </ul>
      </Stack>
      {app.document === null ? null : <DocumentNotice document={app.document} />}
      {joins ? <Notice>{t('consentJoins')}</Notice> : null}
      <Button loading={pending === 'consent'} disabled={pending === 'deny'} onClick={() => void send('consent')}>
        {t('allow')}
      </Button>
      <Button variant="default" loading={pending === 'deny'} disabled={pending === 'consent'} onClick={() => void send('deny')}>
        {t('refuse')}
      </Button>
      <Text size="sm" c="dimmed">
        {t(opensSession ? 'consentEndSession' : 'consentLater')}
      </Text>
    </>
  );
}

/** Of an application that nobody has registered: what is known of it, and what is not. */
function DocumentNotice({
  document: { url, domain, ownName, isOnDevice },
}: {
  readonly document: NonNullable<Interaction['app']['document']>;
}) {
  const { t } = useWords();
  return (
    <Notice>
      <Stack gap={4}>
        <Text size="sm" className="wrap">
          {t('documentUnregistered', { url, domain })}
        </Text>
        {ownName === null ? null : (
          <Text size="sm" className="wrap">
            {t('documentName', { name: ownName })}
          </Text>
        )}
        {isOnDevice ? (
          <Text size="sm" className="wrap">
            {t('documentOnDevice', { domain })}
          </Text>
        ) : null}
      </Stack>
    </Notice>
  );
}
