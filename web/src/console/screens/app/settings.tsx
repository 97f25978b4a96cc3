import { Title } from '@mantine/core';
import { useTexts } from '../../base/words.ts';
import { useKeyRoleChoice } from '../../parts/form/roles.ts';
import { Facts } from '../../parts/list/facts.tsx';
import type { App } from './fields.ts';

/** What an app is set to. */
export function Settings({ app }: { readonly app: App }) {
  const { t } = useTexts();
  const roles = useKeyRoleChoice();
  const nameOf = (roleId: string) => roles.find(({ value }) => value === roleId)?.label ?? '–';
  const yes = (isSet: boolean) => t(isSet ? 'yes' : 'no');
  const isMachine = app.type === 'machine';
  const rows: readonly (readonly [label: string, value: string])[] = [
    ...(app.roleId === null ? [] : [[t('role'), nameOf(app.roleId)] as const]),
    ...(isMachine
      ? []
      : [
          [t('redirectUris'), app.redirectUris.join('\n') || '–'] as const,
          [t('scopes'), app.scopes.join(', ') || '–'] as const,
          [t('waysToSignIn'), app.enabledProviders.join(', ') || t('all')] as const,
          [t('allowSignUp'), yes(app.allowSignUp)] as const,
        ]),
    ...(app.type === null ? [] : ofClient(app)),
  ];
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('settings')}
      </Title>
      <Facts facts={rows} />
    </section>
  );

  function ofClient({ type, tokenEndpointAuthMethod, grantTypes, postLogoutRedirectUris, ...rest }: App) {
    const keys = rest.jwksUri ?? (rest.jwks === null ? undefined : t('keysCount', { count: String(rest.jwks.keys.length) }));
    return [
      [t('authMethod'), tokenEndpointAuthMethod ?? '–'] as const,
      ...(keys === undefined ? [] : [[t('jwks'), keys] as const]),
      [t('grantTypes'), grantTypes.join(', ')] as const,
      [t('dpopBound'), yes(rest.dpopBoundAccessTokens)] as const,
      [t('mayAct'), rest.mayAct.join('\n') || '–'] as const,
      ...(isMachine
        ? [[t('actsInGrants'), yes(rest.actsInGrants)] as const]
        : [
            [t('idTokenAlgorithm'), rest.idTokenSignedResponseAlg] as const,
            [t('postLogoutUris'), postLogoutRedirectUris.join('\n') || '–'] as const,
            [t('backchannelUri'), rest.backchannelLogoutUri ?? '–'] as const,
            [t('allowEmailCode'), yes(rest.allowEmailCode)] as const,
            [t('requireSecondFactor'), yes(rest.requireSecondFactor)] as const,
            ...(type === 'web' ? [[t('requirePkce'), yes(rest.requirePkce)] as const] : []),
            [t('isFirstParty'), yes(rest.isFirstParty)] as const,
            [t('allowOrganizationSignUp'), yes(rest.allowOrganizationSignUp)] as const,
          ]),
    ];
  }
}
