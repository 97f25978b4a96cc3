/**
 * `npm run docs`: the documentation as a site, served on this machine. `npm run docs:build` writes
 * it to site/dist; DOCS_URL says where it will stand.
 */
import { parseArgs } from 'node:util';
import { serveFolder } from './serve.ts';
import { buildSite, builtSite, installSite } from './site.ts';

const { values } = parseArgs({ options: { serve: { type: 'boolean', default: false }, port: { type: 'string', default: '4173' } } });
installSite();
buildSite((process.env['DOCS_URL'] ?? '').replace(/\/$/, ''));
if (values.serve) console.log(`The documentation: ${(await serveFolder(builtSite, Number(values.port))).url}`);
