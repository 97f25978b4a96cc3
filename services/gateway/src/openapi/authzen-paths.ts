/** The endpoints of AuthZEN's Authorization API 1.0, which are rbac's. See docs/authzen.md. */
type Json = Readonly<Record<string, unknown>>;

function schema(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}
function object(properties: Json, required: readonly string[], description?: string): Json {
  return { type: 'object', ...(description === undefined ? {} : { description }), properties, required };
}
const text = { type: 'string' };
const anyObject = { type: 'object', additionalProperties: true };

/** Named in the document, so that a generated client has types of these names. */
export const authzenSchemas: Readonly<Record<string, Json>> = {
  AuthzenSubject: object(
    { type: { ...text, description: 'user, apiKey or app' }, id: text, properties: { ...anyObject, description: 'Ignored' } },
    ['type', 'id'],
    'Another subject than the caller takes Decision:Evaluate in the scope. An unknown one has no rights.',
  ),
  AuthzenAction: object({ name: text, properties: { ...anyObject, description: 'Ignored' } }, ['name']),
  AuthzenResource: object(
    { type: { ...text, description: 'The slug of a resource' }, id: text, properties: anyObject },
    ['type', 'id'],
    'Conditions read id and properties as resource.*',
  ),
  AuthzenContext: {
    ...object({ scope: object({ tenant: text, id: text }, ['tenant', 'id'], 'Left out: the scope of the token') }, []),
    additionalProperties: true,
  },
  AuthzenPageRequest: object(
    {
      token: { ...text, description: 'next_token of the page before' },
      limit: { type: 'integer', minimum: 1, description: '1,000 at most' },
    },
    [],
  ),
  AuthzenPage: object({ next_token: { ...text, description: 'Empty at the end' }, count: { type: 'integer' } }, ['next_token', 'count']),
  AuthzenDecision: object({ decision: { type: 'boolean' }, context: anyObject }, ['decision']),
  AuthzenEvaluation: object(
    {
      subject: schema('AuthzenSubject'),
      action: schema('AuthzenAction'),
      resource: schema('AuthzenResource'),
      context: schema('AuthzenContext'),
    },
    ['subject', 'action', 'resource'],
  ),
};

const scope = { tenant: 'organization', id: '0198c5f4-7d2a-7c3e-9b1f-2a6d4e8f0c11' };
const subject = { type: 'user', id: '0198c5f4-8e3b-7d4f-8c2a-3b7e5f9a1d22' };
const action = { name: 'Query' };
const resource = { type: 'Role', id: 'any' };
const evaluation = { subject, action, resource, context: { scope } };

function errorOf([status, description, message]: readonly [number, string, string]): readonly [string, Json] {
  return [String(status), { description, content: { 'application/json': { schema: text, example: message } } }];
}
const errors = Object.fromEntries(
  (
    [
      [400, 'The body is no JSON object, or a field is not valid', 'The field subject is required.'],
      [401, 'No token, or an invalid or expired one', 'Sign in to do this.'],
      [403, 'The caller may not ask this here', 'You do not have the right to do this here. An owner or admin can give it to you.'],
      [413, 'The body is too large', 'The request is too large.'],
      [500, 'A fault on our side', 'Something went wrong on our side. Try again in a moment.'],
    ] as const
  ).map(errorOf),
);

/** Answered before the endpoint is asked, in the shape of all other errors. */
const ofGateway = {
  '429': { $ref: '#/components/responses/RateLimited' },
  ...Object.fromEntries([502, 503, 504].map((status) => [status, { $ref: `#/components/responses/Error${status}` }])),
};

type Endpoint = {
  readonly operationId: string;
  readonly texts: readonly [summary: string, description: string];
  readonly body: Json;
  readonly sent: unknown;
  readonly answer: Json;
  readonly answered: unknown;
};

const requestId = {
  name: 'X-Request-ID',
  in: 'header',
  required: false,
  description: 'Comes back with the answer',
  schema: text,
  example: 'bfe9eb29-ab87-4ca3-be83-a1d5d8305716',
};

function endpoint({ operationId, texts: [summary, description], body, sent, answer, answered }: Endpoint): Json {
  const shown = { description: 'The answer', content: { 'application/json': { schema: answer, example: answered } } };
  return {
    post: {
      operationId,
      summary,
      description,
      tags: ['authzen'],
      security: [{ bearer: [] }],
      parameters: [requestId],
      'x-service': 'rbac',
      requestBody: { required: true, content: { 'application/json': { schema: body, example: sent } } },
      responses: { '200': shown, ...errors, ...ofGateway },
    },
  };
}

function search(result: Json): Json {
  return object({ results: { type: 'array', items: result }, page: schema('AuthzenPage') }, ['results', 'page']);
}
const [ofSubject, ofAction] = [schema('AuthzenSubject'), schema('AuthzenAction')];
const [ofResource, context] = [schema('AuthzenResource'), schema('AuthzenContext')];
const page = schema('AuthzenPageRequest');
const lastPage = { next_token: '', count: 1 };

export const authzenPaths: Readonly<Record<string, Json>> = {
  '/.well-known/authzen-configuration': {
    get: {
      operationId: 'authzenConfiguration',
      summary: 'Where AuthZEN’s endpoints are',
      tags: ['authzen'],
      security: [],
      description: 'Metadata of the policy decision point (AuthZEN Authorization API 1.0, section 9).',
      responses: {
        '200': {
          description: 'The addresses',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['policy_decision_point'],
                properties: { policy_decision_point: text },
                additionalProperties: text,
              },
              example: {
                policy_decision_point: 'https://tessera.example.com',
                access_evaluation_endpoint: 'https://tessera.example.com/access/v1/evaluation',
              },
            },
          },
        },
        '429': { $ref: '#/components/responses/RateLimited' },
      },
    },
  },
  '/access/v1/evaluation': endpoint({
    operationId: 'authzenEvaluation',
    texts: ['May this subject do this?', 'One decision, equal to is-authorized.'],
    body: schema('AuthzenEvaluation'),
    sent: evaluation,
    answer: schema('AuthzenDecision'),
    answered: { decision: true, context: { reason: 'PERMISSION_GRANTED_NO_CONDITION' } },
  }),
  '/access/v1/evaluations': endpoint({
    operationId: 'authzenEvaluations',
    texts: ['Many decisions at once', 'Up to 1,000; what an evaluation leaves out is taken from the defaults beside the list.'],
    body: object(
      {
        subject: ofSubject,
        action: ofAction,
        resource: ofResource,
        context,
        evaluations: {
          type: 'array',
          maxItems: 1_000,
          items: object({ subject: ofSubject, action: ofAction, resource: ofResource, context }, []),
        },
        options: object(
          { evaluations_semantic: { type: 'string', enum: ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] } },
          [],
        ),
      },
      [],
    ),
    sent: { subject, context: { scope }, evaluations: [{ action, resource }] },
    answer: {
      anyOf: [
        object({ evaluations: { type: 'array', items: schema('AuthzenDecision') } }, ['evaluations']),
        { ...schema('AuthzenDecision'), description: 'When the request has no evaluations' },
      ],
    },
    answered: { evaluations: [{ decision: true, context: { reason: 'PERMISSION_GRANTED_NO_CONDITION' } }] },
  }),
  '/access/v1/search/subject': endpoint({
    operationId: 'authzenSearchSubject',
    texts: ['Who may do this?', 'Subjects of one type, page by page; a page may be short before the end.'],
    body: object(
      { subject: object({ type: text, properties: anyObject }, ['type']), action: ofAction, resource: ofResource, context, page },
      ['subject', 'action', 'resource'],
    ),
    sent: { subject: { type: 'user' }, action, resource, context: { scope }, page: { limit: 100 } },
    answer: search(object({ type: text, id: text }, ['type', 'id'])),
    answered: { results: [subject], page: lastPage },
  }),
  '/access/v1/search/resource': endpoint({
    operationId: 'authzenSearchResource',
    texts: ['On which resources may the subject do this?', 'Answers definitions of resources; the type `*` stands for every type.'],
    body: object(
      { subject: ofSubject, action: ofAction, resource: object({ type: text, properties: anyObject }, ['type']), context, page },
      ['subject', 'action', 'resource'],
    ),
    sent: { subject, action, resource: { type: '*' }, context: { scope } },
    answer: search(object({ type: text, id: text }, ['type', 'id'])),
    answered: { results: [{ type: 'Role', id: 'Role' }], page: lastPage },
  }),
  '/access/v1/search/action': endpoint({
    operationId: 'authzenSearchAction',
    texts: ['What may the subject do with this resource?', 'The actions that are authorized, page by page.'],
    body: object({ subject: ofSubject, resource: ofResource, context, page }, ['subject', 'resource']),
    sent: { subject, resource, context: { scope } },
    answer: search(object({ name: text }, ['name'])),
    answered: { results: [action], page: lastPage },
  }),
};
