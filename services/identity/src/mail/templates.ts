import type { Language } from '@tessera/kernel/errors';
import { cutText } from '@tessera/kernel/operation';
import { layout } from './generated/layout.ts';

type Text = { readonly subject: string; readonly lines: readonly string[]; readonly action: string; readonly ignore: string };
type Template = { readonly path: string; readonly texts: Readonly<Record<Language, Text>> };

/**
 * What is said in each mail; `{name}` is filled from the mail's data, `{product}` from the
 * configuration. Every mail has one link; an
 * invitation has a second one, which stops such mails.
 */
const templates: Readonly<Record<string, Template>> = {
  'verify-email': {
    path: '/auth/verify-email',
    texts: {
      en: {
        subject: 'Verify your email address',
        lines: ['Welcome to {product}. Please confirm that this address is yours.'],
        action: 'Verify address',
        ignore: 'If you did not register, you can ignore this message.',
      },
      de: {
        subject: 'Bitte bestätigen Sie Ihre E-Mail-Adresse',
        lines: ['Willkommen bei {product}. Bitte bestätigen Sie, dass diese Adresse Ihnen gehört.'],
        action: 'Adresse bestätigen',
        ignore: 'Wenn Sie sich nicht registriert haben, können Sie diese Nachricht ignorieren.',
      },
    },
  },
  'address-code': {
    path: '/',
    texts: {
      en: {
        subject: 'Your code for {product}: {code}',
        lines: [
          'The code is {code}. Enter it where you requested it; it works once, for 15 minutes. It shows that this address and the account "{accountName}" belong together.',
          'Never pass it on: nobody from {product} asks for it.',
        ],
        action: 'Open {product}',
        ignore:
          'If you did not request it, somebody has registered with your address. Enter the code nowhere; a new password ends all that they made.',
      },
      de: {
        subject: 'Ihr Code für {product}: {code}',
        lines: [
          'Der Code lautet {code}. Geben Sie ihn dort ein, wo Sie ihn angefordert haben; er gilt einmal und 15 Minuten lang. Er zeigt, dass diese Adresse und das Konto „{accountName}“ zusammengehören.',
          'Geben Sie ihn nie weiter: Niemand von {product} fragt danach.',
        ],
        action: '{product} öffnen',
        ignore:
          'Wenn Sie ihn nicht angefordert haben, hat sich jemand mit Ihrer Adresse registriert. Geben Sie den Code nirgends ein; ein neues Passwort beendet alles, was dort angelegt wurde.',
      },
    },
  },
  'reset-password': {
    path: '/auth/reset-password',
    texts: {
      en: {
        subject: 'Choose a new password',
        lines: ['A new password was requested for your account at {product}. The link works once and for a short time.'],
        action: 'Choose a new password',
        ignore: 'If it was not you, ignore this message: your password stays as it is.',
      },
      de: {
        subject: 'Neues Passwort wählen',
        lines: ['Für Ihr Konto bei {product} wurde ein neues Passwort angefordert. Der Link gilt einmal und für kurze Zeit.'],
        action: 'Neues Passwort wählen',
        ignore: 'Wenn Sie es nicht waren, ignorieren Sie diese Nachricht: Ihr Passwort bleibt, wie es ist.',
      },
    },
  },
  'verify-added-address': {
    path: '/auth/verify-email',
    texts: {
      en: {
        subject: 'Should this address belong to another account?',
        lines: [
          'A person who is signed in to the account "{accountName}" ({accountAddress}) has added this address to it.',
          'If that account is yours, sign in to it and confirm the address. Then you can sign in to it with this address.',
        ],
        action: 'Confirm for this account',
        ignore: 'If you do not know the account, ignore this message. Nothing happens then.',
      },
      de: {
        subject: 'Soll diese Adresse zu einem anderen Konto gehören?',
        lines: [
          'Eine Person, die beim Konto „{accountName}“ ({accountAddress}) angemeldet ist, hat ihm diese Adresse hinzugefügt.',
          'Wenn dieses Konto Ihnen gehört, melden Sie sich dort an und bestätigen Sie die Adresse. Danach können Sie sich auch mit ihr anmelden.',
        ],
        action: 'Für dieses Konto bestätigen',
        ignore: 'Wenn Sie das Konto nicht kennen, ignorieren Sie diese Nachricht. Dann geschieht nichts.',
      },
    },
  },
  'reset-password-of-added-address': {
    path: '/auth/reset-password',
    texts: {
      en: {
        subject: 'Choose a new password for the account "{accountName}"',
        lines: [
          'A new password was requested for the account "{accountName}" ({accountAddress}), to which this address was added later.',
          'Another person may sign in to that account by other means. Use the link only if the account is yours.',
        ],
        action: 'Choose a new password',
        ignore: 'If you do not know the account, ignore this message: its password stays as it is.',
      },
      de: {
        subject: 'Neues Passwort für das Konto „{accountName}“ wählen',
        lines: [
          'Für das Konto „{accountName}“ ({accountAddress}), dem diese Adresse später hinzugefügt wurde, wurde ein neues Passwort angefordert.',
          'Bei diesem Konto meldet sich vielleicht eine andere Person auf anderem Weg an. Benutzen Sie den Link nur, wenn das Konto Ihnen gehört.',
        ],
        action: 'Neues Passwort wählen',
        ignore: 'Wenn Sie das Konto nicht kennen, ignorieren Sie diese Nachricht: Sein Passwort bleibt, wie es ist.',
      },
    },
  },
  invitation: {
    path: '/invitations/accept',
    texts: {
      en: {
        subject: 'You are invited to "{organizationName}"',
        lines: ['You have been invited to join "{organizationName}" at {product}.', 'Invited by: {inviterAddress}'],
        action: 'Accept the invitation',
        ignore: 'If you do not know "{organizationName}" or who invited you, ignore this message.',
      },
      de: {
        subject: 'Einladung zu „{organizationName}“',
        lines: ['Sie wurden eingeladen, „{organizationName}“ bei {product} beizutreten.', 'Eingeladen von: {inviterAddress}'],
        action: 'Einladung annehmen',
        ignore: 'Wenn Sie „{organizationName}“ oder die einladende Person nicht kennen, ignorieren Sie diese Nachricht.',
      },
    },
  },
  'magic-link': {
    path: '/auth/project/email',
    texts: {
      en: {
        subject: 'Sign in to "{appName}"',
        lines: ['Here is your link to sign in to "{appName}". It works once and for a short time.'],
        action: 'Sign in',
        ignore: 'If you did not want to sign in, ignore this message.',
      },
      de: {
        subject: 'Anmelden bei „{appName}“',
        lines: ['Hier ist Ihr Link, um sich bei „{appName}“ anzumelden. Er gilt einmal und für kurze Zeit.'],
        action: 'Anmelden',
        ignore: 'Wenn Sie sich nicht anmelden wollten, ignorieren Sie diese Nachricht.',
      },
    },
  },
  'webhook-disabled': {
    path: '/',
    texts: {
      en: {
        subject: 'A webhook of "{scopeName}" was switched off',
        lines: [
          'The address {webhookUrl} has accepted nothing for three days, so the webhook of "{scopeName}" was switched off. It is sent nothing until you switch it on again.',
          'Its deliveries show what the address answered. After the cause is mended, send a test and switch the webhook on.',
        ],
        action: 'Open the webhook',
        ignore: 'You receive this because you are an owner of "{scopeName}".',
      },
      de: {
        subject: 'Ein Webhook von „{scopeName}“ wurde abgeschaltet',
        lines: [
          'Die Adresse {webhookUrl} hat drei Tage lang nichts angenommen. Deshalb wurde der Webhook von „{scopeName}“ abgeschaltet. Er bekommt nichts mehr, bis Sie ihn wieder einschalten.',
          'Seine Zustellungen zeigen, was die Adresse geantwortet hat. Ist die Ursache behoben, senden Sie einen Test und schalten Sie den Webhook wieder ein.',
        ],
        action: 'Webhook öffnen',
        ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{scopeName}“ sind.',
      },
    },
  },
  'webhook-unvouched': {
    path: '/',
    texts: {
      en: {
        subject: 'Who answers for a webhook of "{scopeName}"?',
        lines: [
          'Whoever directed the webhook to {webhookUrl} is no member of "{scopeName}" any more. It goes on until {until} and stops then, unless somebody who may read the audit log vouches for it.',
          'It sends what happens in "{scopeName}" to that address. Check the address first. If you do not know it, delete the webhook.',
        ],
        action: 'Open the webhook',
        ignore: 'You receive this because you are an owner of "{scopeName}".',
      },
      de: {
        subject: 'Wer steht für einen Webhook von „{scopeName}“ ein?',
        lines: [
          'Wer den Webhook an {webhookUrl} eingerichtet hat, ist kein Mitglied von „{scopeName}“ mehr. Er läuft bis {until} weiter und hält dann an, wenn nicht jemand, der das Audit-Log lesen darf, für ihn einsteht.',
          'Er sendet an diese Adresse, was in „{scopeName}“ geschieht. Prüfen Sie zuerst die Adresse. Kennen Sie sie nicht, löschen Sie den Webhook.',
        ],
        action: 'Webhook öffnen',
        ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{scopeName}“ sind.',
      },
    },
  },
  'webhook-stopped': {
    path: '/',
    texts: {
      en: {
        subject: 'A webhook of "{scopeName}" has stopped',
        lines: [
          'Nobody answers for the webhook to {webhookUrl} any more: the person who directed it may no longer read the audit log of "{scopeName}", or the API key or app that did it has ended. It is sent nothing.',
          'Check its address. If it should go on, vouch for it; what waits is sent then.',
        ],
        action: 'Open the webhook',
        ignore: 'You receive this because you are an owner of "{scopeName}".',
      },
      de: {
        subject: 'Ein Webhook von „{scopeName}“ hat angehalten',
        lines: [
          'Für den Webhook an {webhookUrl} steht niemand mehr ein: Wer ihn eingerichtet hat, darf das Audit-Log von „{scopeName}“ nicht mehr lesen, oder der API-Key oder die App dafür ist beendet. Er bekommt nichts mehr.',
          'Prüfen Sie seine Adresse. Soll er weiterlaufen, stehen Sie für ihn ein; dann wird gesendet, was wartet.',
        ],
        action: 'Webhook öffnen',
        ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{scopeName}“ sind.',
      },
    },
  },
  'method-added': {
    path: '/',
    texts: {
      en: {
        subject: 'A new way to sign in to your account',
        lines: ['A way to sign in was added to your account: {provider}.'],
        action: 'Look at your account',
        ignore: 'If it was you, there is nothing to do. If not, another person is signed in as you: remove it and end your sessions.',
      },
      de: {
        subject: 'Eine neue Anmeldemöglichkeit für Ihr Konto',
        lines: ['Ihrem Konto wurde eine Anmeldemöglichkeit hinzugefügt: {provider}.'],
        action: 'Konto ansehen',
        ignore:
          'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, ist jemand anders als Sie angemeldet: Entfernen Sie sie und beenden Sie Ihre Sitzungen.',
      },
    },
  },
  'program-signed-in': {
    path: '/',
    texts: {
      en: {
        subject: 'A program was signed in to your account',
        lines: [
          '{program} was signed in as you on {at}, from the address {ipAddress}. It can do everything that you may do, until you end its session.',
        ],
        action: 'Look at your sessions',
        ignore: 'If it was you, there is nothing to do. If not, end this session and choose a new password.',
      },
      de: {
        subject: 'Ein Programm wurde an Ihrem Konto angemeldet',
        lines: [
          '{program} wurde am {at} von der Adresse {ipAddress} als Sie angemeldet. Es darf alles, was Sie dürfen, bis Sie seine Sitzung beenden.',
        ],
        action: 'Sitzungen ansehen',
        ignore: 'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, beenden Sie diese Sitzung und wählen Sie ein neues Passwort.',
      },
    },
  },
  'password-changed': {
    path: '/',
    texts: {
      en: {
        subject: 'The password of your account was changed',
        lines: ['The password of your account was changed on {at}, from the address {ipAddress} with {program}.'],
        action: 'Reset the password',
        ignore: 'If it was you, there is nothing to do. If not, reset the password: that ends all sessions.',
      },
      de: {
        subject: 'Das Passwort Ihres Kontos wurde geändert',
        lines: ['Das Passwort Ihres Kontos wurde am {at} von der Adresse {ipAddress} mit {program} geändert.'],
        action: 'Passwort zurücksetzen',
        ignore: 'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, setzen Sie das Passwort zurück: Das beendet alle Sitzungen.',
      },
    },
  },
  'factor-added': {
    path: '/',
    texts: {
      en: {
        subject: 'A second factor was added to your account',
        lines: ['A second factor was added to your account: {kind}.'],
        action: 'Look at your account',
        ignore:
          'If it was you, there is nothing to do. If not, another person is signed in as you: choose a new password and end your sessions.',
      },
      de: {
        subject: 'Ihrem Konto wurde ein zweiter Faktor hinzugefügt',
        lines: ['Ihrem Konto wurde ein zweiter Faktor hinzugefügt: {kind}.'],
        action: 'Konto ansehen',
        ignore:
          'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, ist jemand anders als Sie angemeldet: Wählen Sie ein neues Passwort und beenden Sie Ihre Sitzungen.',
      },
    },
  },
  'factor-removed': {
    path: '/',
    texts: {
      en: {
        subject: 'A second factor of your account was removed',
        lines: ['A second factor was removed from your account: {kind}.'],
        action: 'Look at your account',
        ignore:
          'If it was you, there is nothing to do. If not, another person is signed in as you: choose a new password and end your sessions.',
      },
      de: {
        subject: 'Ein zweiter Faktor Ihres Kontos wurde entfernt',
        lines: ['Aus Ihrem Konto wurde ein zweiter Faktor entfernt: {kind}.'],
        action: 'Konto ansehen',
        ignore:
          'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, ist jemand anders als Sie angemeldet: Wählen Sie ein neues Passwort und beenden Sie Ihre Sitzungen.',
      },
    },
  },
  'recovery-codes-renewed': {
    path: '/',
    texts: {
      en: {
        subject: 'New recovery codes for your account',
        lines: ['New recovery codes were made for your account. The old ones do not work any more.'],
        action: 'Look at your account',
        ignore:
          'If it was you, there is nothing to do. If not, another person is signed in as you: choose a new password and end your sessions.',
      },
      de: {
        subject: 'Neue Wiederherstellungscodes für Ihr Konto',
        lines: ['Für Ihr Konto wurden neue Wiederherstellungscodes erzeugt. Die alten gelten nicht mehr.'],
        action: 'Konto ansehen',
        ignore:
          'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, ist jemand anders als Sie angemeldet: Wählen Sie ein neues Passwort und beenden Sie Ihre Sitzungen.',
      },
    },
  },
  'recovery-code-used': {
    path: '/',
    texts: {
      en: {
        subject: 'A recovery code of your account was used',
        lines: ['A recovery code was used to sign in to your account.'],
        action: 'Look at your account',
        ignore:
          'If it was you, there is nothing to do. If not, another person is signed in as you: choose a new password and end your sessions.',
      },
      de: {
        subject: 'Ein Wiederherstellungscode Ihres Kontos wurde verwendet',
        lines: ['Mit einem Wiederherstellungscode wurde bei Ihrem Konto angemeldet.'],
        action: 'Konto ansehen',
        ignore:
          'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, ist jemand anders als Sie angemeldet: Wählen Sie ein neues Passwort und beenden Sie Ihre Sitzungen.',
      },
    },
  },
  'passkey-copied': {
    path: '/',
    texts: {
      en: {
        subject: 'A passkey of your account may have been copied',
        lines: ['A passkey of your account was refused: its counter went back, as that of a copy does.'],
        action: 'Look at your account',
        ignore:
          'If it was you, there is nothing to do. If not, another person is signed in as you: choose a new password and end your sessions.',
      },
      de: {
        subject: 'Ein Passkey Ihres Kontos wurde vielleicht kopiert',
        lines: ['Ein Passkey Ihres Kontos wurde abgelehnt: Sein Zähler ging zurück, wie bei einer Kopie.'],
        action: 'Konto ansehen',
        ignore:
          'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, ist jemand anders als Sie angemeldet: Wählen Sie ein neues Passwort und beenden Sie Ihre Sitzungen.',
      },
    },
  },
  'factors-removed': {
    path: '/',
    texts: {
      en: {
        subject: 'The second factors of your account were removed',
        lines: ['The waiting time is over, and all second factors and recovery codes of your account were removed.'],
        action: 'Look at your account',
        ignore:
          'If it was you, there is nothing to do. If not, another person is signed in as you: choose a new password and end your sessions.',
      },
      de: {
        subject: 'Die zweiten Faktoren Ihres Kontos wurden entfernt',
        lines: ['Die Wartezeit ist vorbei, und alle zweiten Faktoren und Wiederherstellungscodes Ihres Kontos wurden entfernt.'],
        action: 'Konto ansehen',
        ignore:
          'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, ist jemand anders als Sie angemeldet: Wählen Sie ein neues Passwort und beenden Sie Ihre Sitzungen.',
      },
    },
  },
  'recovery-started': {
    path: '/auth/sign-in',
    texts: {
      en: {
        subject: 'Your account is being recovered',
        lines: [
          'A person who knows your password says that all second factors of your account are lost.',
          'They can be removed on {dueAt}. Until then you get a mail every day.',
        ],
        action: 'Sign in and stop it',
        ignore: 'If it was not you, sign in now: any sign-in stops it. Then choose a new password.',
      },
      de: {
        subject: 'Ihr Konto wird wiederhergestellt',
        lines: [
          'Eine Person, die Ihr Passwort kennt, sagt, dass alle zweiten Faktoren Ihres Kontos verloren sind.',
          'Sie können am {dueAt} entfernt werden. Bis dahin bekommen Sie täglich eine E-Mail.',
        ],
        action: 'Anmelden und beenden',
        ignore: 'Wenn Sie es nicht waren, melden Sie sich jetzt an: Jede Anmeldung beendet es. Wählen Sie dann ein neues Passwort.',
      },
    },
  },
  'recovery-waiting': {
    path: '/auth/sign-in',
    texts: {
      en: {
        subject: 'Your account is still being recovered',
        lines: ['The second factors of your account can be removed on {dueAt}.'],
        action: 'Sign in and stop it',
        ignore: 'If it was not you, sign in now: any sign-in stops it. Then choose a new password.',
      },
      de: {
        subject: 'Ihr Konto wird weiterhin wiederhergestellt',
        lines: ['Die zweiten Faktoren Ihres Kontos können am {dueAt} entfernt werden.'],
        action: 'Anmelden und beenden',
        ignore: 'Wenn Sie es nicht waren, melden Sie sich jetzt an: Jede Anmeldung beendet es. Wählen Sie dann ein neues Passwort.',
      },
    },
  },
  'recovery-ready': {
    path: '/auth/recovery',
    texts: {
      en: {
        subject: 'You can recover your account now',
        lines: [
          'The waiting time is over. With this link you remove all second factors of your account; then you sign in with your password alone.',
        ],
        action: 'Remove the second factors',
        ignore: 'If it was not you, sign in now: any sign-in stops it. Then choose a new password.',
      },
      de: {
        subject: 'Sie können Ihr Konto jetzt wiederherstellen',
        lines: [
          'Die Wartezeit ist vorbei. Mit diesem Link entfernen Sie alle zweiten Faktoren Ihres Kontos; danach melden Sie sich mit dem Passwort allein an.',
        ],
        action: 'Zweite Faktoren entfernen',
        ignore: 'Wenn Sie es nicht waren, melden Sie sich jetzt an: Jede Anmeldung beendet es. Wählen Sie dann ein neues Passwort.',
      },
    },
  },
  'sign-in-locked': {
    path: '/',
    texts: {
      en: {
        subject: 'Failed sign-ins to your account',
        lines: [
          'A client at the address {ipAddress} sent {failures} wrong passwords for your account.',
          'Passwords from that address are refused for {minutes} minutes. From elsewhere you can sign in as before.',
        ],
        action: 'Look at your account',
        ignore: 'If it was you, wait or choose a new password. If not, there is nothing to do: your password is not known.',
      },
      de: {
        subject: 'Fehlgeschlagene Anmeldungen bei Ihrem Konto',
        lines: [
          'Von der Adresse {ipAddress} kamen {failures} falsche Passwörter für Ihr Konto.',
          'Passwörter von dieser Adresse werden {minutes} Minuten lang abgelehnt. Von anderswo können Sie sich wie bisher anmelden.',
        ],
        action: 'Konto ansehen',
        ignore:
          'Wenn Sie es waren, warten Sie oder wählen Sie ein neues Passwort. Wenn nicht, ist nichts zu tun: Ihr Passwort ist nicht bekannt.',
      },
    },
  },
  'method-removed': {
    path: '/',
    texts: {
      en: {
        subject: 'A way to sign in to your account was removed',
        lines: ['A way to sign in was removed from your account: {provider}.'],
        action: 'Look at your account',
        ignore: 'If it was you, there is nothing to do. If not, another person is signed in as you: end your sessions.',
      },
      de: {
        subject: 'Eine Anmeldemöglichkeit Ihres Kontos wurde entfernt',
        lines: ['Aus Ihrem Konto wurde eine Anmeldemöglichkeit entfernt: {provider}.'],
        action: 'Konto ansehen',
        ignore: 'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, ist jemand anders als Sie angemeldet: Beenden Sie Ihre Sitzungen.',
      },
    },
  },
};

export type MailData = Readonly<Record<string, unknown>> & { readonly token: string };
export type Rendered = {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly data: MailData & { readonly url: string };
};

/** The names of all mails. */
export const templateNames: readonly string[] = Object.keys(templates);

export function isTemplate(name: string): boolean {
  return Object.hasOwn(templates, name);
}

/** Around every mail. */
const frame: Readonly<Record<Language, { readonly copyLink: string; readonly footer: string; readonly stop: string }>> = {
  en: {
    copyLink: 'Or copy this address into your browser:',
    footer: 'This mail was sent by {product}.',
    stop: 'I do not want such mail',
  },
  de: {
    copyLink: 'Oder kopieren Sie diese Adresse in Ihren Browser:',
    footer: 'Diese E-Mail wurde von {product} gesendet.',
    stop: 'Ich möchte solche E-Mails nicht',
  },
};

/** Name and colour of this installation. */
export type Brand = { readonly name: string; readonly color: string };

/** The link is the data's own `url`, or the frontend's page with the token. */
export function render(name: string, chosen: string, data: MailData, frontendUrl: string, brand: Brand): Rendered {
  const template = templates[name];
  if (template === undefined) throw new Error(`There is no mail template '${name}'.`);
  const language: Language = chosen === 'de' ? 'de' : 'en';
  const url = typeof data.url === 'string' ? data.url : `${frontendUrl}${template.path}?${queryOf(data)}`;
  const words = template.texts[language];
  const values: Readonly<Record<string, unknown>> = { ...data, product: brand.name };
  const filled = (key: string) => (namesOfPeople.has(key) ? nameInMail(values[key]) : oneLine(values[key]));
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (_, key: string) => filled(key));
  // A version before this one queued invitations without the address.
  const isKnown = (line: string): boolean => !line.includes('{inviterAddress}') || oneLine(values.inviterAddress) !== '';
  const [subject, action, ignore] = [fill(words.subject), fill(words.action), fill(words.ignore)];
  const lines = words.lines.filter(isKnown).map(fill);
  const { copyLink, footer, stop } = frame[language];
  const stopUrl = typeof data.stopUrl === 'string' ? data.stopUrl : undefined;
  const text = [...lines, '', `${action}:`, url, '', ignore, '', ...(stopUrl === undefined ? [] : [`${stop}:`, stopUrl, ''])].join('\n');
  const html = page({
    language,
    title: subject,
    preview: lines.join(' '),
    action,
    url,
    ignore,
    copyLink,
    footer: fill(footer),
    brand: brand.name,
    color: brand.color,
    colorOfText: readableOn(brand.color),
    paragraphs: lines,
    stop: stopUrl === undefined ? undefined : { text: stop, url: stopUrl },
  });
  return { subject, text, html, data: { ...data, url } };
}

/** The token, and the app in which the link was requested. */
function queryOf({ token, clientId, interactionId }: MailData): URLSearchParams {
  const app = typeof clientId === 'string' ? { client_id: clientId } : {};
  return new URLSearchParams({ token, ...app, ...(typeof interactionId === 'string' ? { interaction: interactionId } : {}) });
}

/** What tenants and people choose, and strangers read in a mail that this installation sends. */
const namesOfPeople: ReadonlySet<string> = new Set(['organizationName', 'appName', 'scopeName', 'accountName']);
const longestName = 60;

/**
 * A name between the quotes of its template. It closes none of them, and no mail program makes a
 * link of it: a scheme, a dot of a domain or of an address in numbers is followed by a space.
 */
function nameInMail(value: unknown): string {
  const name = oneLine(value)
    .replace(/["“”„«»]/gu, "'")
    .replace(/:[/\\]*(?=\S)/gu, ': ')
    .replace(/([.。．｡])(?=[\p{L}\p{N}]{2}|\d+[.:/])/gu, '$1 ')
    .replace(/(?<=\d[.]\s?\d+)\.(?=\d)/gu, '. ')
    .replace(/(?<=\S)@(?=\S)/gu, ' @ ');
  const cut = cutText(name, longestName);
  return cut === name ? name : `${cut.trimEnd()}…`;
}

/** Names come from people: no line breaks into a subject, no end to their length. */
function oneLine(value: unknown): string {
  return String(value ?? '')
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, 2_000)
    .toWellFormed();
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

type PageValues = {
  readonly paragraphs: readonly string[];
  readonly stop: { readonly text: string; readonly url: string } | undefined;
} & Readonly<
  Record<'language' | 'title' | 'preview' | 'action' | 'url' | 'ignore' | 'copyLink' | 'footer' | 'brand' | 'color' | 'colorOfText', string>
>;

/** Everything that is filled into the layout is escaped here. */
function page({ paragraphs, stop, ...values }: PageValues): string {
  const escaped = new Map(Object.entries(values).map(([name, value]) => [name, escapeHtml(value)]));
  escaped.set('lines', paragraphs.map((line) => `<p style="margin:0 0 8px">${escapeHtml(line)}</p>`).join(''));
  if (stop !== undefined)
    escaped.set(
      'footer',
      `${escaped.get('footer')}<br /><a href="${escapeHtml(stop.url)}" style="color: #4f565d">${escapeHtml(stop.text)}</a>`,
    );
  return layout.replace(/\{\{(\w+)\}\}/g, (_, name: string) => escaped.get(name) ?? '');
}

/** Black or white: the one with more contrast to the colour (WCAG 2.2, relative luminance). */
function readableOn(color: string): string {
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = channels.map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000';
}
