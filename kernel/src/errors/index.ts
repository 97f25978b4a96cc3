export { type Catalogue, definedErrors, defineErrors } from './define.ts';
export { AppError, type ErrorDetails, type ErrorKind, hasRetryTime, kinds } from './error.ts';
export { failures, reasons } from './failures.ts';
export { type Language, languageNames, languages, translationOf, translationsOf } from './languages.ts';
export { isUniqueViolation } from './postgres.ts';
export { asAppError, type ErrorBody, type GraphqlErrorBody, renderError, renderGraphqlError } from './render.ts';
export { chooseLanguage, type ErrorParams, registeredTexts, registerText, type Text, translate } from './texts.ts';
