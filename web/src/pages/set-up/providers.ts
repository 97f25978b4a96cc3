/** Providers with instructions of their own, by the names that they have. */
export const providers = { entra: 'Microsoft Entra', okta: 'Okta', google: 'Google', other: '' } as const;
export type Provider = keyof typeof providers;

export const kinds = { Oidc: 'OpenID Connect', Saml: 'SAML 2.0' } as const;
export type Kind = keyof typeof kinds;

type Fields = { readonly redirect: string } | { readonly entity: string; readonly acs: string };

/** What the fields are called in the provider's own form, which is in English. */
export const fieldsOf: Readonly<Record<Provider, Readonly<Record<Kind, { readonly form: string } & Fields>>>> = {
  entra: {
    Oidc: { form: 'Register an application', redirect: 'Redirect URI (Web)' },
    Saml: { form: 'Basic SAML Configuration', entity: 'Identifier (Entity ID)', acs: 'Reply URL (ACS URL)' },
  },
  okta: {
    Oidc: { form: 'New Web App Integration', redirect: 'Sign-in redirect URIs' },
    Saml: { form: 'Create SAML Integration', entity: 'Audience URI (SP Entity ID)', acs: 'Single sign-on URL' },
  },
  google: {
    Oidc: { form: 'Create OAuth client ID', redirect: 'Authorized redirect URIs' },
    Saml: { form: 'Service provider details', entity: 'Entity ID', acs: 'ACS URL' },
  },
  other: {
    Oidc: { form: 'Client', redirect: 'redirect_uris' },
    Saml: { form: 'Service provider', entity: 'entityID', acs: 'AssertionConsumerService' },
  },
};
