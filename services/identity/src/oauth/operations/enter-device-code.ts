import { strict } from '@tessera/kernel/operation';
import { parseScope } from '@tessera/kernel/scope';
import Type from 'typebox';
import { operation } from '../deps.ts';
import { enterUserCode } from '../openid/enter-user-code.ts';
import { describeInteraction, InteractionId, interactionFields } from './get-interaction.ts';

export const enterDeviceCode = operation({
  name: 'enterDeviceCode',
  summary: 'Enter the code that a device shows (RFC 8628): begins what the page asks the person',
  kind: 'mutation',
  input: strict({
    userCode: Type.String({
      minLength: 1,
      maxLength: 40,
      description: 'As the device shows it; case and hyphen do not matter',
      examples: ['WDJB-MJHT'],
    }),
  }),
  output: Type.Object({ id: InteractionId, ...interactionFields }),
  access: { open: 'the code is what is checked; the person may not be signed in yet' },
  scopes: 'none',
  verification: { exempt: 'signing in to an app is no change' },
  isolation: { unscoped: 'the app is looked up by the code' },
  limit: 'auth',
  errors: ['BAD_USER_INPUT', 'FORBIDDEN', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'openid.device',
  events: [],
  leaves: { ends: 'sessions and tokens end by a sign-out, a reset, or with the person' },
  rest: { method: 'POST', path: '/api/auth/device' },
  graphql: { none: 'REST only: for the page, which is bound by a cookie' },

  async prepare({ userCode }, context) {
    const { id, asked } = await enterUserCode(userCode, context);
    return { id, asked, shown: await describeInteraction(asked, context.deps) };
  },

  async handle(_input, { audit }, { id, asked: { app, client, session }, shown }) {
    audit({
      ...(session === undefined ? {} : { actorId: session.userId }),
      ...(app === undefined
        ? { targetType: 'OpenidClient', detail: { prompt: shown.prompt, clientId: client.clientId } }
        : { targetType: 'ProjectApp', targetId: app.id, scope: parseScope(app.scope), detail: { prompt: shown.prompt } }),
    });
    return { id, ...shown };
  },
});
