import { Button, Select, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { useRights } from '../../base/rights.ts';
import { useOrganization } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import type { Connection, Line, Target } from './connection.ts';
import { PreviewOfSignIns, PreviewOfTests } from './mapping-preview.tsx';
import { nameOf } from './tests.tsx';

type Props = { readonly connection: Connection; readonly targets: readonly Target[] };
const mostLines = 100;
const pauseMs = 400;

/** Which claims give which roles. */
export function Mapping({ connection, targets }: Props) {
  const { t } = useTexts();
  const { may } = useRights();
  const dialog = useDialog();
  const { roleMapping } = connection;
  return (
    <section className="panel">
      <div className="panel-head">
        <Title order={2} size="h4">
          {t('roleMapping')}
        </Title>
        {may('Connection:Update') ? (
          <Button size="compact-sm" variant="default" onClick={() => dialog.open('mapping')}>
            {t('editMapping')}
          </Button>
        ) : null}
      </div>
      <Text c="dimmed">{t(roleMapping.length === 0 ? 'noRoleMapping' : 'roleMappingText')}</Text>
      {roleMapping.length === 0 ? null : (
        <ul className="list" aria-label={t('roleMapping')}>
          {roleMapping.map((line) => (
            <li key={JSON.stringify(line)}>
              <span className="wrap">
                <code>{line.claim}</code> = <code>{line.value}</code> → {nameOf(line, targets)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

type Row = { readonly key: string; readonly claim: string; readonly value: string; readonly target: string };
const emptyRow = (): Row => ({ key: crypto.randomUUID(), claim: '', value: '', target: '' });
const keyOf = (grantId: string | null, roleId: string) => `${grantId ?? ''} ${roleId}`;

function rowsOf({ roleMapping }: Connection): { rows: readonly Row[] } {
  return {
    rows: roleMapping.map(({ claim, value, roleId, grantId }, index) => ({
      key: String(index),
      claim,
      value,
      target: keyOf(grantId, roleId),
    })),
  };
}

function linesFrom(rows: readonly Row[]): Line[] {
  return rows.flatMap(({ claim, value, target }) => {
    const [grantId = '', roleId = ''] = target.split(' ');
    return roleId === '' ? [] : [{ claim: claim.trim(), value: value.trim(), roleId, grantId: grantId === '' ? null : grantId }];
  });
}

/** Lines of claim, value and role, and what they make of the last sign-ins and tests. */
export function EditMapping({ connection, targets, close }: Props & { readonly close: () => void }) {
  const { t } = useTexts();
  const scope = useOrganization();
  const draft = useDraft({
    initial: rowsOf(connection),
    serverFields: { roleMapping: 'rows' },
    check: ({ rows }) => ({
      rows: rows.some(({ claim, value, target }) => claim.trim() === '' || value.trim() === '' || target === '')
        ? t('fillEachLine')
        : undefined,
    }),
    send: ({ rows }) => tessera.updateConnection({ scope, id: connection.id, roleMapping: linesFrom(rows) }, { ifMatch: connection }),
    done: close,
  });
  const { rows } = draft.values;
  const put = (key: string, change: Partial<Row>) =>
    draft.set(
      'rows',
      rows.map((row) => (row.key === key ? { ...row, ...change } : row)),
    );
  const data = targets.map(({ grantId, label, roles }) => ({
    group: label,
    items: roles.map(({ id, name }) => ({ value: keyOf(grantId, id), label: name })),
  }));
  const { error } = draft.field('rows');
  const lines = linesFrom(rows);
  const [settled] = useDebouncedValue(rows, pauseMs);
  return (
    <FormDialog title={t('roleMapping')} draft={draft} submit={t('save')} close={close} size="xl">
      <Text size="sm">{t('editMappingText')}</Text>
      {rows.map(({ key, claim, value, target }, index) => (
        <fieldset key={key} className="mapping-line">
          <legend className="unseen">{t('lineNumber', { number: String(index + 1) })}</legend>
          <TextInput
            label={t('claimName')}
            placeholder="groups"
            value={claim}
            onChange={({ currentTarget }) => put(key, { claim: currentTarget.value })}
            autoComplete="off"
            spellCheck={false}
          />
          <TextInput
            label={t('claimValue')}
            value={value}
            onChange={({ currentTarget }) => put(key, { value: currentTarget.value })}
            autoComplete="off"
            spellCheck={false}
          />
          <Select
            label={t('givesRole')}
            data={data}
            value={target || null}
            onChange={(next) => put(key, { target: next ?? '' })}
            allowDeselect={false}
            searchable
          />
          <Button
            variant="default"
            aria-label={t('removeLine', { number: String(index + 1) })}
            onClick={() =>
              draft.set(
                'rows',
                rows.filter((row) => row.key !== key),
              )
            }
          >
            {t('remove')}
          </Button>
        </fieldset>
      ))}
      {error === undefined ? null : (
        <Text c="red" size="sm" role="alert">
          {error}
        </Text>
      )}
      <div>
        <Button variant="default" disabled={rows.length >= mostLines} onClick={() => draft.set('rows', [...rows, emptyRow()])}>
          {t('addLine')}
        </Button>
      </div>
      <PreviewOfSignIns {...{ connection, targets }} lines={linesFrom(settled)} />
      <PreviewOfTests {...{ connection, targets, lines }} />
    </FormDialog>
  );
}
