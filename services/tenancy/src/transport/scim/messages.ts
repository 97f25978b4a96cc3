/** The messages of RFC 7644 around resources, and its errors. */
import { AppError, asAppError, failures, renderError } from '@tessera/kernel/errors';
import { isObject, type Json } from '../../domain/scim/resource.ts';
import { scimError } from '../../errors.ts';

export const mediaType = 'application/scim+json; charset=utf-8';

const messages = 'urn:ietf:params:scim:api:messages:2.0:';
export const errorSchema = `${messages}Error`;
export const listSchema = `${messages}ListResponse`;
export const searchSchema = `${messages}SearchRequest`;

export type ScimFailure = { readonly status: number; readonly body: Json; readonly retryAfterSeconds?: number };

/** What a fault of the server framework means, such as a body that is too large. */
function faultOf(thrown: unknown): unknown {
  if (thrown instanceof AppError || !isObject(thrown) || typeof thrown['statusCode'] !== 'number') return thrown;
  const { statusCode } = thrown;
  if (statusCode === 413) return failures.tooLarge();
  return statusCode < 500 ? scimError('invalidSyntax', 'The request could not be read.') : thrown;
}

function scimTypeOf({ kind, key, extensions }: AppError): string | undefined {
  if (typeof extensions?.['scimType'] === 'string') return extensions['scimType'];
  if (key === 'errors.directoryUser.exists') return 'uniqueness';
  if (kind === 'validation') return 'invalidValue';
  return key === 'errors.invalidJson' ? 'invalidSyntax' : undefined;
}

/** RFC 7644, section 3.12. The last Owner stays: that is 403 here. */
export function failureOf(thrown: unknown): ScimFailure {
  const fault = faultOf(thrown);
  const error = asAppError(fault);
  const { status: known, body } = renderError(fault, 'en');
  const status = error.key === 'errors.rbac.lastOwner' ? 403 : known;
  const scimType = scimTypeOf(error);
  const seconds = Number(body.translationParams?.['seconds']);
  return {
    status,
    body: { schemas: [errorSchema], status: String(status), ...(scimType === undefined ? {} : { scimType }), detail: body.error },
    ...(Number.isFinite(seconds) ? { retryAfterSeconds: seconds } : {}),
  };
}

export type Listed = {
  readonly items: readonly { readonly resource: unknown }[];
  readonly total: number;
  readonly startIndex: number | null;
  readonly nextCursor?: string | null;
};

export function listResponse({ items, total, startIndex, nextCursor }: Listed, show: (resource: Json) => Json): Json {
  const resources = items.map(({ resource }) => show(isObject(resource) ? resource : {}));
  return {
    schemas: [listSchema],
    totalResults: total,
    itemsPerPage: resources.length,
    ...(startIndex === null ? {} : { startIndex }),
    ...(nextCursor === undefined || nextCursor === null ? {} : { nextCursor }),
    ...(resources.length === 0 ? {} : { Resources: resources }),
  };
}
