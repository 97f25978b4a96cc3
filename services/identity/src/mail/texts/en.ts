import type { MailTexts } from './mail-texts.ts';

export const en: MailTexts = {
  frame: {
    copyLink: 'Or copy this address into your browser:',
    footer: 'This mail was sent by {product}.',
    footerFor: 'This mail was sent by {product} for "{brandName}".',
    stop: 'I do not want such mail',
  },
  mails: {
    'verify-email': {
      subject: 'Verify your email address',
      lines: ['Welcome to {product}. Please confirm that this address is yours.'],
      action: 'Verify address',
      ignore: 'If you did not register, you can ignore this message.',
    },
    'address-code': {
      subject: 'Your code for {product}: {code}',
      lines: [
        'The code is {code}. Enter it where you requested it; it works once, for 15 minutes. It shows that this address and the account "{accountName}" belong together.',
        'Never pass it on: nobody from {product} asks for it.',
      ],
      action: 'Open {product}',
      ignore:
        'If you did not request it, somebody has registered with your address. Enter the code nowhere; a new password ends all that they made.',
    },
    'sign-in-code': {
      subject: 'Your code to sign in: {code}',
      lines: [
        'The code is {code}. Enter it where you requested it, or use the button in the same browser; it works once, for ten minutes.',
        'It signs you in to {appName}.',
        '{unprovenAddress} is not confirmed in this account yet. The code confirms it. Entered without being signed in to the account, it ends what was made in it before: the password, other ways to sign in, second factors, sessions and keys. You can choose a new password after that, by "Forgot your password?" on the sign-in page. To keep everything, sign in with the password and confirm the address instead.',
        'It was requested from the address {ipAddress}. Never pass it on: nobody from {product} asks for it.',
      ],
      action: 'Sign in',
      ignore: 'If you did not want to sign in, ignore this message: without the code nobody gets in.',
    },
    'reset-password': {
      subject: 'Choose a new password',
      lines: ['A new password was requested for your account at {product}. The link works once and for a short time.'],
      action: 'Choose a new password',
      ignore: 'If it was not you, ignore this message: your password stays as it is.',
    },
    'verify-added-address': {
      subject: 'Should this address belong to another account?',
      lines: [
        'A person who is signed in to the account "{accountName}" ({accountAddress}) has added this address to it.',
        'If that account is yours, sign in to it and confirm the address. Then you can sign in to it with this address.',
      ],
      action: 'Confirm for this account',
      ignore: 'If you do not know the account, ignore this message. Nothing happens then.',
    },
    'reset-password-of-added-address': {
      subject: 'Choose a new password for the account "{accountName}"',
      lines: [
        'A new password was requested for the account "{accountName}" ({accountAddress}), to which this address was added later.',
        'Another person may sign in to that account by other means. Use the link only if the account is yours.',
      ],
      action: 'Choose a new password',
      ignore: 'If you do not know the account, ignore this message: its password stays as it is.',
    },
    invitation: {
      subject: 'You are invited to "{organizationName}"',
      lines: ['You have been invited to join "{organizationName}" at {product}.', 'Invited by: {inviterAddress}'],
      action: 'Accept the invitation',
      ignore: 'If you do not know "{organizationName}" or who invited you, ignore this message.',
    },
    'grant-offer': {
      subject: '"{organizationName}" offers you "{projectName}"',
      lines: [
        '"{organizationName}" offers the product "{projectName}" to your organization at {product}.',
        'Offered by: {inviterAddress}',
        'An Owner accepts it, for an organization that is here already or for a new one. The page shows what is offered first.',
      ],
      action: 'Look at the offer',
      ignore: 'If you do not know "{organizationName}" or who offers it, ignore this message. Nothing happens then.',
    },
    'grant-offered': {
      subject: '"{organizationName}" offers you "{projectName}"',
      lines: [
        '"{organizationName}" offers the product "{projectName}" to "{customerName}". An Owner of "{customerName}" may accept or decline it in the console.',
        'Until it is accepted, nothing changes.',
      ],
      action: 'Open the console',
      ignore: 'You receive this because you are an Owner of "{customerName}".',
    },
    'grant-accepted': {
      subject: '"{customerName}" has accepted "{projectName}"',
      lines: ['"{customerName}" has accepted your offer and uses "{projectName}" from now on.'],
      action: 'Open the console',
      ignore: 'You receive this because you are an Owner of "{organizationName}".',
    },
    'grant-signed-up': {
      subject: 'A new customer of "{projectName}"',
      lines: [
        'Somebody has signed up for "{projectName}" at one of your apps, and named the organization "{customerName}". It uses "{projectName}" from now on.',
        'You may suspend or end its use in the console. After twenty sign-ups in a day no further message comes that day.',
      ],
      action: 'Open the console',
      ignore: 'You receive this because you are an Owner of "{organizationName}".',
    },
    'grant-suspended': {
      subject: '"{projectName}" was suspended for "{customerName}"',
      lines: [
        '"{organizationName}" has suspended the use of "{projectName}". The people of "{customerName}" can do nothing in it until "{organizationName}" resumes it.',
        'The roles that you gave stay. The console shows the reason, if one was given; ask "{organizationName}" for the rest.',
      ],
      action: 'Open the console',
      ignore: 'You receive this because you are an Owner of "{customerName}".',
    },
    'grant-ended': {
      subject: '"{customerName}" does not use "{projectName}" any more',
      lines: [
        '"{organizationName}" has ended the use of "{projectName}" by "{customerName}". The people of "{customerName}" can do nothing in it any more.',
        'The roles that you gave are kept for thirty days, in case "{organizationName}" offers it again.',
      ],
      action: 'Open the console',
      ignore: 'You receive this because you are an Owner of "{customerName}".',
    },
    'grant-left': {
      subject: '"{customerName}" has left "{projectName}"',
      lines: ['An Owner of "{customerName}" has ended the use of "{projectName}". Its people can do nothing in it any more.'],
      action: 'Open the console',
      ignore: 'You receive this because you are an Owner of "{organizationName}".',
    },
    'grant-ended-with-project': {
      subject: '"{projectName}" was deleted',
      lines: [
        '"{organizationName}" has deleted "{projectName}", which "{customerName}" used. Nobody can do anything in it any more.',
        'Ask "{organizationName}" what takes its place.',
      ],
      action: 'Open the console',
      ignore: 'You receive this because you are an Owner of "{customerName}".',
    },
    'grant-ended-with-customer': {
      subject: 'Your customer "{customerName}" was deleted',
      lines: ['The organization "{customerName}", which used "{projectName}", was deleted. The grant has ended.'],
      action: 'Open the console',
      ignore: 'You receive this because you are an Owner of "{organizationName}".',
    },
    'grant-ended-with-owner': {
      subject: '"{projectName}" has ended with "{organizationName}"',
      lines: [
        'The organization "{organizationName}" was deleted, and with it "{projectName}", which "{customerName}" used. Nobody can do anything in it any more.',
      ],
      action: 'Open the console',
      ignore: 'You receive this because you are an Owner of "{customerName}".',
    },
    'magic-link': {
      subject: 'Sign in to "{appName}"',
      lines: ['Here is your link to sign in to "{appName}". It works once and for a short time.'],
      action: 'Sign in',
      ignore: 'If you did not want to sign in, ignore this message.',
    },
    'webhook-disabled': {
      subject: 'A webhook of "{scopeName}" was switched off',
      lines: [
        'The address {webhookUrl} has accepted nothing for three days, so the webhook of "{scopeName}" was switched off. It is sent nothing until you switch it on again.',
        'Its deliveries show what the address answered. After the cause is mended, send a test and switch the webhook on.',
      ],
      action: 'Open the webhook',
      ignore: 'You receive this because you are an owner of "{scopeName}".',
    },
    'webhook-unvouched': {
      subject: 'Who answers for a webhook of "{scopeName}"?',
      lines: [
        'Whoever directed the webhook to {webhookUrl} is no member of "{scopeName}" any more. It goes on until {until} and stops then, unless somebody who may read the audit log vouches for it.',
        'It sends what happens in "{scopeName}" to that address. Check the address first. If you do not know it, delete the webhook.',
      ],
      action: 'Open the webhook',
      ignore: 'You receive this because you are an owner of "{scopeName}".',
    },
    'webhook-stopped': {
      subject: 'A webhook of "{scopeName}" has stopped',
      lines: [
        'Nobody answers for the webhook to {webhookUrl} any more: the person who directed it may no longer read the audit log of "{scopeName}", or the API key or app that did it has ended. It is sent nothing.',
        'Check its address. If it should go on, vouch for it; what waits is sent then.',
      ],
      action: 'Open the webhook',
      ignore: 'You receive this because you are an owner of "{scopeName}".',
    },
    'domain-failing': {
      subject: 'The record of {domain} is missing',
      lines: [
        'The TXT record that proves {domain} for "{scopeName}" is not in its DNS any more. The domain is lost on {until}, unless the record is seen before; another organization may prove it then.',
        'Publish this TXT record again. Name: {recordName} Value: {recordValue}',
      ],
      action: 'Open the domains',
      ignore: 'If you gave the domain up, delete it there. You receive this because you are an owner of "{scopeName}".',
    },
    'domain-lost': {
      subject: '{domain} is lost',
      lines: [
        'The TXT record that proves {domain} for "{scopeName}" was not in its DNS for seven days. The domain is not proven any more, and another organization may prove it.',
        'If it is yours, publish this TXT record and verify the domain. Name: {recordName} Value: {recordValue}',
      ],
      action: 'Open the domains',
      ignore: 'You receive this because you are an owner of "{scopeName}".',
    },
    'connection-believed': {
      subject: 'The connection "{connectionName}" is believed more now',
      lines: [
        '"{personName}" has decided that existing accounts are linked to the connection "{connectionName}" by their address alone, or that more of its sign-ins count as a second factor. When: {at}.',
        'Who administers the provider of this connection can come in as a member of your organization. If this was not agreed, take it back.',
      ],
      action: 'Open the connection',
      ignore: 'You receive this because you are an Owner of the organization.',
    },
    'connection-changed': {
      subject: 'The connection "{connectionName}" was switched on or changed',
      lines: [
        '"{personName}" has switched on the connection "{connectionName}", or has replaced its client, its secret or its metadata. When: {at}.',
        'Whoever administers its provider lets people in to your organization. If this was not agreed, switch the connection off and look at the audit log.',
      ],
      action: 'Open the connection',
      ignore: 'You receive this because you are an Owner of the organization.',
    },
    'connection-keys-changed': {
      subject: 'The certificates or addresses of "{connectionName}" have changed',
      lines: [
        'The metadata of the connection "{connectionName}" was read again, and says other certificates or another address than before. Sign-ins use them from now on. When: {at}.',
        'Providers renew their certificates from time to time. If nobody at your provider knows of it, switch the connection off.',
      ],
      action: 'Open the connection',
      ignore: 'You receive this because you are an Owner of the organization.',
    },
    'connection-linked': {
      subject: 'Your account was linked to "{connectionName}"',
      lines: [
        'An organization has proven that the domain of {email} is its own. Its sign-in "{connectionName}" was linked to your account, and has just signed in. You were not asked, because the organization decides about its addresses.',
        'Such a sign-in opens that organization alone, until you confirm it with a way to sign in of your own.',
      ],
      action: 'Look at your account',
      ignore: 'If you do not want that, remove this way to sign in: it is not linked again without your word.',
    },
    'connection-break-glass': {
      subject: '"{personName}" has signed in to "{connectionName}" as an emergency Owner',
      lines: [
        '"{personName}" is one of the Owners who need not come by the connection "{connectionName}", and has just proven who they are with a second factor.',
        'When: {at}. Network address: {ipAddress}.',
        'If nobody knows of an emergency, take the name out of the connection, end the sessions of this person, and look at the audit log.',
      ],
      action: 'Open the connection',
      ignore: 'You receive this because you are an Owner of the organization.',
    },
    'connection-enforced': {
      subject: 'Members have to come by "{connectionName}" now',
      lines: [
        '"{personName}" has decided that the members of your organization have to sign in by the connection "{connectionName}". When: {at}.',
        'In other sessions the organization answers that the connection is required. Owners who are named for emergencies get in with their second factor.',
      ],
      action: 'Open the connection',
      ignore: 'You receive this because you are an Owner of the organization.',
    },
    'connection-not-enforced': {
      subject: 'Members need not come by "{connectionName}" any more',
      lines: [
        '"{personName}" has ended that the members of your organization have to sign in by the connection "{connectionName}". When: {at}.',
        'They may sign in in their own ways now. If this was not agreed, switch it on again.',
      ],
      action: 'Open the connection',
      ignore: 'You receive this because you are an Owner of the organization.',
    },
    'set-up-link': {
      subject: 'Set up the sign-in of "{organizationName}"',
      lines: [
        '"{maker}" asks you to connect the identity provider of "{organizationName}" with {product}.',
        'You prove the domains of your organization and enter your provider. You need no account. The link works in one browser, for seven days.',
      ],
      action: 'Set up the sign-in',
      ignore:
        'If you do not know "{organizationName}" or whoever asks, ignore this message. Do not pass it on: whoever has the link can use it.',
    },
    'set-up-finished': {
      subject: 'The sign-in of your organization was set up by a link',
      lines: [
        'Whoever had the set-up link says that the set-up is done. When: {at}.',
        'Connection: "{connectionName}". It is a draft: look at it, then switch it on. Nobody signs in by it before.',
        'Proven domains: {proven}. Not proven yet: {unproven}.',
        'A token for {directory} was made. It does nothing until an Owner gives the service account "{directory}" the role Provisioning.',
      ],
      action: 'Look at it',
      ignore:
        'You receive this because you are an Owner of the organization. If you do not know these domains or this provider, delete them.',
    },
    'directory-joined': {
      subject: 'You are a member of "{organizationName}"',
      lines: [
        'The directory of "{organizationName}" has made your account at {product} a member of the organization, because your address is in a domain of it.',
        'Your profile, your password and your second factors stay yours. You can leave the organization in your account.',
      ],
      action: 'Open {product}',
      ignore: 'If you do not know "{organizationName}", leave it there.',
    },
    'service-account-elevated': {
      subject: 'A service account of "{scopeName}" may do what needs a fresh sign-in',
      lines: [
        '{maker} has given the service account "{accountName}" of "{scopeName}" operations for which people must have just signed in: {elevated}.',
        'It keeps them when its maker leaves. Check that somebody needs it. If you do not know it, delete it.',
      ],
      action: 'Open {product}',
      ignore: 'You receive this because you are an owner of "{scopeName}".',
    },
    'directory-token-ends': {
      subject: 'The directory token …{lastFour} of "{organizationName}" ends on {day}',
      lines: [
        'The directory of "{organizationName}" signs in with the token …{lastFour} of the service account "{accountName}". It ends on {day}: from then on nobody is taken in or out.',
        'Make a second token now, enter it in your directory, and remove this one. Both are good until then.',
      ],
      action: 'Open the service account',
      ignore: 'You get this mail because you are an Owner of the organization.',
    },
    'service-account-stays': {
      subject: 'The service account "{accountName}" of "{organizationName}" stays',
      lines: [
        '"{maker}" has left "{organizationName}", and had made the service account "{accountName}" there, or a credential of it. It stays, with these roles: "{roles}".',
        'Credentials that "{maker}" made for it: {credentials}.',
        'Its secrets work as before, and "{maker}" may know one. Check whether it is needed: rotate its secrets, or delete it.',
        'Further service accounts there that "{maker}" had a part in, and that no mail names: {more}. Look through the list.',
      ],
      action: 'Open the service account',
      ignore: 'You receive this because you are an owner of "{organizationName}".',
    },
    'service-account-maker-demoted': {
      subject: 'The service account "{accountName}" of "{organizationName}" stays as it is',
      lines: [
        '"{maker}" has lost a role in "{organizationName}", and had made the service account "{accountName}" there, or a credential of it. It stays, with these roles: "{roles}".',
        'Credentials that "{maker}" made for it: {credentials}.',
        'Its secrets work as before, and "{maker}" may know one. Check whether it is needed: rotate its secrets, take roles from it, or delete it.',
        'Further service accounts there that "{maker}" had a part in, and that no mail names: {more}. Look through the list.',
      ],
      action: 'Open the service account',
      ignore: 'You receive this because you are an owner of "{organizationName}".',
    },
    'service-account-maker-blocked': {
      subject: 'The service account "{accountName}" of "{organizationName}" stays as it is',
      lines: [
        '"{maker}" is blocked in "{organizationName}", and had made the service account "{accountName}" there, or a credential of it. It stays, with these roles: "{roles}".',
        'Credentials that "{maker}" made for it: {credentials}.',
        'Its secrets work as before, and "{maker}" may know one. Check whether it is needed: rotate its secrets, take roles from it, or delete it.',
        'Further service accounts there that "{maker}" had a part in, and that no mail names: {more}. Look through the list.',
      ],
      action: 'Open the service account',
      ignore: 'You receive this because you are an owner of "{organizationName}".',
    },
    'support-requested': {
      subject: 'Support of "{projectName}" asks to act as "{personName}"',
      lines: [
        '"{supporterName}" ({supporterAddress}) of the support of "{projectName}" asks to act as "{personName}" in "{organizationName}", for {minutes} minutes.',
        'They wrote: "{reason}"',
        'Nothing happens until an Owner or Admin of "{organizationName}" allows it, unless an Owner has allowed the support of "{projectName}" to begin without asking. Refuse it if nobody of you has asked for help.',
      ],
      action: 'See the request',
      ignore: 'You receive this because it is about your account, or because you may allow it.',
    },
    'support-allowed': {
      subject: 'You may act as "{personName}" of "{organizationName}"',
      lines: [
        '"{organizationName}" lets "{supporterName}" ({supporterAddress}) act as "{personName}", for {minutes} minutes from the beginning. It lapses after four hours if nobody begins.',
        'Reason: "{reason}"',
      ],
      action: 'See the access',
      ignore: 'You receive this because you asked for it, or because it is about your account.',
    },
    'support-started': {
      subject: '"{supporterName}" now acts as "{personName}"',
      lines: [
        '"{supporterName}" ({supporterAddress}) of the support of "{projectName}" has begun to act as "{personName}" in "{organizationName}", for {minutes} minutes at most.',
        'Reason: "{reason}"',
        'You see there what is done, and end it with one click.',
      ],
      action: 'See it, or end it',
      ignore: 'You receive this because it is about your account, or because you have allowed it.',
    },
    'support-ended': {
      subject: '"{supporterName}" no longer acts as "{personName}"',
      lines: [
        '"{supporterName}" ({supporterAddress}) of the support of "{projectName}" has stopped acting as "{personName}" in "{organizationName}". What was done is in the audit log.',
        'Reason: "{reason}"',
      ],
      action: 'See what was done',
      ignore: 'You receive this because it is about your account, or because you had allowed it.',
    },
    'method-added': {
      subject: 'A new way to sign in to your account',
      lines: ['A way to sign in was added to your account: {provider}.'],
      action: 'Look at your account',
      ignore: 'If it was you, there is nothing to do. If not, another person is signed in as you: remove it and end your sessions.',
    },
    'program-signed-in': {
      subject: 'A program was signed in to your account',
      lines: [
        '{program} was signed in as you on {at}, from the address {ipAddress}. It can do everything that you may do, until you end its session.',
      ],
      action: 'Look at your sessions',
      ignore: 'If it was you, there is nothing to do. If not, end this session and choose a new password.',
    },
    'password-changed': {
      subject: 'The password of your account was changed',
      lines: ['The password of your account was changed on {at}, from the address {ipAddress} with {program}.'],
      action: 'Reset the password',
      ignore: 'If it was you, there is nothing to do. If not, reset the password: that ends all sessions.',
    },
    'account-blocked': {
      subject: 'Your account was blocked',
      lines: [
        'The operator of {product} has blocked your account. Your sessions have ended, nobody can sign in to it, and programs that act for you are refused.',
      ],
      action: 'Go to {product}',
      ignore: 'If you think that this is a mistake, ask the operator. Nothing was deleted.',
    },
    'account-unblocked': {
      subject: 'Your account is open again',
      lines: ['The operator of {product} has unblocked your account. You can sign in again; what was signed in before stays signed out.'],
      action: 'Sign in',
      ignore: 'There is nothing else to do.',
    },
    'factor-added': {
      subject: 'A second factor was added to your account',
      lines: ['A second factor was added to your account: {kind}.'],
      action: 'Look at your account',
      ignore:
        'If it was you, there is nothing to do. If not, another person is signed in as you: choose a new password and end your sessions.',
    },
    'factor-removed': {
      subject: 'A second factor of your account was removed',
      lines: ['A second factor was removed from your account: {kind}.'],
      action: 'Look at your account',
      ignore:
        'If it was you, there is nothing to do. If not, another person is signed in as you: choose a new password and end your sessions.',
    },
    'recovery-codes-renewed': {
      subject: 'New recovery codes for your account',
      lines: ['New recovery codes were made for your account. The old ones do not work any more.'],
      action: 'Look at your account',
      ignore:
        'If it was you, there is nothing to do. If not, another person is signed in as you: choose a new password and end your sessions.',
    },
    'recovery-code-used': {
      subject: 'A recovery code of your account was used',
      lines: ['A recovery code was used to sign in to your account.'],
      action: 'Look at your account',
      ignore:
        'If it was you, there is nothing to do. If not, another person is signed in as you: choose a new password and end your sessions.',
    },
    'passkey-copied': {
      subject: 'A passkey of your account may have been copied',
      lines: ['A passkey of your account was refused: its counter went back, as that of a copy does.'],
      action: 'Look at your account',
      ignore:
        'If it was you, there is nothing to do. If not, another person is signed in as you: choose a new password and end your sessions.',
    },
    'factors-removed': {
      subject: 'The second factors of your account were removed',
      lines: ['The waiting time is over, and all second factors and recovery codes of your account were removed.'],
      action: 'Look at your account',
      ignore:
        'If it was you, there is nothing to do. If not, another person is signed in as you: choose a new password and end your sessions.',
    },
    'recovery-started': {
      subject: 'Your account is being recovered',
      lines: [
        'A person who knows your password says that all second factors of your account are lost.',
        'They can be removed on {dueAt}. Until then you get a mail every day.',
      ],
      action: 'Sign in and stop it',
      ignore: 'If it was not you, sign in now: any sign-in stops it. Then choose a new password.',
    },
    'recovery-waiting': {
      subject: 'Your account is still being recovered',
      lines: ['The second factors of your account can be removed on {dueAt}.'],
      action: 'Sign in and stop it',
      ignore: 'If it was not you, sign in now: any sign-in stops it. Then choose a new password.',
    },
    'recovery-ready': {
      subject: 'You can recover your account now',
      lines: [
        'The waiting time is over. With this link you remove all second factors of your account; then you sign in with your password alone.',
      ],
      action: 'Remove the second factors',
      ignore: 'If it was not you, sign in now: any sign-in stops it. Then choose a new password.',
    },
    'sign-in-locked': {
      subject: 'Failed sign-ins to your account',
      lines: [
        'A client at the address {ipAddress} sent {failures} wrong passwords for your account.',
        'Passwords from that address are refused for {minutes} minutes. From elsewhere you can sign in as before.',
      ],
      action: 'Look at your account',
      ignore: 'If it was you, wait or choose a new password. If not, there is nothing to do: your password is not known.',
    },
    'method-removed': {
      subject: 'A way to sign in to your account was removed',
      lines: ['A way to sign in was removed from your account: {provider}.'],
      action: 'Look at your account',
      ignore: 'If it was you, there is nothing to do. If not, another person is signed in as you: end your sessions.',
    },
    'mail-text-test': {
      subject: 'A test of a mail text',
      lines: ['This is a test. The text is not there any more.'],
      action: 'Open the console',
      ignore: 'You receive this because you have sent a test to yourself. The link leads to the console.',
    },
  },
};
