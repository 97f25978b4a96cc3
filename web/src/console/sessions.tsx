import { Badge, Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Problem } from '../look/page.tsx';
import { messageOf } from '../parts/form.ts';
import { tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { deviceOf } from './device.ts';
import { Tile } from './tile.tsx';

const queryKey = ['sessions'];

export function Sessions() {
  const { t, language } = useWords();
  const queries = useQueryClient();
  const list = useQuery({ queryKey, queryFn: () => tessera.listMySessions({ limit: 100 }) });
  const end = useMutation({
    mutationFn: (id: string) => tessera.revokeMySession({ id }),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  const when = (at: string) => new Date(at).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <Tile title={t('sessions')} isPending={list.isPending} error={list.error}>
      {end.error ? <Problem>{messageOf(end.error)}</Problem> : null}
      <ul className="list">
        {list.data?.items.map(({ id, userAgent, ipAddress, createdAt, lastUsedAt, isCurrent }) => (
          <li key={id}>
            <div>
              <div>{deviceOf(userAgent ?? '')}</div>
              <Text c="dimmed" size="sm">
                {ipAddress} · {t('lastUsed', { when: when(lastUsedAt ?? createdAt) })}
              </Text>
            </div>
            {isCurrent ? (
              <Badge variant="outline">{t('thisDevice')}</Badge>
            ) : (
              <Button size="xs" variant="default" loading={end.isPending && end.variables === id} onClick={() => end.mutate(id)}>
                {t('endSession')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Tile>
  );
}
