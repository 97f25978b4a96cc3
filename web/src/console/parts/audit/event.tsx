import { Badge, Button, Text } from '@mantine/core';
import type { Change } from '../../base/address.ts';
import { deviceOf } from '../../base/device.ts';
import { Modal } from '../../base/modal.tsx';
import { useTexts } from '../../base/words.ts';
import { tenantIdOf } from './tenant.tsx';
import { actionInWords, actorInWords, type Event } from './words.ts';

export function Outcome({ outcome }: { readonly outcome: Event['outcome'] }) {
  const { t } = useTexts();
  // Dark enough for their text in both themes.
  const color = { ok: 'gray', refused: 'red.9', failed: 'grape.9' }[outcome];
  return (
    <Badge variant={outcome === 'ok' ? 'light' : 'filled'} color={color} className={`outcome ${outcome}`}>
      {t(`outcome_${outcome}`)}
    </Badge>
  );
}

function Value({ value }: { readonly value: unknown }) {
  const { t } = useTexts();
  if (value === null || value === undefined || value === '') return <Text c="dimmed">{t('nothingBefore')}</Text>;
  return <code className="value">{typeof value === 'string' ? value : JSON.stringify(value, null, 1)}</code>;
}

type Shown = {
  readonly event: Event;
  readonly sentence: string;
  readonly change: Change;
  readonly close: () => void;
  readonly isOfPlatform: boolean;
};

/** One event in full: what changed, from where, and its link in the chain. */
export function Details({ event, sentence, change, close, isOfPlatform }: Shown) {
  const { t, when } = useTexts();
  const { action, actor, target, scope, reason, ipAddress, userAgent, requestId, hash, at, changes } = event;
  const facts: readonly (readonly [string, string | null])[] = [
    [t('time'), when(at)],
    [t('actionName'), action],
    [t('actor'), [actorInWords(event), actor.id].filter(Boolean).join(' ')],
    [t('reason'), reason],
    [t('target'), target.type === null ? null : `${target.type} ${target.name ?? ''} ${target.id ?? ''}`],
    [t('address'), ipAddress],
    [t('device'), userAgent === null ? null : deviceOf(userAgent)],
    [t('requestId'), requestId],
    [t('seal'), hash ?? t('notSealed')],
  ];
  const only = (changes: Readonly<Record<string, string>>) => change({ ...changes, do: undefined, id: undefined });
  return (
    <Modal opened onClose={close} size="lg" title={actionInWords(action)} closeButtonProps={{ 'aria-label': t('close') }}>
      <div className="event">
        <p>
          <Outcome outcome={event.outcome} /> {sentence}
        </p>
        {changes.length === 0 ? (
          <Text c="dimmed">{t('noFields')}</Text>
        ) : (
          <table className="rows">
            <caption className="unseen">{t('changedFields')}</caption>
            <thead>
              <tr>
                <th scope="col">{t('field')}</th>
                <th scope="col">{t('before')}</th>
                <th scope="col">{t('after')}</th>
              </tr>
            </thead>
            <tbody>
              {changes.map(({ field, before, after }) => (
                <tr key={field}>
                  <th scope="row">{field}</th>
                  <td data-label={t('before')}>
                    <Value value={before} />
                  </td>
                  <td data-label={t('after')}>
                    <Value value={after} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <dl>
          {facts.map(([label, value]) =>
            value === null ? null : (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ),
          )}
        </dl>
        <div className="dialog-end">
          {actor.id === null ? null : (
            <Button variant="default" onClick={() => only({ actor: actor.id ?? '' })}>
              {t('onlyActor')}
            </Button>
          )}
          {target.id === null ? null : (
            <Button variant="default" onClick={() => only({ target: target.id ?? '' })}>
              {t('onlyTarget')}
            </Button>
          )}
          {isOfPlatform && scope !== null ? (
            <Button variant="default" onClick={() => only({ tenant: tenantIdOf(scope) })}>
              {t('onlyTenant')}
            </Button>
          ) : null}
        </div>
      </div>
    </Modal>
  );
}
