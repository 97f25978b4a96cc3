import { Button, TagsInput, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { Problem } from '../../../look/page.tsx';
import { messageOf } from '../../../parts/form.ts';
import { tessera } from '../../../session/tessera.ts';
import type { ProjectScope } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';

/** Makes a resource without leaving the form of a role. It is no form: it stands in one. */
export function NewResource({ scope }: { readonly scope: ProjectScope }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [actions, setActions] = useState<string[]>([]);
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  const isReady = name.trim() !== '' && actions.length > 0;
  const add = async () => {
    setPending(true);
    setProblem(undefined);
    try {
      await tessera.createResource({ scope, name: name.trim(), actions });
      await queries.invalidateQueries({ queryKey: ['console'] });
      setName('');
      setActions([]);
      setOpen(false);
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setPending(false);
    }
  };
  if (!isOpen)
    return (
      <Button variant="default" size="xs" className="add-resource" onClick={() => setOpen(true)}>
        {t('newResource')}
      </Button>
    );
  // The key would send the form of the role.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
  };
  return (
    <fieldset className="unframed new-resource" aria-label={t('newResource')} onKeyDown={onKeyDown}>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <div className="pair">
        <TextInput
          size="sm"
          label={t('resourceName')}
          value={name}
          autoComplete="off"
          autoFocus
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <TagsInput
          size="sm"
          label={t('resourceActions')}
          placeholder={actions.length === 0 ? t('actionsExample') : ''}
          value={actions}
          onChange={setActions}
          acceptValueOnBlur
        />
      </div>
      <div className="actions">
        <Button size="xs" loading={isPending} disabled={!isReady} onClick={() => void add()}>
          {t('addResource')}
        </Button>
        <Button variant="default" size="xs" onClick={() => setOpen(false)}>
          {t('cancel')}
        </Button>
      </div>
    </fieldset>
  );
}
