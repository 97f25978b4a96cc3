export type { Asked, Authorized } from './decisions.ts';
export { OrganizationSwitcher, type OrganizationSwitcherProps } from './organization-switcher.ts';
export { type OrganizationChoice, TesseraProvider, type TesseraProviderProps, useOrganization, useTessera } from './provider.ts';
export { SignInButton, type SignInButtonProps } from './sign-in-button.ts';
export { useAuthorized, useForgetDecisions } from './use-authorized.ts';
export { type ReactSession, useSession } from './use-session.ts';
