import { tessera } from '../../../session/tessera.ts';
import { Log } from '../../audit/log.tsx';
import { Head } from '../../shell/states.tsx';
import { useTexts } from '../../shell/words.ts';

export function Screen() {
  const { t } = useTexts();
  return (
    <>
      <Head title={t('activity')} text={t('activityText')} />
      <Log name="my audit events" label={t('activity')} load={(asked) => tessera.listMyAuditEvents(asked)} />
    </>
  );
}
