import { AppError, type ErrorDetails, type ErrorKind } from './error.ts';
import { registerText, type Text } from './texts.ts';

type Definition = { readonly kind: ErrorKind; readonly key: `errors.${string}` } & Text;

export type Catalogue<Names extends string> = { readonly [Name in Names]: (details?: ErrorDetails) => AppError };

const defined = new Map<string, ErrorKind>();

/** Every failure that this process has declared, by key, for the generated reference. */
export function definedErrors(): ReadonlyMap<string, ErrorKind> {
  return defined;
}

/** Declares a service's error catalogue: every failure that a client may see, with its texts. */
export function defineErrors<Names extends string>(definitions: Record<Names, Definition>): Catalogue<Names> {
  const entries = Object.entries<Definition>(definitions).map(([name, { kind, key, en, de }]) => {
    registerText(key, { en, de });
    defined.set(key, kind);
    return [name, (details?: ErrorDetails) => new AppError(kind, key, details)];
  });
  return Object.freeze(Object.fromEntries(entries));
}
