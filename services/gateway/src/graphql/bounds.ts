import { type AppError, defineErrors } from '@tessera/kernel/errors';
import type { Measure } from './measure.ts';

/** The limits of interface.md section 1; the number of aliases bounds what they cost to validate. */
export const bounds = { depth: 10, fields: 1_000, rootFields: 10, aliases: 50, tokens: 10_000 } as const;

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
});

/** The first bound that an operation breaks. */
export const brokenBound = ({ depth, fields, rootFields, aliases }: Measure): AppError | undefined => {
  if (rootFields > bounds.rootFields) return errors.tooManyRootFields({ params: { limit: bounds.rootFields } });
  if (aliases > bounds.aliases) return errors.tooManyAliases({ params: { limit: bounds.aliases } });
  if (fields > bounds.fields) return errors.tooManyFields({ params: { limit: bounds.fields } });
  if (depth > bounds.depth) return errors.tooDeep({ params: { limit: bounds.depth } });
  return undefined;
};
