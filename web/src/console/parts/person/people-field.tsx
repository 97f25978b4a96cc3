import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Icon } from '../../base/icon.tsx';
import { useRights } from '../../base/rights.ts';
import type { ProjectScope } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';
import { listPeople, usePersonLabel } from './people.ts';

const perSearch = 20;
const pauseMs = 250;

/** A person, and the name that tells them apart. */
export type Chosen = { readonly id: string; readonly label: string };

type PeopleFieldProps = {
  readonly scope: ProjectScope;
  readonly label: string;
  readonly chosen: readonly Chosen[];
  readonly change: (chosen: readonly Chosen[]) => void;
};

/** Chooses people of a project one by one, by a search for their names. */
export function PeopleField({ scope, label, chosen, change }: PeopleFieldProps) {
  const { t } = useTexts();
  const rights = useRights();
  const labelOf = usePersonLabel();
  const [typed, setTyped] = useState('');
  // A name that was just chosen is not what is searched for.
  const isName = chosen.some((one) => one.label === typed);
  const [search] = useDebouncedValue(isName ? '' : typed.trim(), pauseMs);
  const { data = [] } = useQuery({
    queryKey: ['console', 'people to choose', scope, search],
    queryFn: async () => {
      const { items } = await listPeople({ scope, limit: perSearch, sortField: 'name', ...(search === '' ? {} : { search }) }, rights);
      return items.map((person) => ({ id: person.id, label: labelOf(person) }));
    },
    placeholderData: keepPreviousData,
  });
  const others = data.filter(({ id }) => chosen.every((one) => one.id !== id));
  return (
    <div className="people-field">
      <Select
        // Empty again for the next one.
        key={chosen.length}
        label={label}
        placeholder={t('searchByName')}
        data={others.map((one) => ({ value: one.id, label: one.label }))}
        filter={({ options }) => options}
        value={null}
        searchable
        onSearchChange={setTyped}
        nothingFoundMessage={t('nothingFound')}
        onChange={(id) => {
          const person = others.find((one) => one.id === id);
          if (person !== undefined) change([...chosen, person]);
        }}
      />
      {chosen.length === 0 ? null : (
        <ul className="plain-list chosen-people" aria-label={label}>
          {chosen.map(({ id, label: name }) => (
            <li key={id} className="chosen wrap">
              {name}
              <button
                type="button"
                className="plain"
                aria-label={t('leaveOut', { name })}
                onClick={() => change(chosen.filter((one) => one.id !== id))}
              >
                <Icon name="cross" size={14} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
