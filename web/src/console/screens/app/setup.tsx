import { Select, Text, Title } from '@mantine/core';
import { hasSecrets } from '@tessera/rules/app-types';
import { useState } from 'react';
import { issuerOf, usePlaceHere } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { Copyable } from '../../parts/form/secret.tsx';
import type { App } from './fields.ts';
import { snippetsOf } from './snippets.ts';

/** What to put into a library: it finds the rest by discovery. */
export function Setup({ app }: { readonly app: App }) {
  const { t } = useTexts();
  const issuer = issuerOf(usePlaceHere());
  const snippets = snippetsOf(app, issuer);
  const [chosen, setChosen] = useState(snippets[0]?.library);
  const snippet = snippets.find(({ library }) => library === chosen);
  return (
    <section className="panel wide">
      <Title order={2} size="h4">
        {t('setup')}
      </Title>
      <Text c="dimmed">{t(hasSecrets(app) ? 'setupSecretText' : 'setupText')}</Text>
      <div className="pair">
        <div>
          <Text size="sm" fw={500}>
            {t('issuer')}
          </Text>
          <Copyable value={issuer} />
        </div>
        <div>
          <Text size="sm" fw={500}>
            {t('clientId')}
          </Text>
          <Copyable value={app.clientId} />
        </div>
      </div>
      <Select
        label={t('library')}
        data={snippets.map(({ library }) => library)}
        value={chosen ?? null}
        onChange={(library) => setChosen(library ?? undefined)}
        allowDeselect={false}
      />
      {snippet === undefined ? null : <Copyable value={snippet.code} isBlock />}
    </section>
  );
}
