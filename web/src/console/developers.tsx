import { Anchor, Group, Text } from '@mantine/core';
import { useWords } from '../words/language.tsx';
import { Tile } from './tile.tsx';

export function Developers() {
  const { t } = useWords();
  return (
    <Tile title={t('developers')}>
      <Text>{t('developersText')}</Text>
      <Group>
        <Anchor href="/api-docs" underline="always">
          {t('apiDocs')}
        </Anchor>
        <Anchor href="/graphql" underline="always">
          GraphQL
        </Anchor>
      </Group>
    </Tile>
  );
}
