import { type AppError, defineErrors, failures } from '@tessera/kernel/errors';
import type { DocumentSize, OperationSize } from './document-size.ts';

/**
 * Depth, fields and root fields are those of the interface; the others bound the cost of parsing
 * and validation.
 */
export const bounds = {
  depth: 10,
  fields: 1_000,
  /**
   * What the nested lists of an operation multiply to (`cost.ts`). A page of 100 with five lists
   * below it is permitted; seven lists are not. The rows of an answer are counted besides.
   */
  objects: 100_000_000,
  rootFields: 10,
  aliases: 50,
  fragments: 200,
  variables: 100,
  repeats: 20,
  /**
   * The depth of variables, too (`request.ts`): deeper ones would overflow the stack of the
   * services.
   */
  values: 100,
  tokens: 10_000,
  /** Comments and strings are few tokens, however long. The services have the same bound. */
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
  tooManyObjects: {
    kind: 'bad-input',
    key: 'errors.graphql.tooManyObjects',
    en: 'The nested lists of the document ask for too much at once.',
    de: 'Die verschachtelten Listen des Dokuments fragen zu viel auf einmal ab.',
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

/** Checked before the document is parsed. Large values such as pictures belong into variables. */
export function tooLong({ length }: string): AppError | undefined {
  return length > bounds.characters ? errors.tooLong({ params: { limit: bounds.characters } }) : undefined;
}

/** The first bound that a document as a whole exceeds, before validation. */
export function exceededByDocument({ fields, fragments, variables, repeats, values, hasPrototypeKey }: DocumentSize): AppError | undefined {
  if (hasPrototypeKey) return failures.validation('__proto__', { en: 'is not known here', de: 'ist hier nicht bekannt' });
  if (fields > bounds.fields) return errors.tooManyFields({ params: { limit: bounds.fields } });
  if (fragments > bounds.fragments) return errors.tooManyFragments({ params: { limit: bounds.fragments } });
  if (variables > bounds.variables) return errors.tooManyVariables({ params: { limit: bounds.variables } });
  if (values > bounds.values) return errors.valuesTooDeep({ params: { limit: bounds.values } });
  if (repeats > bounds.repeats) return errors.tooManyRepeats({ params: { limit: bounds.repeats } });
  return undefined;
}

/** The first bound that an operation exceeds, with its fragments expanded. */
export function exceededByOperation({ depth, fields, rootFields, aliases }: OperationSize): AppError | undefined {
  if (rootFields > bounds.rootFields) return errors.tooManyRootFields({ params: { limit: bounds.rootFields } });
  if (aliases > bounds.aliases) return errors.tooManyAliases({ params: { limit: bounds.aliases } });
  if (fields > bounds.fields) return errors.tooManyFields({ params: { limit: bounds.fields } });
  if (depth > bounds.depth) return errors.tooDeep({ params: { limit: bounds.depth } });
  return undefined;
}

/** Nested lists: checked with the schema, after validation. */
export function exceededByCost(objects: number): AppError | undefined {
  return objects > bounds.objects ? errors.tooManyObjects() : undefined;
}
