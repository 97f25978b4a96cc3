import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Input } from '@tessera/client';
import { useState } from 'react';
import { tessera } from '../../../session/tessera.ts';
import { type Rights, useRights, useRightsIn } from '../../base/rights.ts';
import { type ProjectScope, parentScopeOf, type Scope, usePlaceHere, useScope } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { listPeople, usePersonLabel, waysPermission } from '../../parts/person/people.ts';

export type Kind = Input<'findSubjects'>['subjectType'];
/** Whom a question is about; the name tells people apart. The id is empty until one is chosen. */
export type Subject = { readonly kind: 'self' } | { readonly kind: Kind; readonly id: string; readonly name: string };
export const oneself: Subject = { kind: 'self' };

const perSearch = 20;
const pauseMs = 250;

/** How the API names the subject: nothing stands for the caller. */
export function namedOf(subject: Subject): Pick<Input<'isAuthorized'>, 'subject'> {
  return subject.kind === 'self' ? {} : { subject: { type: subject.kind, id: subject.id } };
}
/** As it stands in the address. */
export function keyOf(subject: Subject): string {
  return subject.kind === 'self' ? subject.kind : `${subject.kind}:${subject.id}`;
}
export function isChosen(subject: Subject): boolean {
  return subject.kind === 'self' || subject.id !== '';
}
export function useNameOf() {
  const { t } = useTexts();
  return (subject: Subject) => (subject.kind === 'self' ? t('you') : subject.name || subject.id);
}

function projectOf({ tenant, id }: Scope): ProjectScope | undefined {
  return tenant === 'accountProject' || tenant === 'organizationProject' ? { tenant, id } : undefined;
}

type PeoplePlace = { readonly scope: Input<'listUsers'>['scope']; readonly rights: Rights };

/** Where the caller may list people: here, and among the members of the project's organization. */
function usePeopleScopes(): readonly PeoplePlace[] {
  const scope = useScope();
  const parent = parentScopeOf(usePlaceHere());
  const here = useRights();
  const above = useRightsIn(parent);
  const places = [
    { place: scope, rights: here },
    { place: parent, rights: above },
  ];
  const open = places.flatMap(({ place: { tenant, id }, rights }) =>
    tenant !== 'account' && rights.may('User:Query') ? [{ scope: { tenant, id }, rights }] : [],
  );
  const distinct = [...new Map(open.map((one) => [one.scope.id, one])).values()];
  // The last label of a person counts: the one with their address.
  return distinct.toSorted((one, other) => Number(one.rights.may(waysPermission)) - Number(other.rights.may(waysPermission)));
}

/** Kinds of subjects that exist here and that the caller may ask about and list. */
export function useKinds(): readonly Kind[] {
  const project = projectOf(useScope());
  const people = usePeopleScopes();
  const { may } = useRights();
  if (!may('Decision:Evaluate')) return [];
  const isListed = {
    user: people.length > 0,
    apiKey: project !== undefined && may('ApiKey:Query'),
    app: project !== undefined && may('ProjectApp:Query'),
  };
  return (['user', 'apiKey', 'app'] as const).filter((kind) => isListed[kind]);
}

type Asked = { readonly search?: string; readonly ids?: string[]; readonly limit?: number; readonly sortField?: 'name' };

/** Lists the subjects of a kind that the caller may ask about here. */
function useLoad() {
  const people = usePeopleScopes();
  const labelOf = usePersonLabel();
  const project = projectOf(useScope());
  const load = async (kind: Kind, asked: Asked): Promise<readonly { readonly id: string; readonly name: string }[]> => {
    if (kind === 'user') {
      const pages = await Promise.all(people.map(({ scope, rights }) => listPeople({ scope, ...asked }, rights)));
      return pages.flatMap(({ items }) => items.map((person) => ({ id: person.id, name: labelOf(person) })));
    }
    if (project === undefined) return [];
    if (kind === 'apiKey') return (await tessera.listApiKeys({ scope: project, ...asked })).items;
    return (await tessera.listProjectApps({ scope: project, ...asked })).items.filter(({ type }) => type === 'machine');
  };
  return { load, key: [people.map(({ scope, rights }) => [scope, rights.may(waysPermission)]), project] };
}

function useFound(kind: Kind, search: string) {
  const { load, key } = useLoad();
  const { data } = useQuery({
    queryKey: ['console', 'subjects', kind, key, search],
    queryFn: () => load(kind, { limit: perSearch, ...(search === '' ? {} : { search }), sortField: 'name' }),
    placeholderData: keepPreviousData,
  });
  return new Map((data ?? []).map(({ id, name }) => [id, name]));
}

/** The names of subjects of which only the ids are known: one request for each kind. */
export function useFindByIds() {
  const { load, key } = useLoad();
  const find = async (subjects: readonly Subject[]): Promise<ReadonlyMap<string, string>> => {
    const others = subjects.filter((one) => one.kind !== 'self');
    const kinds = [...Map.groupBy(others, ({ kind }) => kind)];
    const found = await Promise.all(kinds.map(([kind, all]) => load(kind, { ids: all.map(({ id }) => id), limit: all.length })));
    return new Map(found.flat().map(({ id, name }) => [id, name]));
  };
  return { find, key };
}

type FieldProps = {
  readonly label: string;
  readonly value: Subject;
  readonly error?: string | undefined;
  readonly onChange: (subject: Subject) => void;
};

/** Chooses oneself, or another subject by a search for its name. */
export function SubjectField({ label, value, error, onChange }: FieldProps) {
  const { t } = useTexts();
  const kinds = useKinds();
  return (
    <div className="subject">
      <Select
        label={label}
        size="sm"
        data={(['self', ...kinds] as const).map((kind) => ({ value: kind, label: t(`about_${kind}`) }))}
        value={value.kind}
        allowDeselect={false}
        onChange={(chosen) => {
          const kind = kinds.find((one) => one === chosen);
          onChange(kind === undefined ? oneself : { kind, id: '', name: '' });
        }}
      />
      {value.kind === 'self' ? null : <Which key={value.kind} value={value} error={error} onChange={onChange} />}
    </div>
  );
}

type WhichProps = Pick<FieldProps, 'error' | 'onChange'> & { readonly value: Exclude<Subject, { kind: 'self' }> };

function Which({ value: { kind, id, name }, error, onChange }: WhichProps) {
  const { t } = useTexts();
  const [typed, setTyped] = useState('');
  // A chosen name stands in the field; it is not what is searched for.
  const [search] = useDebouncedValue(typed === name ? '' : typed.trim(), pauseMs);
  const found = useFound(kind, search);
  if (id !== '') found.set(id, name || id);
  return (
    <Select
      label={t(`which_${kind}`)}
      placeholder={t('searchByName')}
      size="sm"
      data={[...found].map(([value, label]) => ({ value, label }))}
      filter={({ options }) => options}
      value={id === '' ? null : id}
      error={error}
      searchable
      onSearchChange={setTyped}
      nothingFoundMessage={t('nothingFound')}
      onChange={(chosen) => onChange({ kind, id: chosen ?? '', name: found.get(chosen ?? '') ?? '' })}
    />
  );
}
