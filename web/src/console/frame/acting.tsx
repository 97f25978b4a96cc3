import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { leaveActing } from '../../session/acting.ts';
import { acting, ownTessera, tessera } from '../../session/tessera.ts';
import { Icon } from '../base/icon.tsx';
import { useMe } from '../base/me.tsx';
import { useTexts } from '../base/words.ts';

const askEveryMs = 10_000;

/** On every page while a supporter acts: as whom, until when, and the button that ends it. */
export function ActingBanner() {
  const { t, when } = useTexts();
  const { support, user } = useMe();
  const [isEnding, setEnding] = useState(false);
  const until = support?.until;
  useEffect(() => {
    const access = acting;
    if (access === undefined || until === undefined) return undefined;
    // An end from elsewhere shows at once, also in a tab that nobody touches.
    const asking = setInterval(() => void tessera.getMe().catch(() => undefined), askEveryMs);
    const over = setTimeout(() => leaveActing(access), Math.max(0, Date.parse(until) - Date.now()));
    return () => {
      clearInterval(asking);
      clearTimeout(over);
    };
  }, [until]);
  const access = acting;
  if (support === null || access === undefined) return null;
  const end = async () => {
    setEnding(true);
    await ownTessera.endMySupportAccess({ id: support.id }).catch(() => undefined);
    leaveActing(access);
  };
  return (
    <section className="acting" aria-label={t('actingLabel')}>
      <Icon name="people" />
      <p className="wrap">
        <strong>{t('actingAs', { name: user.name })}</strong>{' '}
        {t(support.mayWrite ? 'actingWrites' : 'actingReads', {
          supporter: support.supporter.name ?? '–',
          until: when(support.until),
        })}
      </p>
      <Button size="compact-sm" variant="white" color="dark" loading={isEnding} onClick={() => void end()}>
        {t('endActing')}
      </Button>
    </section>
  );
}
