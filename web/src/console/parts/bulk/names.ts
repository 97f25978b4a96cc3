import { useTexts } from '../../base/words.ts';

const mostNamed = 5;

/** The first names of several, and how many more there are. */
export function useNames(): (names: readonly string[]) => string {
  const { t, count } = useTexts();
  return (names) => {
    const first = names.slice(0, mostNamed).join(', ');
    return names.length > mostNamed ? `${first} ${t('andMore', { count: count(names.length - mostNamed) })}` : first;
  };
}
