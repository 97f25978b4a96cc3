import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAddress } from '../../base/address.ts';
import { type Kind, keyOf, oneself, type Subject, useFindByIds, useKinds } from './subject.tsx';

/** `user:0190…` of the address; oneself when the caller may not ask about that kind. */
function read(text: string | undefined, kinds: readonly Kind[], names: ReadonlyMap<string, string>): Subject {
  const [wanted = '', id = ''] = (text ?? '').split(':');
  const kind = kinds.find((one) => one === wanted);
  return kind === undefined ? oneself : { kind, id, name: names.get(id) ?? '' };
}

/** Whom the question is about, and whom they are compared with: kept in the address. */
export function useSubjects() {
  const kinds = useKinds();
  const { search, change } = useAddress();
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map());
  const { about, with: second } = search;
  const isOpen = kinds.length > 0;
  const wanted = [about, ...(second === undefined || !isOpen ? [] : [second])];
  const unnamed = wanted.map((text) => read(text, kinds, chosen));
  const { find, key } = useFindByIds();
  const missing = unnamed.filter((subject) => subject.kind !== 'self' && subject.id !== '' && subject.name === '');
  const found = useQuery({
    queryKey: ['console', 'subject names', key, missing.map(keyOf)],
    queryFn: () => find(missing),
    enabled: missing.length > 0,
  });
  const names = new Map([...(found.data ?? []), ...chosen]);
  const subjects = wanted.map((text) => read(text, kinds, names));
  const choose = (next: readonly Subject[]) => {
    setChosen(new Map([...names, ...next.flatMap((one) => (one.kind === 'self' ? [] : [[one.id, one.name] as const]))]));
    const [first = oneself, other] = next;
    change({ about: first.kind === 'self' ? undefined : keyOf(first), with: other && keyOf(other) });
  };
  return { subjects, choose };
}
