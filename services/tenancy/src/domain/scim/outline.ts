/**
 * What the log of requests shows: the names in a body, and the values of the attributes that a
 * schema has, cut. Another value may be a password: its type and length are shown.
 */
import { isObject } from './resource.ts';
import { findTarget, resourceTypes } from './schema.ts';

const longestText = 100;
const mostItems = 10;
const mostNames = 40;
const deepest = 6;
/** Of all names and values together. */
const mostCharacters = 6_000;

/** Of the messages of RFC 7644. `value` is shown by the path of its operation. */
const protocolNames = new Set(
  'op path operations method bulkid version data failonerrors filter sortby sortorder startindex count cursor attributes excludedattributes'.split(
    ' ',
  ),
);

/** Tokens and keys, whatever attribute they stand in. */
const secretForms = [/\beyJ[\w-]{8,}\.[\w-]+/g, /\b(?:bearer|basic)\s+\S+/gi, /\bt(?:as|ds|ak|sk)_[\w-]{8,}/g, /-----BEGIN [\s\S]+/g];
const secretNames = /pass|secret|token|credential|authorization|api.?key/i;

/** The text without what may be a token, and no longer than the log takes. */
export function cutText(text: string, longest: number): string {
  const plain = text
    .slice(0, longest * 4)
    .toWellFormed()
    .replaceAll('\u0000', '\uFFFD');
  const hidden = secretForms.reduce((shown, form) => shown.replaceAll(form, '[hidden]'), plain);
  return hidden.length > longest ? `${hidden.slice(0, longest - 1).toWellFormed()}…` : hidden;
}

/** A filter by what may be a secret is shown without its values. */
export function outlineFilter(filter: string): string {
  return cutText(secretNames.test(filter) ? filter.replaceAll(/"(?:[^"\\]|\\.)*"?/g, '"…"') : filter, 300);
}

/** Whether a schema has what the path names, with or without a filter. */
function isKnown(path: string): boolean {
  if (path.length > 300 || secretNames.test(path)) return false;
  const plain = path.replaceAll(/\[[^\]]*\]/g, '');
  return resourceTypes.some((type) => findTarget(type, plain) !== undefined);
}

/** A sub-attribute that any attribute has, such as `givenName` in `name`. */
const subNames = new Set(
  resourceTypes.flatMap(({ schema, extensions }) =>
    [schema, ...extensions].flatMap(({ attributes }) =>
      attributes.flatMap(({ subAttributes = [] }) => subAttributes.map(({ name }) => name.toLowerCase())),
    ),
  ),
);

/** Undefined where there was no body. */
export function outlineBody(body: unknown): unknown {
  let left = mostCharacters;
  return body === undefined ? undefined : outline(body, true, 0);

  function take(text: string): string {
    left -= text.length + 8;
    return text;
  }

  function outline(value: unknown, isShown: boolean, depth: number): unknown {
    if (left <= 0) return '…';
    if (typeof value === 'string') return take(isShown ? cutText(value, longestText) : `[text of ${value.length} characters]`);
    if (typeof value !== 'object' || value === null) {
      take(String(value));
      return isShown || typeof value !== 'number' ? value : '[number]';
    }
    if (depth === deepest) return take(Array.isArray(value) ? '[list]' : '[object]');
    if (!Array.isArray(value)) return outlineObject(value, isShown, depth);
    const shown = value.slice(0, mostItems).map((item) => outline(item, isShown, depth + 1));
    return value.length > mostItems ? [...shown, `[${value.length - mostItems} more]`] : shown;
  }

  function outlineObject(value: object, isShown: boolean, depth: number): unknown {
    const all = Object.entries(value);
    const path = isObject(value) && typeof value['path'] === 'string' ? value['path'] : undefined;
    const isValueShown = isShown && (path === undefined || isKnown(path));
    const shown: [string, unknown][] = [];
    for (const [name, part] of all.slice(0, mostNames)) {
      if (left <= 0) break;
      const lower = name.toLowerCase();
      const isOfSchema = protocolNames.has(lower) || subNames.has(lower) || isKnown(name);
      const isPartShown = lower === 'value' ? isValueShown : isShown && isOfSchema && !secretNames.test(name);
      shown.push([take(cutText(name, longestText)), outline(part, isPartShown, depth + 1)]);
    }
    if (all.length > shown.length) shown.push(['…', `[${all.length - shown.length} more]`]);
    return Object.fromEntries(shown);
  }
}
