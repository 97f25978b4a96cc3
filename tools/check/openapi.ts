import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ruleset, Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { repositoryFolder } from '../stack/repository.ts';

/** What Spectral finds in an OpenAPI document, warnings included. */
export async function spectralFaults(document: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const linter = new Spectral();
  // The operator of an installation is its contact, and the document is the same for all of them.
  linter.setRuleset(new Ruleset({ extends: [[oas, 'recommended']], rules: { 'info-contact': 'off' } }));
  const found = await linter.run(document);
  return found.map(({ code, message, path }) => `${code}: ${message} at ${path.join(' ')}`);
}

/** The document that the repository publishes. */
export function publishedOpenApi(): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(join(repositoryFolder, 'docs', 'openapi.json'), 'utf8'));
}
