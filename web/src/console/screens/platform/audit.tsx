import { tessera } from '../../../session/tessera.ts';
import { useAddress } from '../../base/address.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { isId, Log } from '../../parts/audit/log.tsx';

/** What happened in the whole installation, or in the tenant that the address names. */
export function Screen() {
  const { t } = useTexts();
  const { search } = useAddress();
  const tenant = isId(search['tenant']) ? { tenantId: search['tenant'] } : {};
  return (
    <>
      <Head title={t('platformLog')} text={t('platformLogText')} />
      <Log
        name={`platform audit events ${tenant.tenantId ?? ''}`}
        label={t('platformLog')}
        load={(asked) => tessera.listPlatformAuditEvents({ ...asked, ...tenant })}
        isOfPlatform
      />
    </>
  );
}
