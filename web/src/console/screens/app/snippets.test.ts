/** test/journeys/libraries.test.ts runs the snippets against a stack over plain HTTP. */
import { expect, test } from '@jest/globals';
import type { App } from './fields.ts';
import { snippetsOf } from './snippets.ts';

const app = { clientId: 'client', redirectUris: ['https://app.example/callback'], postLogoutRedirectUris: [], scopes: [] };

test('over https no snippet permits plain HTTP', () => {
  for (const type of ['web', 'spa', 'native', 'machine'] as const)
    for (const { code } of snippetsOf({ ...app, type } as unknown as App, 'https://id.example.com/org/a/prj/b'))
      expect(code).not.toMatch(/insecure/i);
});
