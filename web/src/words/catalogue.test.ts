import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { auditActions } from '../../../proto/generated/audit-actions.ts';
import { builtInResources as catalogued, builtInRoles as given } from '../../../proto/generated/built-in-roles.ts';
import { actionThings, actionVerbs, queryNames } from './audit.ts';
import { builtInActions, builtInResources, builtInRoles } from './built-in.ts';
import { catalogue } from './catalogue.ts';

const parts = globSync('*.ts', { cwd: import.meta.dirname })
  .filter((file) => !file.endsWith('.test.ts') && file !== 'catalogue.ts')
  .map((file) => readFileSync(`${import.meta.dirname}/${file}`, 'utf8'))
  .flatMap((text) => [...text.matchAll(/^export const \w*[tT]exts = \{$.*?^\} as const/gms)])
  .map(([part]) => [...part.matchAll(/^ {2}'?([\w.-]+)'?: \[/gm)].map(([, key = '']) => key));

test('the catalogue is made of all its files, and no key is in two of them', () => {
  const keys = parts.flat();
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toStrictEqual([]);
  expect(keys.toSorted()).toStrictEqual(Object.keys(catalogue).toSorted());
});

test('every text has an English and a German form with the same values', () => {
  const values = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
  const hasBoth = ([en, de]: readonly [string, string]) => en !== '' && de !== '' && String(values(en)) === String(values(de));
  expect(Object.entries(catalogue).filter(([, text]) => !hasBoth(text))).toStrictEqual([]);
});

test('every action of the audit log has words; a refused query those of what it asks for', () => {
  const nameless = auditActions.filter((action) => {
    const [thing = '', ...rest] = action.split('.');
    const verb = rest.join('.');
    const isNamed = actionThings[thing] !== undefined || (verb === 'refused' && queryNames[thing] !== undefined);
    return !isNamed || actionVerbs[verb] === undefined;
  });
  expect(nameless).toStrictEqual([]);
});

test('every built-in resource and action, and every built-in role of an organization, has words', () => {
  const actions = new Set(Object.values(catalogued).flat());
  expect(Object.keys(builtInResources).toSorted()).toStrictEqual(Object.keys(catalogued).toSorted());
  expect(Object.keys(builtInActions).toSorted()).toStrictEqual([...actions].toSorted());
  expect(Object.keys(builtInRoles).toSorted()).toStrictEqual(Object.keys(given).toSorted());
});
