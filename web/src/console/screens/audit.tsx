import { tessera } from '../../session/tessera.ts';
import { useRights } from '../base/rights.ts';
import { useScope } from '../base/scope.ts';
import { Head } from '../base/states.tsx';
import { useTexts } from '../base/words.ts';
import { Export } from '../parts/audit/export.tsx';
import { Log } from '../parts/audit/log.tsx';

/** What happened in a place, for its Owners and Admins. */
export function Screen() {
  const { t } = useTexts();
  const scope = useScope();
  const { may } = useRights();
  return (
    <>
      <Head title={t('auditLog')} text={t('auditLogText')}>
        {may('AuditEvent:Export') ? <Export /> : null}
      </Head>
      <Log name="audit events" label={t('auditLog')} load={(asked) => tessera.listAuditEvents({ scope, ...asked })} />
    </>
  );
}
