/**
 * What identity relies on of rbac.v1.Catalogue. It runs on the service itself and on the fake of
 * it, so that a fake which drifts away fails.
 */
import { describe, expect, test } from '@jest/globals';
import type * as wire from '../../../generated/rbac.v1.ts';

type Call<Request, Response> = (request: Request) => Promise<Response>;

export type CatalogueUnderContract = {
  readonly checkActions: Call<wire.CheckActionsRequest, wire.CheckActionsResponse>;
  readonly describeActions: Call<wire.DescribeActionsRequest, wire.DescribeActionsResponse>;
  readonly findResourceServer: Call<wire.FindResourceServerRequest, wire.FindResourceServerResponse>;
};

type Scope = { readonly tenant: string; readonly id: string };
/** A project with one resource, of which one action exists, and another project without it. */
export type ContractResource = {
  readonly actor: wire.Subject;
  readonly scope: Scope;
  readonly otherScope: Scope;
  readonly slug: string;
  readonly known: string;
  readonly unknown: string;
  readonly identifier: string;
};

type Subject = { readonly catalogue: () => CatalogueUnderContract; readonly arrange: () => Promise<ContractResource> };

/** Registers the suite. `catalogue` is looked up in each test: a service starts after that. */
export function describeCatalogueContract({ catalogue, arrange }: Subject): void {
  describe('rbac.v1.Catalogue', () => {
    test('each action of a request has a verdict, in its order', async () => {
      const { actor, scope, known, unknown } = await arrange();
      const verdicts = async (...actions: string[]) =>
        (await catalogue().checkActions({ actor, scope, actions })).verdicts.map(({ action, verdict }) => [action, verdict]);
      expect(await verdicts(unknown, known, unknown)).toStrictEqual([
        [unknown, 'not-found'],
        [known, 'allowed'],
        [unknown, 'not-found'],
      ]);
      expect(await verdicts()).toStrictEqual([]);
    });

    test('each action of a request has a description, in its order; that of an unknown one is empty', async () => {
      const { scope, known, unknown } = await arrange();
      const described = async (...actions: string[]) => (await catalogue().describeActions({ scope, actions })).descriptions;
      const [none, one, again] = await described(unknown, known, known);
      expect([none, one === again, one === '']).toStrictEqual(['', true, false]);
      expect(await described()).toStrictEqual([]);
    });

    test('an API is found by its identifier in its own project, and nothing elsewhere or by another one', async () => {
      const { scope, otherScope, slug, identifier } = await arrange();
      const find = (place: Scope, wanted: string) => catalogue().findResourceServer({ scope: place, identifier: wanted });
      expect(await find(scope, identifier)).toStrictEqual({ identifier, slugs: [slug] });
      const nothing = { identifier: '', slugs: [] };
      expect(await find(otherScope, identifier)).toStrictEqual(nothing);
      expect(await find(scope, `${identifier}/more`)).toStrictEqual(nothing);
    });
  });
}
