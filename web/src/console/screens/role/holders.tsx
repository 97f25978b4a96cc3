import { Button, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { tessera } from '../../../session/tessera.ts';
import { NavigationLink } from '../../base/link.tsx';
import { useRights } from '../../base/rights.ts';
import { type ProjectScope, pathOf, usePlaceHere, useRoleScope } from '../../base/scope.ts';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import { listPeople, usePersonLabel } from '../../parts/person/people.ts';
import { type Chosen, PeopleField } from '../../parts/person/people-field.tsx';
import { giveRole, useGivingScope } from './give.ts';
import type { Picture } from './plan.ts';

const mostNamed = 25;

/** Who has the role; in a project it can be given here. */
export function Holders({ role }: { readonly role: Picture['role'] }) {
  const { t, count } = useTexts();
  const scope = useRoleScope();
  const place = usePlaceHere();
  const rights = useRights();
  const { may } = rights;
  const labelOf = usePersonLabel();
  const givingScope = useGivingScope();
  const holders = useQuery({
    queryKey: ['console', 'role holders', scope, role.id],
    queryFn: async () => {
      const users = (await tessera.listRoles({ scope, ids: [role.id], relations: ['users'] })).items[0]?.users ?? [];
      const ids = users.slice(0, mostNamed).map(({ id }) => id);
      const people = ids.length === 0 ? [] : await peopleOf(ids);
      const labels = new Map(people.map((person) => [person.id, labelOf(person)]));
      return users.map(({ id, name }) => ({ id, label: labels.get(id) ?? name }));
    },
    enabled: may('User:Query'),
  });
  const peopleOf = async (ids: string[]) => (await listPeople({ scope, ids, limit: ids.length }, rights)).items;
  if (!may('User:Query') || holders.isPending) return null;
  const names = holders.data?.length ?? 0;
  const isOfMembers = scope.tenant === 'organization' && may('OrganizationMember:Update');
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('whoHasIt')}
      </Title>
      {holders.error ? (
        <Text>{t('tooManyHolders')}</Text>
      ) : (
        <Stack gap={4}>
          {holders.data.slice(0, mostNamed).map(({ id, label }) => (
            <Text key={id} className="wrap">
              {label}
            </Text>
          ))}
          {names === 0 ? <Text>{t('noHolders')}</Text> : null}
          {names > mostNamed ? <Text>{t('andMore', { count: count(names - mostNamed) })}</Text> : null}
        </Stack>
      )}
      {givingScope === undefined || role.isBuiltIn ? null : <Giving scope={givingScope} role={role} />}
      {isOfMembers ? <NavigationLink to={pathOf(place, 'members')}>{t('giveToMembers')}</NavigationLink> : null}
    </section>
  );
}

function Giving({ scope, role }: { readonly scope: ProjectScope; readonly role: Picture['role'] }) {
  const { t } = useTexts();
  const tell = useTell();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const [isPending, setPending] = useState(false);
  const give = async () => {
    setPending(true);
    const missed = await giveRole(scope, role.id, chosen);
    if (missed === undefined) tell(t('saved'));
    else tell(t('roleNotGiven', missed), 'failed');
    setChosen([]);
    setPending(false);
    await queries.invalidateQueries({ queryKey: ['console'] });
  };
  return (
    <>
      <PeopleField scope={scope} label={t('giveTo')} chosen={chosen} change={setChosen} />
      {chosen.length === 0 ? null : (
        <div className="actions">
          <Button loading={isPending} onClick={() => void give()}>
            {t('give')}
          </Button>
        </div>
      )}
    </>
  );
}
