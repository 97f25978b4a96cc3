import { type AppError, defineErrors } from '@tessera/kernel/errors';
import type { Measure, Writing } from './measure.ts';

/** Depth, fields and root fields as the interface says; the others bound what a document costs to read and validate. */
export const bounds = {
  depth: 10,
  fields: 1_000,
  rootFields: 10,
  aliases: 50,
  fragments: 200,
  variables: 100,
  repeats: 20,
  /** As deep as variables may be (`request.ts`): the services read no more of it than their stack holds. */
  values: 100,
  tokens: 10_000,
  /** Comments and texts are few tokens. The services read no longer ones. */
  characters: 200_000,
} as const;

const errors = defineErrors({
  tooDeep: {
    kind: 'bad-input',
    key: 'errors.graphql.tooDeep',
    en: 'The document is nested deeper than {limit} levels.',
    de: 'Das Dokument ist tiefer als {limit} Ebenen verschachtelt.',
  },
  tooManyFields: {
    kind: 'bad-input',
    key: 'errors.graphql.tooManyFields',
    en: 'The document asks for more than {limit} fields.',
    de: 'Das Dokument fragt mehr als {limit} Felder ab.',
  },
  tooManyRootFields: {
    kind: 'bad-input',
    key: 'errors.graphql.tooManyRootFields',
    en: 'The operation has more than {limit} root fields.',
    de: 'Die Operation hat mehr als {limit} Wurzelfelder.',
  },
  tooManyAliases: {
    kind: 'bad-input',
    key: 'errors.graphql.tooManyAliases',
    en: 'The document has more than {limit} aliases.',
    de: 'Das Dokument hat mehr als {limit} Aliasnamen.',
  },
  tooManyFragments: {
    kind: 'bad-input',
    key: 'errors.graphql.tooManyFragments',
    en: 'The document uses fragments more than {limit} times.',
    de: 'Das Dokument verwendet mehr als {limit}-mal Fragmente.',
  },
  tooManyVariables: {
    kind: 'bad-input',
    key: 'errors.graphql.tooManyVariables',
    en: 'The document declares more than {limit} variables.',
    de: 'Das Dokument deklariert mehr als {limit} Variablen.',
  },
  valuesTooDeep: {
    kind: 'bad-input',
    key: 'errors.graphql.valuesTooDeep',
    en: 'The document has values that are nested deeper than {limit} levels.',
    de: 'Das Dokument enthält Werte, die tiefer als {limit} Ebenen verschachtelt sind.',
  },
  tooLong: {
    kind: 'bad-input',
    key: 'errors.graphql.tooLong',
    en: 'The document is longer than {limit} characters.',
    de: 'Das Dokument ist länger als {limit} Zeichen.',
  },
  tooManyRepeats: {
    kind: 'bad-input',
    key: 'errors.graphql.tooManyRepeats',
    en: 'The document asks for the same field more than {limit} times in one place.',
    de: 'Das Dokument fragt dasselbe Feld an einer Stelle mehr als {limit}-mal ab.',
  },
});

/** Before it is read: a picture, for one, goes into variables. */
export function tooLong({ length }: string): AppError | undefined {
  return length > bounds.characters ? errors.tooLong({ params: { limit: bounds.characters } }) : undefined;
}

/** The first bound that a document breaks as it is written, before anything of it is looked at. */
export function brokenByWriting({ fields, fragments, variables, repeats, values }: Writing): AppError | undefined {
  if (fields > bounds.fields) return errors.tooManyFields({ params: { limit: bounds.fields } });
  if (fragments > bounds.fragments) return errors.tooManyFragments({ params: { limit: bounds.fragments } });
  if (variables > bounds.variables) return errors.tooManyVariables({ params: { limit: bounds.variables } });
  if (values > bounds.values) return errors.valuesTooDeep({ params: { limit: bounds.values } });
  if (repeats > bounds.repeats) return errors.tooManyRepeats({ params: { limit: bounds.repeats } });
  return undefined;
}

/** The first bound that an operation breaks. */
export function brokenBound({ depth, fields, rootFields, aliases }: Measure): AppError | undefined {
  if (rootFields > bounds.rootFields) return errors.tooManyRootFields({ params: { limit: bounds.rootFields } });
  if (aliases > bounds.aliases) return errors.tooManyAliases({ params: { limit: bounds.aliases } });
  if (fields > bounds.fields) return errors.tooManyFields({ params: { limit: bounds.fields } });
  if (depth > bounds.depth) return errors.tooDeep({ params: { limit: bounds.depth } });
  return undefined;
}
