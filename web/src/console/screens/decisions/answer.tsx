import { Text, Title } from '@mantine/core';
import type { Output } from '@tessera/client';
import { Icon } from '../../base/icon.tsx';
import { useTexts } from '../../base/words.ts';
import { Comparisons } from '../../parts/condition/comparisons.tsx';

export type Decision = Output<'isAuthorized'>;
type Explanation = NonNullable<Decision['explanation']>;
type Path = Explanation['paths'][number];

/** Yes or no, every way to it with the values compared, and what would have to change. */
export function Answer({ who, decision }: { readonly who: string; readonly decision: Decision }) {
  const { t } = useTexts();
  const { authorized, reason, explanation, evaluatedContext } = decision;
  const paths = explanation?.paths ?? [];
  return (
    <article className="answer" data-authorized={authorized} aria-label={who}>
      <Text c="dimmed" size="sm" className="wrap">
        {who}
      </Text>
      <Title order={2} size="h3">
        {t(authorized ? 'yes' : 'no')}
      </Title>
      <Text>{t(reason)}</Text>
      {explanation && !authorized ? <Changes explanation={explanation} /> : null}
      {paths.length === 0 ? null : (
        <>
          <Title order={3} size="h6" mt="sm">
            {t('paths')}
          </Title>
          <ul className="paths">
            {paths.map((path, index) => (
              <PathItem key={index} path={path} />
            ))}
          </ul>
        </>
      )}
      {evaluatedContext === null ? null : (
        <details>
          <summary>{t('allThatWasRead')}</summary>
          <pre>{JSON.stringify(evaluatedContext, null, 2)}</pre>
        </details>
      )}
    </article>
  );
}

function PathItem({ path: { permission, condition, holds, comparisons } }: { readonly path: Path }) {
  const { t } = useTexts();
  const steps = [
    { label: t('role'), name: permission.role.name },
    { label: t('wayGroup'), name: permission.group?.name },
    { label: t('wayPermission'), name: permission.name },
  ].filter(({ name }) => name !== undefined);
  return (
    <li>
      <p className="way">
        {steps.map(({ label, name }) => (
          <span key={label} className="way-step">
            <span className="way-kind">{label}</span> <code>{name}</code> <Icon name="right" size={14} />
          </span>
        ))}
        <span className="verdict" data-holds={holds}>
          {t(condition === null ? 'noCondition' : holds ? 'conditionMet' : 'conditionNotMet')}
        </span>
      </p>
      {condition === null ? null : <Comparisons comparisons={comparisons} />}
    </li>
  );
}

function Changes({ explanation: { changes, moreRoles } }: { readonly explanation: Explanation }) {
  const { t, count } = useTexts();
  return (
    <>
      <Title order={3} size="h6" mt="sm">
        {t('wouldChange')}
      </Title>
      {changes.length > 1 ? (
        <Text size="sm" c="dimmed">
          {t('anyOne')}
        </Text>
      ) : null}
      <ul className="changes">
        {changes.map(({ kind, role, permission }) => (
          <li key={`${kind} ${role?.id} ${permission}`}>
            {t(kind === 'giveRole' && role === null ? 'change_giveSomeRole' : `change_${kind}`, {
              role: role?.name ?? '',
              permission: permission ?? '',
            })}
          </li>
        ))}
        {moreRoles > 0 ? <li>{t('andMore', { count: count(moreRoles) })}</li> : null}
      </ul>
    </>
  );
}
