import { routes } from '../../../../../packages/client/src/generated/routes.ts';
import type { Call } from './steps.ts';

export const styles = ['curl', 'graphql', 'sdk'] as const;
export type Style = (typeof styles)[number];

/** The lines that do the same as the console, to copy. */
export function linesOf(call: Call, style: Style, baseUrl: string): string {
  if (style === 'graphql') return graphqlOf(call);
  return style === 'sdk' ? sdkOf(call) : curlOf(call, baseUrl);
}

/** What goes before the lines, once. */
export function openingOf(signIn: Call, style: Style, baseUrl: string): string {
  if (style === 'sdk') {
    const start = `import { createClient } from '@tessera/client';\n\nconst tessera = createClient({ baseUrl: '${baseUrl}' });\n`;
    return start + sdkOf(signIn);
  }
  return linesOf(signIn, style, baseUrl);
}

/** Operations that are open to callers without a token. */
const withoutToken: readonly string[] = ['login', 'exchangeApiKey'];

function curlOf({ operation, input }: Call, baseUrl: string): string {
  const [method = '', path = ''] = routes[operation].replace(/[?!]/, '').split(' ');
  const { filled, body } = fillPath(path, input);
  const parts = [
    `curl -s ${method === 'POST' ? '' : `-X ${method} `}${baseUrl}/api${filled}`,
    ...(withoutToken.includes(operation) ? [] : ['-H "Authorization: Bearer $TESSERA_TOKEN"']),
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`,
  ];
  return parts.join(' \\\n  ');
}

function fillPath(path: string, input: object) {
  const body: Record<string, unknown> = { ...input };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(body[name]);
    delete body[name];
    return encodeURIComponent(value);
  });
  return { filled, body };
}

function graphqlOf({ operation, field = operation, input, kind, select }: Call): string {
  const given = Object.keys(input).length === 0 ? '' : `(input: ${literal(input, 'graphql', 1)})`;
  return `${kind} {\n  ${field}${given} {\n    ${select}\n  }\n}`;
}

function sdkOf({ operation, input, result }: Call): string {
  const given = Object.keys(input).length === 0 ? '' : literal(input, 'sdk', 0);
  return `const ${result} = await tessera.${operation}(${given});`;
}

/** Fields whose values are names of the schema, not texts. */
const enums: readonly string[] = ['tenant', 'type'];
const widest = 64;

function literal(value: unknown, style: 'graphql' | 'sdk', depth: number, name = ''): string {
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, style, depth)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([key, one]) => `${key}: ${literal(one, style, depth + 1, key)}`);
    const line = `{ ${fields.join(', ')} }`;
    if (line.length <= widest) return line;
    const indent = '  '.repeat(depth + 1);
    const comma = style === 'sdk' ? ',' : '';
    return `{\n${fields.map((one) => `${indent}${one}${comma}\n`).join('')}${'  '.repeat(depth)}}`;
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  if (style === 'sdk') return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  return enums.includes(name) ? value : JSON.stringify(value);
}
