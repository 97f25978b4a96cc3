import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Card, Problem, Waiting } from '../look/page.tsx';
import { answer, type Interaction, interactionQuery, isOver } from '../session/interactions.ts';
import { useWords } from '../words/language.tsx';
import { messageOf } from './form.ts';

type Props = { readonly id: string; readonly children: (interaction: Interaction) => ReactNode };

/** Shows a step of a sign-in to an app, once it is known. */
export function WithInteraction({ id, children }: Props) {
  const { t } = useWords();
  const { data, error, refetch } = useQuery(interactionQuery(id));
  if (data !== undefined) return children(data);
  if (error === null) return <Waiting />;
  return (
    <Card title={t('errorTitle')}>
      <Problem>{isOver(error) ? t('interactionOver') : messageOf(error)}</Problem>
      {isOver(error) ? null : <Button onClick={() => void refetch()}>{t('tryAgain')}</Button>}
    </Card>
  );
}

type Action = Parameters<typeof answer>[0]['action'];

/** Sends an answer once; after a success the browser is on its way, so the buttons keep waiting. */
export function useAnswer(id: string) {
  const [pending, setPending] = useState<Action>();
  const [problem, setProblem] = useState<string>();
  async function send(action: Action, more: Omit<Parameters<typeof answer>[0], 'id' | 'action'> = {}): Promise<void> {
    if (pending !== undefined) return;
    setPending(action);
    setProblem(undefined);
    try {
      await answer({ ...more, id, action });
    } catch (error) {
      setProblem(messageOf(error));
      setPending(undefined);
    }
  }
  return { pending, problem, send };
}

/** Whose app it is. */
export function PlaceOfApp({ app: { project, organization } }: Pick<Interaction, 'app'>) {
  const names = [project, organization].filter((name) => name !== null);
  if (names.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" className="wrap">
      {names.join(' · ')}
    </Text>
  );
}
