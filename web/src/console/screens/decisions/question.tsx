import { Autocomplete, Button, Select, Stack, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Problem } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useRights } from '../../base/rights.ts';
import { useScope } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { objectOf } from '../../parts/form/json.ts';
import { useDraft } from '../../parts/form/use-draft.ts';
import type { Decision } from './answer.tsx';
import { isChosen, namedOf, oneself, type Subject, SubjectField, useKinds } from './subject.tsx';

export type Question = {
  readonly permission: { readonly resource: string; readonly action: string };
  readonly target: Record<string, unknown>;
};
export type Answered = readonly { readonly subject: Subject; readonly decision: Decision }[];

/** What there is to ask about: the resources of this place, and those of one's own rights. */
function useActions(): ReadonlyMap<string, { readonly name: string; readonly actions: readonly string[] }> {
  const scope = useScope();
  const { may } = useRights();
  const { data: resources } = useQuery({
    queryKey: ['console', 'resource choice', scope],
    queryFn: () => Array.fromAsync(tessera.listResources({ scope, limit: 100, sortField: 'name' })),
    enabled: may('Resource:Query'),
  });
  const { data: rights } = useQuery({ queryKey: ['console', 'rights', scope], queryFn: () => tessera.listPermissions({ scope }) });
  const held = Map.groupBy(rights?.permissions ?? [], ({ resource }) => resource);
  return new Map([
    ...[...held].map(([slug, own]) => [slug, { name: slug, actions: [...new Set(own.map(({ action }) => action))] }] as const),
    ...(resources ?? []).map(({ slug, name, actions }) => [slug, { name, actions }] as const),
  ]);
}

type QuestionProps = {
  readonly subjects: readonly Subject[];
  readonly choose: (subjects: readonly Subject[]) => void;
  readonly answered: (answers: Answered, question: Question) => void;
  readonly wanted: (question: Question) => void;
};

/** May they do this? With the right to ask about others also: who may do it? */
export function QuestionForm({ subjects, choose, answered, wanted }: QuestionProps) {
  const { t } = useTexts();
  const scope = useScope();
  const mayAskAboutOthers = useKinds().length > 0;
  const actions = useActions();
  const isAboutWho = useRef(false);
  const [first = oneself, second] = subjects;
  const draft = useDraft({
    initial: { subject: '', second: '', resource: null as string | null, action: '', context: '{}' },
    check: ({ resource, action, context }) => ({
      subject: isAboutWho.current || isChosen(first) ? undefined : t('chooseSubject'),
      second: isAboutWho.current || second === undefined || isChosen(second) ? undefined : t('chooseSubject'),
      resource: resource === null ? t('chooseResource') : undefined,
      action: action.trim() === '' ? t('chooseAction') : undefined,
      context: objectOf(context) === undefined ? t('enterObject') : undefined,
    }),
    send: async ({ resource, action, context }) => {
      const question = { permission: { resource: resource ?? '', action: action.trim() }, target: objectOf(context) ?? {} };
      if (isAboutWho.current) return wanted(question);
      const asked = { scope, permission: question.permission, context: { resource: question.target }, explain: true };
      const decisions = await Promise.all(subjects.map((subject) => tessera.isAuthorized({ ...asked, ...namedOf(subject) })));
      return answered(
        decisions.map((decision, index) => ({ subject: subjects[index] ?? oneself, decision })),
        question,
      );
    },
  });
  // The button is pressed before the form is sent, also with the Enter key.
  const ask = (aboutWho: boolean) => {
    isAboutWho.current = aboutWho;
  };
  const chosen = actions.get(draft.values.resource ?? '');
  const change = (name: 'subject' | 'second', next: readonly Subject[]) => {
    draft.set(name, '');
    choose(next);
  };
  return (
    <form {...draft.form}>
      <Stack gap="sm">
        {draft.problem === undefined ? null : <Problem>{draft.problem}</Problem>}
        <div className="subjects">
          {mayAskAboutOthers ? (
            <SubjectField
              label={t('aboutWhom')}
              value={first}
              error={draft.field('subject').error}
              onChange={(subject) => change('subject', second === undefined ? [subject] : [subject, second])}
            />
          ) : null}
          {mayAskAboutOthers && second !== undefined ? (
            <SubjectField
              label={t('aboutSecond')}
              value={second}
              error={draft.field('second').error}
              onChange={(subject) => change('second', [first, subject])}
            />
          ) : null}
        </div>
        {mayAskAboutOthers ? (
          <div>
            <button
              type="button"
              className="as-link"
              onClick={() => choose(second === undefined ? [first, { kind: 'user', id: '', name: '' }] : [first])}
            >
              {t(second === undefined ? 'compare' : 'endCompare')}
            </button>
          </div>
        ) : null}
        <Select
          {...draft.field('resource')}
          label={t('resource')}
          data={[...actions].map(([slug, { name }]) => ({ value: slug, label: name }))}
          size="sm"
          searchable
        />
        <Autocomplete {...draft.field('action')} label={t('action')} data={[...(chosen?.actions ?? [])]} size="sm" />
        <Textarea
          {...draft.text('context')}
          label={t('contextLabel')}
          autosize
          minRows={2}
          spellCheck={false}
          classNames={{ input: 'code' }}
        />
        <div className="asks">
          <Button type="submit" loading={draft.isPending} onClick={() => ask(false)}>
            {t('ask')}
          </Button>
          {mayAskAboutOthers ? (
            <Button type="submit" variant="default" disabled={draft.isPending} onClick={() => ask(true)}>
              {t('whoMay')}
            </Button>
          ) : null}
        </div>
      </Stack>
    </form>
  );
}
