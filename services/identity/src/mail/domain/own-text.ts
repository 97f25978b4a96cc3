/**
 * The text of a mail that an organization has written: plain text with `{{variables}}` of a list.
 * No expressions, no markup, and no link but the one of the mail.
 */
import type { Text } from '@tessera/kernel/errors';

export type OwnText = { readonly subject: string; readonly body: string };

/** The mails in the name of an organization. Warnings and codes are the installation's. */
export const ownTemplates = ['verify-email', 'reset-password', 'magic-link', 'invitation', 'grant-offer'] as const;
export type OwnTemplate = (typeof ownTemplates)[number];

/** `link` is compulsory in each, and where it stands alone it is the button. */
export const variablesOf: Readonly<Record<OwnTemplate, readonly string[]>> = {
  'verify-email': ['link', 'product', 'brandName'],
  'reset-password': ['link', 'product', 'brandName'],
  'magic-link': ['link', 'product', 'brandName', 'appName'],
  invitation: ['link', 'product', 'brandName', 'organizationName', 'inviterAddress'],
  'grant-offer': ['link', 'product', 'brandName', 'organizationName', 'projectName', 'inviterAddress'],
};

export function isOwnTemplate(name: string): name is OwnTemplate {
  return ownTemplates.some((template) => template === name);
}

const variable = /\{\{\s*(\w+)\s*\}\}/g;

/** What a mail program could make a link of, wherever the text of the variables ends. */
const linkLike = /\p{L}:[/\\]*(?=\S)|\/\/|\\\\|[.。．｡](?=\p{L}{2})|\d+\.\d+\.\d+|(?<=\S)@(?=\S)|\bwww\b/iu;

/** Whether a text of a stranger holds what a mail program makes a link of. */
export function mayBecomeLink(text: string): boolean {
  return linkLike.test(text);
}

/** Where a name could become a part of a domain or address with what stands beside it. */
const joined = /(?:[\p{L}\p{N}\p{M}\p{Cf}_@/\\:-]|\}\})\{\{|\}\}(?:[\p{L}\p{N}\p{M}\p{Cf}_@/\\-]|\{\{|[:.。．｡](?=\S))/u;

/** Why a text is refused, with its field; undefined for one that may be sent. */
export function faultOfText(
  template: OwnTemplate,
  { subject, body }: OwnText,
): { readonly field: 'subject' | 'body'; readonly reason: Text } | undefined {
  const ofSubject = faultOf(
    subject,
    variablesOf[template].filter((name) => name !== 'link'),
  );
  if (ofSubject !== undefined) return { field: 'subject', reason: ofSubject };
  const ofBody = faultOf(body, variablesOf[template]) ?? faultOfLink(body);
  return ofBody && { field: 'body', reason: ofBody };
}

function faultOf(text: string, allowed: readonly string[]): Text | undefined {
  const names = [...text.matchAll(variable)].map(([, name = '']) => name);
  const list = allowed.map((name) => `{{${name}}}`).join(', ');
  if (names.some((name) => !allowed.includes(name)))
    return { en: `may contain only these variables: ${list}`, de: `darf nur diese Variablen enthalten: ${list}` };
  const filled = text.replace(variable, 'xx');
  if (/\{\{|\}\}/.test(filled))
    return {
      en: `contains braces that are no variable; write ${list}`,
      de: `enthält Klammern, die keine Variable sind; schreiben Sie ${list}`,
    };
  if (joined.test(text))
    return {
      en: 'contains a variable that touches a letter, a digit, one of @ / \\ : - . or another variable; write a space between them',
      de: 'enthält eine Variable, die einen Buchstaben, eine Ziffer, eines von @ / \\ : - . oder eine andere Variable berührt; schreiben Sie ein Leerzeichen dazwischen',
    };
  if (linkLike.test(filled))
    return {
      en: 'contains what a mail program makes a link of; the link of the mail is {{link}}, others belong on the page that it leads to',
      de: 'enthält etwas, woraus ein Mailprogramm einen Link macht; der Link der E-Mail ist {{link}}, andere gehören auf die Seite, zu der er führt',
    };
  return undefined;
}

/** Beside other characters the address would become another one. */
function faultOfLink(body: string): Text | undefined {
  const links = [...body.matchAll(/\{\{\s*link\s*\}\}/g)];
  const areAlone = links.every(
    ({ index, 0: { length } }) => /^\s?$/.test(body.charAt(index - 1)) && /^\s?$/.test(body.charAt(index + length)),
  );
  if (links.length === 1 && areAlone) return undefined;
  return {
    en: 'must contain {{link}} once, with a space or a line break on both sides',
    de: 'muss {{link}} einmal enthalten, mit einem Leerzeichen oder Zeilenumbruch auf beiden Seiten',
  };
}

/**
 * Whether a text may be sent with these names: kept ones may be older than the rules, and a name
 * may end in what only its neighbours make a link of.
 */
export function isWithoutLinks({ subject, body }: OwnText, fill: (name: string) => string): boolean {
  return [subject, body].every((text) => !joined.test(text) && !linkLike.test(fillVariables(text, fill)));
}

export type OwnParagraph = { readonly text: string; readonly isLink: boolean };

/** The paragraphs with their variables filled in; one that lacks what is optional is left out. */
export function paragraphsOf(body: string, fill: (name: string) => string, optional: readonly string[]): OwnParagraph[] {
  return body
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .filter((paragraph) => [...paragraph.matchAll(variable)].every(([, name = '']) => !optional.includes(name) || fill(name) !== ''))
    .map((paragraph) => ({ text: fillVariables(paragraph, fill), isLink: /^\{\{\s*link\s*\}\}$/.test(paragraph) }));
}

export function fillVariables(text: string, fill: (name: string) => string): string {
  return text.replace(variable, (_, name: string) => fill(name));
}

/** The standard text in the form that an organization writes, to begin from. */
export function asOwnText({ subject, lines }: { readonly subject: string; readonly lines: readonly string[] }): OwnText {
  const written = (text: string) => text.replace(/\{(\w+)\}/g, '{{$1}}');
  return { subject: written(subject), body: [...lines.map(written), '{{link}}'].join('\n\n') };
}
