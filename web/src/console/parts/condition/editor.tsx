import { Autocomplete, Button, Group, Select, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useMe } from '../../base/me.tsx';
import { useRoleScope } from '../../base/scope.ts';
import { Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { objectOf } from '../form/json.ts';
import { conditionOf, exampleOf, faultOf, holdsFor, type Join, joins, withComparison } from './check.ts';
import { Comparisons } from './comparisons.tsx';
import { type Operator, operatorFor, operatorNames, pathFor, paths, pathsOf, valuesFor } from './offers.ts';

type EditorProps = { readonly value: string; readonly error: string | undefined; readonly onChange: (text: string) => void };

/** Writes a condition: comparisons are put together or typed, checked at once, and tried against an example. */
export function ConditionEditor({ value, error, onChange }: EditorProps) {
  const { t } = useTexts();
  return (
    <fieldset className="condition">
      <legend>{t('condition')}</legend>
      <Text size="sm" c="dimmed">
        {t('conditionHelp')}
      </Text>
      <Builder condition={value} onChange={onChange} />
      <Textarea
        label={t('conditionJson')}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        error={faultOf(value) ?? error}
        autosize
        minRows={3}
        spellCheck={false}
        classNames={{ input: 'code' }}
      />
      <Try condition={value} />
    </fieldset>
  );
}

type BuilderProps = { readonly condition: string; readonly onChange: (text: string) => void };

/** Puts a comparison together. What the server would refuse is said here and not added. */
function Builder({ condition, onChange }: BuilderProps) {
  const { t } = useTexts();
  const known = useKnownPaths();
  const [path, setPath] = useState('resource.');
  // What stands in the field when it is opened is no search among the others.
  const [isTyping, setTyping] = useState(false);
  const [operator, setOperator] = useState<Operator>('Equals');
  const [operand, setOperand] = useState('{{user.id}}');
  const [join, setJoin] = useState<Join>('And');
  const [fault, setFault] = useState<string>();
  const isFirst = condition.trim() === '';
  const choosePath = (chosen: string) => {
    setFault(undefined);
    setPath(chosen);
    const only = operatorFor(chosen);
    if (only !== undefined) chooseOperator(only, chosen);
  };
  const chooseOperator = (chosen: Operator, about = path) => {
    setFault(undefined);
    setOperator(chosen);
    if (about.endsWith('.')) setPath(pathFor(chosen) ?? about);
    const [first = ''] = valuesFor(chosen, about);
    if (faultOf(withComparison('', 'user.id', chosen, operand, 'And')) !== undefined || about !== path) setOperand(first);
  };
  const add = () => {
    // A condition that can not be read would be lost.
    const found = faultOf(condition) ?? faultOf(withComparison('', path, operator, operand, 'And'));
    setFault(found);
    if (found === undefined) onChange(withComparison(condition, path, operator, operand, join));
  };
  return (
    <>
      <div className="builder">
        {isFirst ? null : (
          <Select
            size="sm"
            label={t('join')}
            data={joins.map((value) => ({ value, label: t(`join_${value}`) }))}
            value={join}
            onChange={(chosen) => setJoin(joins.find((one) => one === chosen) ?? 'And')}
            allowDeselect={false}
          />
        )}
        <Autocomplete
          size="sm"
          label={t('path')}
          data={known}
          filter={({ options, search }) => (isTyping ? options.filter((one) => 'value' in one && one.value.includes(search)) : options)}
          value={path}
          onClick={() => setTyping(false)}
          onChange={(typed) => {
            setTyping(!known.includes(typed));
            choosePath(typed);
          }}
        />
        <Select
          size="sm"
          label={t('operator')}
          data={operatorNames}
          value={operator}
          onChange={(chosen) => chooseOperator(operatorNames.find((one) => one === chosen) ?? 'Equals')}
          allowDeselect={false}
          searchable
        />
        <Autocomplete
          size="sm"
          label={t('value')}
          data={[...valuesFor(operator, path)]}
          filter={({ options }) => options}
          value={operand}
          onChange={(typed) => {
            setFault(undefined);
            setOperand(typed);
          }}
        />
        <Button variant="default" onClick={add}>
          {t('addComparison')}
        </Button>
      </div>
      {fault === undefined ? null : <Problem>{fault}</Problem>}
    </>
  );
}

/** The paths that the server reads, and those that other conditions of this place read. */
function useKnownPaths(): string[] {
  const scope = useRoleScope();
  const { data = [] } = useQuery({
    queryKey: ['console', 'permission choice', scope],
    queryFn: () => Array.fromAsync(tessera.listScopePermissions({ scope, limit: 100, sortField: 'name' })),
  });
  return [...new Set([...paths, ...data.flatMap(({ condition }) => pathsOf(condition))])];
}

function Try({ condition }: { readonly condition: string }) {
  const { t } = useTexts();
  const { user, acr } = useMe();
  const [example, setExample] = useState(() => {
    const context = { time: new Date().toISOString(), ipAddress: '203.0.113.7', acr };
    const about = { user: { id: user.id, metadata: {} }, member: { metadata: {} } };
    return JSON.stringify({ ...about, resource: { ownerId: user.id }, context }, null, 2);
  });
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
