import type { Face } from './domain/face.ts';
import type { OwnTemplate, OwnText } from './domain/own-text.ts';
import { type Rendered, render } from './templates.ts';

/** Made-up names, so that a text can be seen before it is sent. */
export const sampleData = {
  token: '',
  organizationName: 'Acme',
  projectName: 'Portal',
  appName: 'Portal',
  inviterAddress: 'ada@example.com',
} as const;

type Sample = { readonly template: OwnTemplate; readonly language: string; readonly text: OwnText; readonly url: string };

export function renderSample({ template, language, text, url }: Sample, face: Face, productName: string): Rendered {
  const { name, primaryColor: color, isOfTenant } = face;
  const brand = { name, color, text, ...(isOfTenant ? { productName } : {}) };
  return render(template, language, { ...sampleData, url }, '', brand);
}
