/** What a client asks for: by the query of a GET, or the body of /.search. */

import type { Selection } from '../../domain/scim/projection.ts';
import { isObject, type Json } from '../../domain/scim/resource.ts';
import { scimError } from '../../errors.ts';
import { searchSchema } from './messages.ts';

const fields = ['filter', 'sortBy', 'sortOrder', 'startIndex', 'count', 'cursor'] as const;

function namesOf(value: unknown, field: string): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const names = Array.isArray(value) ? value : String(value).split(',');
  if (!names.every((name) => typeof name === 'string') || names.length > 200)
    throw scimError('invalidValue', `${field} must be a list of names.`);
  return names.filter((name) => name.trim() !== '');
}

export function selectionOf(query: Json): Selection {
  const attributes = namesOf(query['attributes'], 'attributes');
  const excludedAttributes = namesOf(query['excludedAttributes'], 'excludedAttributes');
  if (attributes !== undefined && excludedAttributes !== undefined)
    throw scimError('invalidValue', 'Send either attributes or excludedAttributes.');
  return { attributes, excludedAttributes };
}

function integerOf(value: unknown, field: string): number {
  const text = String(value);
  if (!/^-?\d{1,15}$/.test(text)) throw scimError('invalidValue', `${field} must be a whole number.`);
  return Number(text);
}

/** Fields that are no part of a question are ignored. */
export function questionOf(query: Json): Json {
  const given = fields.flatMap((field): readonly (readonly [string, string | number])[] => {
    const value = query[field];
    if (value === undefined || value === null) return [];
    if (field === 'startIndex' || field === 'count') return [[field, integerOf(value, field)]];
    if (typeof value !== 'string') throw scimError('invalidValue', `${field} must be a text, given once.`);
    // An empty cursor asks for the first page.
    return value === '' && field !== 'cursor' ? [] : [[field, field === 'sortOrder' ? value.toLowerCase() : value]];
  });
  return Object.fromEntries(given);
}

export function readSearch(body: unknown): Json {
  const isSearch = isObject(body) && Array.isArray(body['schemas']) && body['schemas'].includes(searchSchema);
  if (!isSearch) throw scimError('invalidSyntax', `schemas must name ${searchSchema}.`);
  return body;
}
