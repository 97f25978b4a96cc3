import { Checkbox } from '@mantine/core';
import { tessera } from '../../session/tessera.ts';
import { useTexts } from '../base/words.ts';

/** The person's sessions with the latest use: the current one is among them. */
export async function readSessions() {
  return (await tessera.listMySessions({ limit: 100 })).items;
}

type EndGrantedProps = { readonly count: number; readonly checked: boolean; readonly change: (isChecked: boolean) => void };

/** Whether the sessions end, too, that an ending session granted to programs. */
export function EndGranted({ count, checked, change }: EndGrantedProps) {
  const texts = useTexts();
  const label = count === 1 ? texts.t('endGrantedOne') : texts.t('endGrantedMany', { count: texts.count(count) });
  return <Checkbox label={label} checked={checked} onChange={({ currentTarget }) => change(currentTarget.checked)} />;
}
