import { tessera } from '../../session/tessera.ts';
import { useScope } from '../base/scope.ts';
import { Head } from '../base/states.tsx';
import { useTexts } from '../base/words.ts';
import { Export } from '../parts/audit/export.tsx';
import { Log } from '../parts/audit/log.tsx';

/** What happened in a place, for its Owners and Admins. */
export function Screen() {
  const { t } = useTexts();
  const scope = useScope();
  return (
    <>
      <Head title={t('auditLog')} text={t('auditLogText')}>
        <Export />
      </Head>
      <Log name="audit events" label={t('auditLog')} load={(asked) => tessera.listAuditEvents({ scope, ...asked })} />
    </>
  );
}
