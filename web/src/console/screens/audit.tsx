import { tessera } from '../../session/tessera.ts';
import { Export } from '../audit/export.tsx';
import { Log } from '../audit/log.tsx';
import { useScope } from '../shell/scope.ts';
import { Head } from '../shell/states.tsx';
import { useTexts } from '../shell/words.ts';

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
