/** Mail texts in the API: those in the name of an organization. */
import { failures, languages } from '@tessera/kernel/errors';
import { NameOf, Nullable, type OperationContext, scopeField, scopeOf, TextOf } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import { faultOfText, type OwnText, ownTemplates, variablesOf } from '../../../mail/domain/own-text.ts';
import type { TextPlace, TextRow } from '../../../mail/storage/mail-texts.ts';
import { standardText } from '../../../mail/templates.ts';
import type { PeopleDeps } from '../../deps.ts';

export const mailTextScopes = ['organization'] as const;

export const placeFields = {
  ...scopeField,
  template: Type.Enum([...ownTemplates], { graphqlType: 'String' }),
  language: Type.Enum([...languages], { graphqlType: 'String' }),
};
const Place = Type.Object(placeFields);
type Place = Pick<Static<typeof Place>, 'template' | 'language'>;

/** `{{variable}}` of the list; a blank line begins a paragraph. */
export const textFields = { subject: NameOf(200), body: TextOf(4_000) };

export const MailText = Type.Object({
  template: Type.String(),
  language: Type.String(),
  subject: Type.String(),
  body: Type.String(),
  variables: Type.Array(Type.String(), { description: 'Those that subject and body may contain; `link` in the body alone' }),
  requiredVariables: Type.Array(Type.String()),
  isDefault: Type.Boolean({ description: 'Whether it is the text of the product' }),
  updatedAt: Nullable(Type.String()),
});

export function textPlaceOf({ template, language }: Place, context: Pick<OperationContext<PeopleDeps>, 'scope'>): TextPlace {
  return { organizationId: scopeOf(context).id, template, language };
}

export function toMailText({ template, language }: Place, row: TextRow | undefined): Static<typeof MailText> {
  const { subject, body } = row ?? standardText(template, language);
  return {
    template,
    language,
    subject,
    body,
    variables: [...variablesOf[template]],
    requiredVariables: ['link'],
    isDefault: row === undefined,
    updatedAt: row?.updatedAt ?? null,
  };
}

/** 400 with the field and what to write instead. */
export function assertText(template: Place['template'], text: OwnText): void {
  const fault = faultOfText(template, text);
  if (fault !== undefined) throw failures.validation(fault.field, fault.reason);
}
