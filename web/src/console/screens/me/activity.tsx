import { tessera } from '../../../session/tessera.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Log } from '../../parts/audit/log.tsx';

export function Screen() {
  const { t } = useTexts();
  return (
    <>
      <Head title={t('activity')} text={t('activityText')} />
      <Log name="my audit events" label={t('activity')} load={(asked) => tessera.listMyAuditEvents(asked)} />
    </>
  );
}
