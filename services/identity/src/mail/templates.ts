import { languages, translationOf } from '@tessera/kernel/errors';
import { cutText } from '@tessera/kernel/operation';
import { readableOn, shadeFor, surfaces } from '@tessera/rules/contrast';
import { asOwnText, fillVariables, isWithoutLinks, type OwnText, paragraphsOf } from './domain/own-text.ts';
import { layout } from './generated/layout.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { type MailName, type MailTexts, paths } from './texts/mail-texts.ts';

const written: ReadonlyMap<string, MailTexts> = new Map([
  ['en', en],
  ['de', de],
]);
const texts: ReadonlyMap<string, MailTexts> = new Map(
  languages.map((language) => [language, written.get(language) ?? translated(language)]),
);

/** A mail of which a sentence lacks is English as a whole. */
function translated(language: string): MailTexts {
  const whole = <Words extends object>(words: Words): Words => {
    const lacking: string[] = [];
    const json = JSON.stringify(words, (_, value: unknown) => {
      if (typeof value !== 'string') return value;
      const text = translationOf(value, language);
      if (text === undefined) lacking.push(value);
      return text;
    });
    return lacking.length === 0 ? JSON.parse(json) : words;
  };
  const mails = Object.fromEntries(Object.entries(en.mails).map(([name, words]) => [name, whole(words)]));
  return { frame: whole(en.frame), mails: { ...en.mails, ...mails } };
}

function textsIn(language: string): MailTexts {
  return texts.get(language) ?? en;
}

export type MailData = Readonly<Record<string, unknown>> & { readonly token: string };
export type Rendered = {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly data: MailData & { readonly url: string };
};

/** The names of all mails. */
export const templateNames: readonly string[] = Object.keys(paths);

/**
 * What strangers may send to any address: an invitation, an offer of a project, and a set-up link.
 * They take turns, and their readers can stop them.
 */
export function isInvitation(template: string): boolean {
  return template === 'invitation' || template === 'grant-offer' || template === 'set-up-link';
}

export function isTemplate(name: string): name is MailName {
  return Object.hasOwn(paths, name);
}

/** What a mail shows of an app or an organization, else of this installation, which sends it. */
export type Brand = {
  readonly name: string;
  readonly color: string;
  /** Of this installation, when a tenant has chosen the rest. */
  readonly productName?: string;
  readonly hasLogo?: boolean;
  /** What the organization has written instead of the standard text. */
  readonly text?: OwnText | undefined;
};

/** The logo goes along with the mail: nothing is loaded when a person opens it. */
export const logoId = 'logo@mail';

/** The link is the data's own `url`, or the frontend's page with the token. */
export function render(name: string, chosen: string, data: MailData, frontendUrl: string, brand: Brand): Rendered {
  if (!isTemplate(name)) throw new Error(`There is no mail template '${name}'.`);
  const language = texts.has(chosen) ? chosen : 'en';
  const url = typeof data.url === 'string' ? data.url : `${frontendUrl}${paths[name]}?${queryOf(data)}`;
  const { frame, mails } = textsIn(language);
  const words = mails[name];
  const { name: brandName, color, productName = brandName, hasLogo = false } = brand;
  const values: Readonly<Record<string, unknown>> = { ...data, product: productName, brandName };
  const filled = (key: string) => (namesOfPeople.has(key) ? nameInMail(values[key]) : oneLine(values[key]));
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (_, key: string) => filled(key));
  const isKnown = (line: string): boolean => optional.every((key) => !line.includes(`{${key}}`) || oneLine(values[key]) !== '');
  const own = ownWords(brand.text, (key) => (key === 'link' ? url : filled(key)));
  const [action, ignore] = [fill(words.action), fill(words.ignore)];
  const subject = own?.subject ?? fill(words.subject);
  const lines = own?.before ?? words.lines.filter(isKnown).map(fill);
  const after = own?.after ?? [];
  const { copyLink, footer, footerFor, stop } = frame;
  const isOfTenant = brand.productName !== undefined;
  const sentBy = fill(isOfTenant ? footerFor : footer);
  const stopUrl = typeof data.stopUrl === 'string' ? data.stopUrl : undefined;
  const text = [
    ...(own === undefined ? [...lines, ''] : lines.flatMap((line) => [line, ''])),
    `${action}:`,
    url,
    '',
    ...after.flatMap((line) => [line, '']),
    ignore,
    '',
    ...(isOfTenant ? [sentBy, ''] : []),
    ...(stopUrl === undefined ? [] : [`${stop}:`, stopUrl, '']),
  ].join('\n');
  const html = page({
    language,
    title: subject,
    preview: lines.join(' '),
    action,
    url,
    ignore,
    copyLink,
    footer: sentBy,
    brand: isOfTenant ? nameInMail(brandName) : brandName,
    color: isOfTenant ? shadeFor(color, surfaces.card) : color,
    colorOfText: readableOn(isOfTenant ? shadeFor(color, surfaces.card) : color),
    paragraphs: lines,
    after,
    hasLogo,
    stop: stopUrl === undefined ? undefined : { text: stop, url: stopUrl },
  });
  return { subject, text, html, data: { ...data, url } };
}

/** The paragraphs before and after the button. */
function ownWords(text: OwnText | undefined, fill: (name: string) => string) {
  // Other variables are the installation's, or an address that was proven.
  const isSafe = text !== undefined && isWithoutLinks(text, (name) => (namesOfPeople.has(name) ? fill(name) : 'xx'));
  if (!isSafe) return undefined;
  const paragraphs = paragraphsOf(text.body, fill, optional);
  const at = paragraphs.findIndex(({ isLink }) => isLink);
  const end = at === -1 ? paragraphs.length : at;
  const written = paragraphs.map((paragraph) => paragraph.text);
  return { subject: oneLine(fillVariables(text.subject, fill)), before: written.slice(0, end), after: written.slice(end + 1) };
}

/** In the form in which an organization writes its own. */
export function standardText(name: MailName, language: string): OwnText {
  return asOwnText(textsIn(language).mails[name]);
}

/** The token, and the app in which the link was requested. */
function queryOf({ token, clientId, interactionId }: MailData): URLSearchParams {
  const app = typeof clientId === 'string' ? { client_id: clientId } : {};
  return new URLSearchParams({ token, ...app, ...(typeof interactionId === 'string' ? { interaction: interactionId } : {}) });
}

/** A line with one of these is left out where there is none, or in mails of the version before. */
const optional = ['inviterAddress', 'credentials', 'more', 'appName', 'unprovenAddress', 'directory'];

/** What tenants and people choose, and strangers read in a mail that this installation sends. */
const namesOfPeople: ReadonlySet<string> = new Set([
  'organizationName',
  'customerName',
  'projectName',
  'appName',
  'scopeName',
  'accountName',
  'brandName',
  'maker',
  'roles',
]);
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
  /** Below the button. */
  readonly after: readonly string[];
  readonly stop: { readonly text: string; readonly url: string } | undefined;
  readonly hasLogo: boolean;
} & Readonly<
  Record<'language' | 'title' | 'preview' | 'action' | 'url' | 'ignore' | 'copyLink' | 'footer' | 'brand' | 'color' | 'colorOfText', string>
>;

/** Everything that is filled into the layout is escaped here. */
function page({ paragraphs, after, stop, hasLogo, ...values }: PageValues): string {
  const escaped = new Map(Object.entries(values).map(([name, value]) => [name, escapeHtml(value)]));
  if (hasLogo)
    escaped.set(
      'logo',
      `<img src="cid:${logoId}" alt="" height="40" style="height:40px;width:auto;vertical-align:middle;border:0" />&#160; `,
    );
  const written = (lines: readonly string[], gap: number) =>
    lines.map((line) => `<p style="margin:0 0 ${gap}px">${escapeHtml(line).replaceAll('\n', '<br />')}</p>`).join('');
  escaped.set('lines', written(paragraphs, 8));
  escaped.set('after', written(after, 16));
  if (stop !== undefined)
    escaped.set(
      'footer',
      `${escaped.get('footer')}<br /><a href="${escapeHtml(stop.url)}" style="color: #4f565d">${escapeHtml(stop.text)}</a>`,
    );
  return layout.replace(/\{\{(\w+)\}\}/g, (_, name: string) => escaped.get(name) ?? '');
}
