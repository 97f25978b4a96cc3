export { type Catalogue, definedErrors, defineErrors } from './define.ts';
export { AppError, type ErrorDetails, type ErrorKind, hasRetryTime, kinds } from './error.ts';
export { failures, reasons } from './failures.ts';
export { isUniqueViolation } from './postgres.ts';
export { asAppError, type ErrorBody, type GraphqlErrorBody, renderError, renderGraphqlError } from './render.ts';
export { chooseLanguage, type ErrorParams, type Language, registeredTexts, registerText, type Text, translate } from './texts.ts';
