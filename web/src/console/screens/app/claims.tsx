import { Autocomplete, Button, Select, Text, TextInput, Title } from '@mantine/core';
import { type ClaimPlace, claimPlaces, metadataSources, mostClaims, plainSources } from '@tessera/rules/claims';
import { Notice, Problem } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { useRights } from '../../base/rights.ts';
import { useProject } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import type { App } from './fields.ts';

/** What the tokens of an app say besides the standard claims, and what they had no room for. */
export function Claims({ app: { claims, leftOutClaims } }: { readonly app: App }) {
  const { t, when } = useTexts();
  const { may } = useRights();
  const dialog = useDialog();
  return (
    <section className="panel">
      <div className="panel-head">
        <Title order={2} size="h4">
          {t('appClaims')}
        </Title>
        {may('ProjectApp:Update') ? (
          <Button size="compact-sm" variant="default" onClick={() => dialog.open('claims')}>
            {t('editClaims')}
          </Button>
        ) : null}
      </div>
      <Text c="dimmed">{t(claims.length === 0 ? 'noAppClaims' : 'appClaimsText')}</Text>
      {leftOutClaims === null ? null : (
        <Notice>{t('claimsLeftOut', { names: leftOutClaims.names.join(', '), when: when(leftOutClaims.at) })}</Notice>
      )}
      {claims.length === 0 ? null : (
        <ul className="list" aria-label={t('appClaims')}>
          {claims.map(({ name, source, in: place }) => (
            <li key={`${place} ${name}`}>
              <span className="wrap">
                <code>{name}</code> = <code>{source}</code> · {t(`claimIn_${place}`)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

type Row = { readonly key: string; readonly name: string; readonly source: string; readonly place: ClaimPlace };
const emptyRow = (): Row => ({ key: crypto.randomUUID(), name: '', source: '', place: 'idToken' });

type EditProps = { readonly app: App; readonly close: () => void };

/** Lines of a name, where its value comes from, and where it is said. */
export function EditClaims({ app, close }: EditProps) {
  const { t } = useTexts();
  const scope = useProject();
  const draft = useDraft({
    initial: { rows: app.claims.map(({ name, source, in: place }, index): Row => ({ key: String(index), name, source, place })) },
    serverFields: { claims: 'rows' },
    check: ({ rows }) => ({
      rows: rows.some(({ name, source }) => name.trim() === '' || source.trim() === '') ? t('fillEachLine') : undefined,
    }),
    send: ({ rows }) => {
      const claims = rows.map(({ name, source, place }) => ({ name: name.trim(), source: source.trim(), in: place }));
      return tessera.updateProjectApp({ scope, id: app.id, claims }, { ifMatch: app });
    },
    done: close,
  });
  const { rows } = draft.values;
  const put = (key: string, change: Partial<Row>) =>
    draft.set(
      'rows',
      rows.map((row) => (row.key === key ? { ...row, ...change } : row)),
    );
  const { error } = draft.field('rows');
  return (
    <FormDialog title={t('appClaims')} draft={draft} submit={t('save')} close={close} size="xl">
      <Text size="sm">{t('editClaimsText')}</Text>
      {rows.map(({ key, name, source, place }, index) => (
        <fieldset key={key} className="mapping-line">
          <legend className="unseen">{t('lineNumber', { number: String(index + 1) })}</legend>
          <TextInput
            label={t('nameLabel')}
            placeholder="plan"
            value={name}
            onChange={({ currentTarget }) => put(key, { name: currentTarget.value })}
            autoComplete="off"
            spellCheck={false}
          />
          <Autocomplete
            label={t('claimSource')}
            placeholder="grant.metadata.plan"
            data={[...plainSources, ...metadataSources]}
            value={source}
            onChange={(next) => put(key, { source: next })}
            autoComplete="off"
            spellCheck={false}
          />
          <Select
            label={t('claimPlace')}
            data={claimPlaces.map((value) => ({ value, label: t(`claimIn_${value}`) }))}
            value={place}
            onChange={(next) => next && put(key, { place: next })}
            allowDeselect={false}
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
      {error === undefined ? null : <Problem>{error}</Problem>}
      <div>
        <Button variant="default" disabled={rows.length >= mostClaims} onClick={() => draft.set('rows', [...rows, emptyRow()])}>
          {t('addLine')}
        </Button>
      </div>
    </FormDialog>
  );
}
