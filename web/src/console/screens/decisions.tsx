import { Autocomplete, Button, Select, Stack, Text, Textarea, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Output } from '@tessera/client';
import { useState } from 'react';
import { Problem } from '../../look/page.tsx';
import { tessera } from '../../session/tessera.ts';
import { objectOf } from '../form/json.ts';
import { useDraft } from '../form/use-draft.ts';
import { Icon } from '../shell/icon.tsx';
import { useScope } from '../shell/scope.ts';
import { Head } from '../shell/states.tsx';
import { useTexts } from '../shell/words.ts';

type Decision = Output<'isAuthorized'>;

/** A question, its answer and why; and all that the person may do here. */
export function Screen() {
  const { t } = useTexts();
  const [answer, setAnswer] = useState<Decision>();
  return (
    <>
      <Head title={t('decisions')} text={t('decisionsText')} />
      <div className="panels">
        <section className="panel">
          <Question answered={setAnswer} />
          <div role="status">{answer ? <Answer decision={answer} /> : null}</div>
        </section>
        <Everything />
      </div>
    </>
  );
}

function Question({ answered }: { readonly answered: (decision: Decision) => void }) {
  const { t } = useTexts();
  const scope = useScope();
  const { data: resources } = useQuery({
    queryKey: ['console', 'resource choice', scope],
    queryFn: () => Array.fromAsync(tessera.listResources({ scope, limit: 100, sortField: 'name' })),
  });
  const draft = useDraft({
    initial: { resource: null as string | null, action: '', context: '{}' },
    check: ({ resource, action, context }) => ({
      resource: resource === null ? t('chooseResource') : undefined,
      action: action.trim() === '' ? t('chooseAction') : undefined,
      context: objectOf(context) === undefined ? t('enterObject') : undefined,
    }),
    send: async ({ resource, action, context }) => {
      const permission = { resource: resource ?? '', action: action.trim() };
      answered(await tessera.isAuthorized({ scope, permission, context: { resource: objectOf(context) ?? {} } }));
    },
  });
  const chosen = resources?.find(({ slug }) => slug === draft.values.resource);
  return (
    <form {...draft.form}>
      <Stack gap="sm">
        {draft.problem === undefined ? null : <Problem>{draft.problem}</Problem>}
        <Select
          {...draft.field('resource')}
          label={t('resource')}
          data={(resources ?? []).map(({ slug, name }) => ({ value: slug, label: name }))}
          size="sm"
          searchable
        />
        <Autocomplete {...draft.field('action')} label={t('action')} data={chosen?.actions ?? []} size="sm" />
        <Textarea
          {...draft.text('context')}
          label={t('contextLabel')}
          autosize
          minRows={2}
          spellCheck={false}
          classNames={{ input: 'code' }}
        />
        <div>
          <Button type="submit" loading={draft.isPending}>
            {t('ask')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function Answer({
  decision: { authorized, reason, matchedPermission, matchedCondition, evaluatedContext },
}: {
  readonly decision: Decision;
}) {
  const { t } = useTexts();
  return (
    <div className="answer" data-authorized={authorized}>
      <Title order={2} size="h3">
        {t(authorized ? 'yes' : 'no')}
      </Title>
      <Text>{t(reason)}</Text>
      {matchedPermission === null ? null : (
        <>
          <Text fw={600} mt="sm">
            {t('thePath')}
          </Text>
          <p className="way">
            {[matchedPermission.role.name, matchedPermission.group?.name, matchedPermission.name].flatMap((name, index) =>
              name === undefined
                ? []
                : [index === 0 ? null : <Icon key={`to ${name}`} name="right" size={14} />, <code key={name}>{name}</code>],
            )}
          </p>
        </>
      )}
      {matchedCondition === null ? null : (
        <>
          <Text fw={600}>{t('condition')}</Text>
          <pre>{JSON.stringify(matchedCondition, null, 2)}</pre>
          <Text fw={600} mt="sm">
            {t('compared')}
          </Text>
          <pre>{JSON.stringify(evaluatedContext, null, 2)}</pre>
        </>
      )}
    </div>
  );
}

function Everything() {
  const { t } = useTexts();
  const scope = useScope();
  const { data } = useQuery({ queryKey: ['console', 'rights', scope], queryFn: () => tessera.listPermissions({ scope }) });
  const actions = Map.groupBy(data?.permissions ?? [], ({ resource }) => resource);
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('everything')}
      </Title>
      <ul className="list">
        {[...actions].map(([resource, permissions]) => (
          <li key={resource}>
            <strong>{resource}</strong>
            <Text span size="sm" c="dimmed">
              {[...new Set(permissions.map(({ action }) => action))].join(', ')}
            </Text>
          </li>
        ))}
      </ul>
    </section>
  );
}
