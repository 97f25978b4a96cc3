import { Button } from '@mantine/core';
import { useDialog } from '../../base/address.ts';
import { useRights } from '../../base/rights.ts';
import { useTexts } from '../../base/words.ts';
import { Confirm } from './dialogs.tsx';

/** The button that opens the form for a new one, for those who may make one. */
export function CreateButton({ needs, label }: { readonly needs: string; readonly label: string }) {
  const { may } = useRights();
  const dialog = useDialog();
  return may(needs) ? <Button onClick={() => dialog.open('create')}>{label}</Button> : null;
}

const needed: Readonly<Record<string, string>> = { create: 'Create', edit: 'Update', delete: 'Delete' };

/** The dialog that the address names, if the person may do what it is for: an address can come from another. */
export function useEditDialog(resource: string): ReturnType<typeof useDialog> {
  const { may } = useRights();
  const dialog = useDialog();
  const action = needed[dialog.name ?? ''];
  return action !== undefined && !may(`${resource}:${action}`) ? { ...dialog, name: undefined } : dialog;
}

type DeleteProps = {
  readonly name: string;
  readonly text: string;
  readonly run: () => Promise<unknown>;
  readonly close: () => void;
  /** Where the page of the deleted thing leads. */
  readonly done?: () => void;
};

export function Delete({ name, text, run, close, done = () => undefined }: DeleteProps) {
  const { t } = useTexts();
  return (
    <Confirm {...{ text, name, run, close, done }} title={t('deleteNamed', { name })} button={t('delete')} said={t('deleted', { name })} />
  );
}
