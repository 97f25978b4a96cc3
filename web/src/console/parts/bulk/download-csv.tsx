import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../../../parts/form.ts';
import { Icon } from '../../base/icon.tsx';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import { download } from '../form/secret.tsx';
import { type CsvColumn, csvOf } from './csv.ts';
import { mostRows, readAll } from './read-all.ts';

/** A list as a file: its name, and what of each item stands in it. */
export type Csv<Item> = { readonly file: string; readonly columns: readonly CsvColumn<Item>[] };
type DownloadCsvProps<Item> = Csv<Item> & {
  readonly read: (page: number, limit: number) => Promise<{ readonly items: readonly Item[]; readonly totalCount: number }>;
};
type Far = { readonly done: number; readonly all: number; readonly until?: Date | undefined };

/** A list as it is narrowed and sorted now, all pages of it, as a file that is made here. */
export function DownloadCsv<Item extends { readonly id: string }>({ file, columns, read }: DownloadCsvProps<Item>) {
  const { t, count, language } = useTexts();
  const tell = useTell();
  const [far, setFar] = useState<Far>();
  const current = useRef<AbortController>(undefined);
  useEffect(() => () => current.current?.abort(), []);

  async function write(): Promise<void> {
    if (current.current !== undefined) return;
    const stop = new AbortController();
    current.current = stop;
    setFar({ done: 0, all: 0 });
    try {
      const result = await readAll<Item>({
        read,
        signal: stop.signal,
        report: (done, all) => setFar({ done, all }),
        wait: (until) => setFar((now) => now && { ...now, until }),
      });
      if (result === undefined) return tell(t('csvStopped'), 'failed');
      const { items, totalCount } = result;
      download(`${file}.csv`, csvOf(columns, items), 'text/csv;charset=utf-8');
      if (totalCount > mostRows) tell(t('csvCut', { most: count(mostRows), all: count(totalCount) }), 'failed');
      else tell(t('csvDone', { count: count(items.length) }));
    } catch (error) {
      tell(stop.signal.aborted ? t('csvStopped') : messageOf(error), 'failed');
    } finally {
      current.current = undefined;
      setFar(undefined);
    }
  }

  // The same button, so that the keyboard stays where it is; a double click begins only.
  return (
    <>
      {far === undefined || far.all === 0 ? null : (
        <span className="unbroken">
          {far.until === undefined
            ? t('rowsRead', { done: count(far.done), all: count(far.all) })
            : t('waitsUntil', { time: far.until.toLocaleTimeString(language, { timeStyle: 'medium' }) })}
        </span>
      )}
      <Button
        variant="default"
        size="sm"
        leftSection={<Icon name={far === undefined ? 'download' : 'cross'} size={16} />}
        onClick={({ detail }) => {
          if (far === undefined) void write();
          else if (detail < 2) current.current?.abort();
        }}
      >
        {t(far === undefined ? 'downloadCsv' : 'stop')}
      </Button>
    </>
  );
}
