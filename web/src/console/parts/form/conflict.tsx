import { Button } from '@mantine/core';
import { type Key, useTexts } from '../../base/words.ts';

const labels: Readonly<Record<string, Key>> = {
  name: 'nameLabel',
  description: 'description',
  slug: 'slug',
  color: 'color',
  metadata: 'metadata',
  groupIds: 'groups',
  ticked: 'roleGives',
  permissionIds: 'permissions',
  roleIds: 'projectRoles',
  roleId: 'role',
  tagIds: 'tags',
  primaryTagId: 'primaryTag',
  memberMetadata: 'memberMetadata',
  resourceId: 'resource',
  action: 'action',
  condition: 'condition',
  actions: 'resourceActions',
  isActive: 'isActive',
  redirectUris: 'redirectUris',
  scopes: 'scopes',
  signUpRoleId: 'signUpRole',
  enabledProviders: 'waysToSignIn',
  allowSignUp: 'allowSignUp',
  isFirstParty: 'isFirstParty',
  jwks: 'jwks',
  jwksUri: 'jwksUri',
  requireSecondFactor: 'requireSecondFactor',
  requirePkce: 'requirePkce',
  actsInGrants: 'actsInGrants',
  dpopBoundAccessTokens: 'dpopBound',
  idTokenSignedResponseAlg: 'idTokenAlgorithm',
  allowOrganizationSignUp: 'allowOrganizationSignUp',
  allowEmailCode: 'allowEmailCode',
  grantTypes: 'grantTypes',
  tokenEndpointAuthMethod: 'authMethod',
  postLogoutRedirectUris: 'postLogoutUris',
  backchannelLogoutUri: 'backchannelUri',
  members: 'members',
  projects: 'projects',
  apiKeys: 'apiKeys',
  requestsPerMinute: 'requestsPerMinute',
  minutes: 'longestAge',
  url: 'webhookUrl',
  eventTypes: 'events',
  outcomes: 'outcomesLabel',
  allowClientMetadataDocuments: 'allowDocuments',
  clientDomains: 'documentHosts',
  clientScopes: 'documentScopes',
  primary: 'brandPrimary',
  background: 'brandBackground',
  termsUrl: 'brandTerms',
  privacyUrl: 'brandPrivacy',
  supportEmail: 'brandSupport',
  subject: 'mailSubject',
  body: 'mailBody',
};

type Other = {
  readonly conflict: { readonly fields: readonly string[]; readonly before: object; readonly theirs: object; readonly mine: object };
  readonly names: readonly { readonly value: string; readonly label: string }[];
  readonly settle: (choice: 'theirs' | 'mine') => Promise<void>;
};

/** Two people have changed the same thing: what it was, what the other made of it, what is typed here. */
export function Conflict({ conflict: { fields, before, theirs, mine }, names, settle }: Other) {
  const { t } = useTexts();
  const shown = (values: object, field: string): string => {
    const value: unknown = Reflect.get(values, field);
    if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
    const named = (Array.isArray(value) ? value : [value ?? '']).map(
      (one) => names.find((name) => name.value === one)?.label ?? String(one),
    );
    return named.join(', ') || '–';
  };
  return (
    <section role="alert" aria-labelledby="conflict" className="conflict">
      <strong id="conflict">{t('changedMeanwhile')}</strong>
      <p>{t('changedMeanwhileText')}</p>
      {fields.map((field) => (
        <dl key={field} aria-label={labelOf(field)}>
          <dt>{labelOf(field)}</dt>
          <dd data-side="before">
            <span>{t('sideBefore')}</span>
            <del>{shown(before, field)}</del>
          </dd>
          <dd data-side="theirs">
            <span>{t('sideTheirs')}</span>
            <ins>{shown(theirs, field)}</ins>
          </dd>
          <dd data-side="mine">
            <span>{t('sideMine')}</span>
            <strong>{shown(mine, field)}</strong>
          </dd>
        </dl>
      ))}
      <div className="dialog-end">
        <Button variant="default" onClick={() => void settle('theirs')}>
          {t('takeTheirs')}
        </Button>
        <Button variant="default" onClick={() => void settle('mine')}>
          {t('keepMine')}
        </Button>
      </div>
    </section>
  );

  function labelOf(field: string): string {
    const key = labels[field];
    return key === undefined ? (names.find(({ value }) => value === field)?.label ?? field) : t(key);
  }
}
