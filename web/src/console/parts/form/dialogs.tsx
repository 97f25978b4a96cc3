import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { Problem } from '../../../look/page.tsx';
import { messageOf } from '../../../parts/form.ts';
import { Modal } from '../../base/modal.tsx';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import { Conflict } from './conflict.tsx';
import { DraftForm, type FormOfDraft } from './draft-form.tsx';

type Draft = FormOfDraft & {
  readonly other: ComponentProps<typeof Conflict> | undefined;
  readonly isPending: boolean;
  readonly discard: () => void;
};
type FormDialogProps = {
  readonly title: string;
  readonly draft: Draft;
  readonly submit: string;
  readonly close: () => void;
  readonly size?: string;
  readonly children: ReactNode;
};

/** A form in a dialog. Cancel forgets what was typed. */
export function FormDialog({ title, draft, submit, close, size = 'md', children }: FormDialogProps) {
  const { t } = useTexts();
  const leave = () => {
    draft.discard();
    close();
  };
  return (
    <Modal opened onClose={leave} title={title} size={size} closeButtonProps={{ 'aria-label': t('close') }} closeOnClickOutside={false}>
      <DraftForm draft={draft}>
        {children}
        {draft.other === undefined ? null : <Conflict {...draft.other} />}
        <div className="dialog-end">
          <Button variant="default" onClick={leave}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={draft.isPending} disabled={draft.other !== undefined}>
            {submit}
          </Button>
        </div>
      </DraftForm>
    </Modal>
  );
}

type ConfirmProps = {
  readonly title: string;
  readonly text: ReactNode;
  readonly button: string;
  /** What has to be typed first. Left out where the step can be taken back. */
  readonly name?: string;
  readonly run: () => Promise<unknown>;
  /** What is said when it is done. */
  readonly said: string;
  readonly close: () => void;
  readonly done?: () => void;
  /** What else the step needs, asked before the name; it has the focus. */
  readonly children?: ReactNode;
  /** Nothing ends by it: its button is not red. */
  readonly isHarmless?: boolean;
};

/** Asks before something ends. What cannot be taken back asks for the name. */
export function Confirm({ title, text, button, name, run, said, close, done, children, isHarmless = false }: ConfirmProps) {
  const { t } = useTexts();
  const tell = useTell();
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const isReady = name === undefined || typed.trim() === name.trim();
  const go = async () => {
    setPending(true);
    setProblem(undefined);
    try {
      await run();
      tell(said);
      close();
      done?.();
      await queries.invalidateQueries({ queryKey: ['console'] });
    } catch (error) {
      setProblem(messageOf(error));
      setPending(false);
    }
  };
  return (
    <Modal opened onClose={close} title={title} closeButtonProps={{ 'aria-label': t('close') }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void go();
        }}
      >
        <Stack gap="md">
          {problem === undefined ? null : <Problem>{problem}</Problem>}
          <Text className="wrap">{text}</Text>
          {children}
          {name === undefined ? null : (
            <TextInput
              data-autofocus={children === undefined ? true : undefined}
              label={t('typeName', { name })}
              value={typed}
              autoComplete="off"
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          )}
          <div className="dialog-end">
            <Button variant="default" onClick={close}>
              {t('cancel')}
            </Button>
            <Button type="submit" {...(isHarmless ? {} : { className: 'danger-button' })} loading={isPending} disabled={!isReady}>
              {button}
            </Button>
          </div>
        </Stack>
      </form>
    </Modal>
  );
}
