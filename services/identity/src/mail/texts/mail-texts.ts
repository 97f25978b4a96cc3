/** The mails, with the page that the link of each leads to. */
export const paths = {
  'verify-email': '/auth/verify-email',
  'address-code': '/',
  'sign-in-code': '/auth/email-code',
  'reset-password': '/auth/reset-password',
  'verify-added-address': '/auth/verify-email',
  'reset-password-of-added-address': '/auth/reset-password',
  invitation: '/invitations/accept',
  'grant-offer': '/grants/accept',
  'grant-offered': '/console',
  'grant-accepted': '/console',
  'grant-signed-up': '/console',
  'grant-suspended': '/console',
  'grant-ended': '/console',
  'grant-left': '/console',
  'grant-ended-with-project': '/console',
  'grant-ended-with-customer': '/console',
  'grant-ended-with-owner': '/console',
  'magic-link': '/auth/project/email',
  'webhook-disabled': '/',
  'webhook-unvouched': '/',
  'webhook-stopped': '/',
  'domain-failing': '/',
  'domain-lost': '/',
  'connection-believed': '/console',
  'connection-break-glass': '/console',
  'connection-changed': '/console',
  'connection-keys-changed': '/console',
  'connection-linked': '/',
  'connection-enforced': '/console',
  'connection-not-enforced': '/console',
  'set-up-link': '/set-up',
  'set-up-finished': '/console',
  'directory-joined': '/',
  'service-account-elevated': '/',
  'directory-token-ends': '/console',
  'service-account-stays': '/console',
  'service-account-maker-demoted': '/console',
  'service-account-maker-blocked': '/console',
  'support-requested': '/console',
  'support-allowed': '/console',
  'support-started': '/console',
  'support-ended': '/console',
  'method-added': '/',
  'program-signed-in': '/',
  'password-changed': '/',
  'account-blocked': '/',
  'account-unblocked': '/auth/sign-in',
  'factor-added': '/',
  'factor-removed': '/',
  'recovery-codes-renewed': '/',
  'recovery-code-used': '/',
  'passkey-copied': '/',
  'factors-removed': '/',
  'recovery-started': '/auth/sign-in',
  'recovery-waiting': '/auth/sign-in',
  'recovery-ready': '/auth/recovery',
  'sign-in-locked': '/',
  'method-removed': '/',
  'mail-text-test': '/console',
} as const;

export type MailName = keyof typeof paths;

type Text = { readonly subject: string; readonly lines: readonly string[]; readonly action: string; readonly ignore: string };

/**
 * What is said in one language; `{name}` is filled from the mail's data, `{product}` from the
 * configuration. Every mail has one link; an invitation or offer has a second one, which stops
 * such mails.
 */
export type MailTexts = {
  /** Around every mail. */
  readonly frame: { readonly copyLink: string; readonly footer: string; readonly footerFor: string; readonly stop: string };
  readonly mails: Readonly<Record<MailName, Text>>;
};
