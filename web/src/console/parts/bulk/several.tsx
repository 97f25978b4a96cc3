import { Button, Stack, Text, TextInput } from '@mantine/core';
import { TesseraError } from '@tessera/client';
import { type ReactNode, useState } from 'react';
import { Modal } from '../../base/modal.tsx';
import { useTexts } from '../../base/words.ts';
import { useNames } from './names.ts';
import { type OutcomeLabels, RunView } from './run-view.tsx';
import { type Thing, useRun } from './use-run.ts';

type SeveralProps<One extends Thing> = {
  readonly title: string;
  /** Who it is about is put into it. */
  readonly textOf: (who: string) => string;
  readonly button: string;
  readonly things: readonly One[];
  /** What has to be typed first. Left out where the step can be taken back. */
  readonly word?: string;
  readonly isHarmless?: boolean;
  /** What is gone meanwhile needs no step any more. */
  readonly isToEnd?: boolean;
  /** Whether what the step needs besides is chosen. */
  readonly isReady?: boolean;
  readonly children?: ReactNode;
  readonly send: (thing: One) => Promise<unknown>;
  readonly close: () => void;
  /** When it is closed after at least one request. */
  readonly done: () => void;
};

/** Asks once before the same is done with several, then does it and says how each has ended. */
export function Several<One extends Thing>(props: SeveralProps<One>) {
  const { title, textOf, button, things, word, isHarmless = false, isToEnd = false, isReady = true, children, send, close, done } = props;
  const { t } = useTexts();
  const nameAll = useNames();
  const [typed, setTyped] = useState('');
  const run = useRun<One>({
    send: async (thing) => {
      try {
        await send(thing);
        return { kind: 'done' };
      } catch (error) {
        if (isToEnd && error instanceof TesseraError && error.status === 404) return { kind: 'unneeded' };
        throw error;
      }
    },
  });
  const hasBegun = run.things.length > 0;
  const mayGo = isReady && (word === undefined || typed.trim() === word);
  const end = () => {
    close();
    done();
  };
  const leave = () => (run.isRunning ? run.stop() : hasBegun ? end() : close());
  const labels: OutcomeLabels = {
    done: (count) => t('doneOnes', { count }),
    unneeded: (count) => t('goneOnes', { count }),
    refused: (count) => t('refusedOnes', { count }),
    unsent: (count) => t('unsentOnes', { count }),
  };
  return (
    <Modal opened onClose={leave} title={title} closeButtonProps={{ 'aria-label': t('close') }} closeOnClickOutside={false}>
      {hasBegun ? (
        <RunView run={run} labels={labels} close={end} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (mayGo) run.start(things);
          }}
        >
          <Stack gap="md">
            <Text className="wrap">{textOf(nameAll(things.map(({ name }) => name)))}</Text>
            {children}
            {word === undefined ? null : (
              <TextInput
                data-autofocus
                label={t('typeName', { name: word })}
                value={typed}
                autoComplete="off"
                onChange={({ currentTarget }) => setTyped(currentTarget.value)}
              />
            )}
            <div className="dialog-end">
              <Button variant="default" onClick={close}>
                {t('cancel')}
              </Button>
              <Button type="submit" {...(isHarmless ? {} : { className: 'danger-button' })} disabled={!mayGo}>
                {button}
              </Button>
            </div>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
