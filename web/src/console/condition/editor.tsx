import { Autocomplete, Button, Group, Select, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { operators } from '../../../../services/rbac/src/domain/condition.ts';
import { tessera } from '../../session/tessera.ts';
import { Comparisons } from '../decisions/comparisons.tsx';
import { objectOf } from '../form/json.ts';
import { useMe } from '../shell/me.tsx';
import { useRoleScope } from '../shell/scope.ts';
import { Retry } from '../shell/states.tsx';
import { useTexts } from '../shell/words.ts';
import { conditionOf, exampleOf, faultOf, holdsFor } from './check.ts';

type EditorProps = { readonly value: string; readonly error: string | undefined; readonly onChange: (text: string) => void };

const paths = [
  'user.id',
  'user.metadata.',
  'member.metadata.',
  'role.name',
  'role.metadata.',
  'group.name',
  'group.metadata.',
  'resource.',
];

/** Writes a condition: comparisons are put together or typed, checked at once, and tried against an example. */
export function ConditionEditor({ value, error, onChange }: EditorProps) {
  const { t, language } = useTexts();
  return (
    <fieldset className="condition">
      <legend>{t('condition')}</legend>
      <Text size="sm" c="dimmed">
        {t('conditionHelp')}
      </Text>
      <Builder add={(comparison) => onChange(joined(value, comparison))} />
      <Textarea
        label={t('conditionJson')}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        error={faultOf(value, language) ?? error}
        autosize
        minRows={3}
        spellCheck={false}
        classNames={{ input: 'code' }}
      />
      <Try condition={value} />
    </fieldset>
  );
}

/** Both must hold: a comparison is put under the And that is there, or under a new one. */
function joined(text: string, comparison: object): string {
  const before = objectOf(text);
  const list = before?.['And'];
  const isEmpty = before === undefined || Object.keys(before).length === 0;
  const next = isEmpty ? comparison : { And: Array.isArray(list) ? [...list, comparison] : [before, comparison] };
  return JSON.stringify(next, null, 2);
}

function Builder({ add }: { readonly add: (comparison: object) => void }) {
  const { t } = useTexts();
  const [path, setPath] = useState('resource.');
  const [operator, setOperator] = useState<string>('Equals');
  const [operand, setOperand] = useState('{{user.id}}');
  return (
    <div className="builder">
      <Autocomplete size="sm" label={t('path')} data={paths} value={path} onChange={setPath} />
      <Select
        size="sm"
        label={t('operator')}
        data={Object.keys(operators)}
        value={operator}
        onChange={(chosen) => setOperator(chosen ?? 'Equals')}
        allowDeselect={false}
        searchable
      />
      <Autocomplete
        size="sm"
        label={t('value')}
        data={['{{user.id}}', 'true', '"text"', '["one", "two"]', '100']}
        value={operand}
        onChange={setOperand}
      />
      <Button variant="default" onClick={() => add({ [operator]: { [path]: read(operand) } })}>
        {t('addComparison')}
      </Button>
    </div>
  );
}

/** JSON where it is JSON, otherwise the text itself. */
function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function Try({ condition }: { readonly condition: string }) {
  const { t } = useTexts();
  const { user } = useMe();
  const [example, setExample] = useState(() =>
    JSON.stringify({ user: { id: user.id, metadata: {} }, member: { metadata: {} }, resource: { ownerId: user.id } }, null, 2),
  );
  const holds = holdsFor(condition, example);
  return (
    <details>
      <summary>{t('tryCondition')}</summary>
      <Stack gap="xs" mt="xs">
        <Textarea
          label={t('example')}
          value={example}
          onChange={({ currentTarget }) => setExample(currentTarget.value)}
          error={objectOf(example) === undefined ? t('enterObject') : undefined}
          autosize
          minRows={4}
          spellCheck={false}
          classNames={{ input: 'code' }}
        />
        <Group role="status" className="verdict" data-holds={holds}>
          {holds === undefined ? t('conditionOpen') : t(holds ? 'conditionHolds' : 'conditionFails')}
        </Group>
        {holds === undefined ? null : <Trace key={`${condition} ${example}`} condition={condition} example={example} />}
      </Stack>
    </details>
  );
}

/** What the server compares, value by value, when it evaluates the condition against the example. */
function Trace({ condition, example }: { readonly condition: string; readonly example: string }) {
  const { t } = useTexts();
  const scope = useRoleScope();
  const [isWanted, setWanted] = useState(false);
  const trial = useQuery({
    queryKey: ['trial', scope, condition, example],
    queryFn: () => tessera.tryCondition({ scope, condition: conditionOf(condition), example: exampleOf(example) }),
    enabled: isWanted,
  });
  if (trial.error) return <Retry error={trial.error} again={() => void trial.refetch()} />;
  if (trial.data) return <Comparisons comparisons={trial.data.comparisons} />;
  return (
    <div>
      <Button variant="default" size="sm" loading={trial.isFetching} onClick={() => setWanted(true)}>
        {t('showComparisons')}
      </Button>
    </div>
  );
}
