import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { tessera } from '../../../session/tessera.ts';
import { useAddress } from '../../base/address.ts';
import { Icon } from '../../base/icon.tsx';
import { useScope } from '../../base/scope.ts';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import { download } from '../form/secret.tsx';
import { filtersOf } from './log.tsx';

const formats = ['csv', 'ndjson'] as const;

/** What the filters show, as a file. The token is in memory only, so the file is fetched. */
export function Export() {
  const { t } = useTexts();
  const { tenant, id } = useScope();
  const { search: address } = useAddress();
  const tell = useTell();
  const [isPending, setPending] = useState(false);
  const write = async (format: (typeof formats)[number]) => {
    setPending(true);
    tell(t('exporting'));
    try {
      const filters = Object.entries(filtersOf(address)).map(([name, value]) => [name, String(value)]);
      const query = new URLSearchParams([['tenant', tenant], ['scopeId', id], ['format', format], ...filters]);
      // A file may end five seconds ago, so that a replica can make it.
      const headers = { authorization: `Bearer ${await tessera.session.token()}`, 'cache-control': 'max-stale=5' };
      const answer = await fetch(`/api/audit-events/export?${query}`, { headers });
      if (!answer.ok) throw new Error(String(answer.status));
      download(`audit-events.${format}`, await answer.text(), answer.headers.get('content-type') ?? 'text/plain');
    } catch {
      tell(t('broken'));
    } finally {
      setPending(false);
    }
  };
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="default" loading={isPending} leftSection={<Icon name="download" />}>
          {t('exportLog')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {formats.map((format) => (
          <Menu.Item key={format} onClick={() => void write(format)}>
            {t(format === 'csv' ? 'asCsv' : 'asNdjson')}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
