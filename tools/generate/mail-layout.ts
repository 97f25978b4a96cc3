import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Engine } from 'mrml';
import type { Step } from './step.ts';

/**
 * The HTML that all mails share. MJML becomes tables and inline styles here, so that no service
 * needs a renderer.
 */
export const mailLayout: Step = {
  name: 'mail layout',
  make: async (root) => {
    const source = await readFile(join(root, 'services/identity/src/mail/layout.mjml'), 'utf8');
    const engine = new Engine();
    // No fonts from another host.
    engine.setRenderOptions({ disableComments: false, socialIconOrigin: null, fonts: {} });
    const rendered = engine.toHtml(source);
    if (rendered.type === 'error') throw new Error(`layout.mjml: ${rendered.message}`);
    const html = rendered.content.replace(/>\s+</g, '><').trim();
    const content = `// Written by \`npm run generate\` from layout.mjml.\nexport const layout = ${JSON.stringify(html)};\n`;
    return [{ path: 'services/identity/src/mail/generated/layout.ts', content }];
  },
};
