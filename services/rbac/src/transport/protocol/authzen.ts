/**
 * AuthZEN Authorization API 1.0. Every endpoint runs operations of rbac through their pipeline, so
 * rights, scopes and consistency tokens are those of is-authorized. Only the shape of requests,
 * responses and errors is the standard's.
 */
import { chooseLanguage, failures, renderError } from '@tessera/kernel/errors';
import { identify, type Operation, type Runtime, run } from '@tessera/kernel/operation';
import { effectsOn, factsOf } from '@tessera/server/rest';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RbacDeps } from '../../deps.ts';
import { effectiveScope } from '../../domain/subject.ts';
import { ownQuestions } from '../../operations/decisions/input.ts';
import { answerEvaluation, answerEvaluations } from './authzen-evaluation.ts';
import { type Ask, type Asked, isObject } from './authzen-request.ts';
import { searchAction, searchResource, searchSubject } from './authzen-search.ts';

type Body = Readonly<Record<string, unknown>>;
type Endpoint = (body: Body, asked: Asked) => Promise<object>;

export const authzenPrefix = '/access/v1';
export const authzenMetadataPath = '/.well-known/authzen-configuration';
export const authzenEndpoints = {
  access_evaluation_endpoint: { path: `${authzenPrefix}/evaluation`, answer: answerEvaluation },
  access_evaluations_endpoint: { path: `${authzenPrefix}/evaluations`, answer: answerEvaluations },
  search_subject_endpoint: { path: `${authzenPrefix}/search/subject`, answer: searchSubject },
  search_resource_endpoint: { path: `${authzenPrefix}/search/resource`, answer: searchResource },
  search_action_endpoint: { path: `${authzenPrefix}/search/action`, answer: searchAction },
} as const satisfies Record<string, { path: string; answer: Endpoint }>;

const metadataAgeSeconds = 3_600;
const json = 'application/json; charset=utf-8';

export function bindAuthzen(parent: FastifyInstance, runtime: Runtime<RbacDeps>, appUrl: string): void {
  const endpoints = Object.entries(authzenEndpoints);
  const metadata = {
    policy_decision_point: appUrl,
    ...Object.fromEntries(endpoints.map(([name, { path }]) => [name, appUrl + path])),
  };
  parent.register(async (app) => {
    readJsonOnly(app);
    app.setErrorHandler((error: FastifyError, request, reply) => void answerError(error, request, reply, runtime));
    app.get(authzenMetadataPath, async (_request, reply) =>
      reply.header('cache-control', `public, max-age=${metadataAgeSeconds}`).send(metadata),
    );
    for (const [, { path, answer }] of endpoints) {
      app.post(path, async (request, reply) => reply.send(await answer(bodyOf(request), await askedBy(request, reply, runtime))));
      app.route({
        method: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'],
        url: path,
        exposeHeadRoute: false,
        handler: (_request, reply) => reply.status(405).header('allow', 'POST').type(json).send('"Use POST."'),
      });
    }
  });
}

/** The standard knows 400 for what is no JSON; a body is looked at after the caller is known. */
const unreadable: unique symbol = Symbol('no JSON');

function readJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) =>
    parse(request, body.toString(), (error, value) => done(null, error ? unreadable : value)),
  );
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, _body, done) => done(null, unreadable));
}

function bodyOf({ body }: FastifyRequest): Body {
  return isObject(body) ? body : {};
}

async function askedBy(request: FastifyRequest, reply: FastifyReply, runtime: Runtime<RbacDeps>): Promise<Asked> {
  const facts = factsOf(request, 'rest');
  const actor = await identify(ownQuestions, facts, runtime);
  if (!isObject(request.body)) throw failures.invalidJson();
  const tokenScope = actor.kind === 'token' ? effectiveScope(actor.subject, undefined) : undefined;
  const ask: Ask = async <Output>(operation: Operation<RbacDeps>, input: object) =>
    (await run(runtime, operation, () => input, facts, effectsOn(reply))).output as Output;
  return { ask, tokenScope };
}

/** An error is a status and a message (section 10.1.12 of the standard). */
function answerError(thrown: FastifyError, request: FastifyRequest, reply: FastifyReply, { logger }: Runtime<RbacDeps>): void {
  const isClientFault = thrown.statusCode !== undefined && thrown.statusCode < 500 && !('kind' in thrown);
  const fault = isClientFault ? (thrown.statusCode === 413 ? failures.tooLarge() : failures.badInput()) : thrown;
  const { status, body } = renderError(fault, chooseLanguage(request.headers['accept-language']));
  if (status >= 500) logger.error({ err: thrown }, 'request failed');
  if (status === 401) void reply.header('www-authenticate', 'Bearer');
  void reply.status(status).type(json).send(JSON.stringify(body.error));
}
