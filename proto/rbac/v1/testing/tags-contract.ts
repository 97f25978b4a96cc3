/**
 * What the services that own tagged things rely on of rbac.v1.Tags, shown with projects. It runs on
 * the service itself and on each fake of it, so that a fake which drifts away fails.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type * as wire from '../../../generated/rbac.v1.ts';

type Call<Request, Response> = (request: Request) => Promise<Response>;

export type TagsUnderContract = {
  readonly checkTags: Call<wire.CheckTagsRequest, wire.CheckTagsResponse>;
  readonly listEntityTags: Call<wire.ListEntityTagsRequest, wire.ListEntityTagsResponse>;
  readonly listTaggedEntities: Call<wire.ListTaggedEntitiesRequest, wire.ListTaggedEntitiesResponse>;
  readonly listPrimaryTags: Call<wire.ListPrimaryTagsRequest, wire.ListPrimaryTagsResponse>;
};

export type ContractTagOwner = {
  readonly id: string;
  /** Returns the id of the new tag. */
  readonly makeTag: (name: string) => Promise<string>;
  /** As tenancy tells of it: exactly these tags from now on. */
  readonly tagProject: (projectId: string, tagIds: readonly string[], primaryTagId: string | null) => Promise<void>;
};

type Subject = { readonly tags: () => TagsUnderContract; readonly createOrganization: () => Promise<ContractTagOwner> };

function scopeOf({ id }: ContractTagOwner) {
  return { tenant: 'organization', id };
}

/** Registers the suite. `tags` is looked up in each test: a service starts after that. */
export function describeTagsContract({ tags, createOrganization }: Subject): void {
  const carried = async (organization: ContractTagOwner, entityIds: readonly string[]) => {
    const { entities } = await tags().listEntityTags({ scope: scopeOf(organization), entity: 'project', entityIds: [...entityIds] });
    return entities.map(({ entityId, tags: own, primaryTagId }) => [entityId, own.map(({ id }) => id).toSorted(), primaryTagId]);
  };
  const carriers = async (organization: ContractTagOwner, tagIds: readonly string[]) => {
    const request = { scope: scopeOf(organization), entity: 'project', tagIds: [...tagIds] };
    return (await tags().listTaggedEntities(request)).entityIds.toSorted();
  };
  const primary = async (places: readonly (readonly [organization: ContractTagOwner, projectId: string])[]) => {
    const projects = places.map(([organization, projectId]) => ({ parent: scopeOf(organization), projectId }));
    const found = await tags().listPrimaryTags({ projects });
    return Object.fromEntries(found.tags.map(({ projectId, tagId }) => [projectId, tagId]));
  };

  describe('rbac.v1.Tags', () => {
    test('what a scope does not have is missing, in the order of the request, and so is another’s tag', async () => {
      const [one, other] = [await createOrganization(), await createOrganization()];
      const [own, far, unknown] = [await one.makeTag('own'), await other.makeTag('far'), randomUUID()];
      const missing = async (...tagIds: string[]) => (await tags().checkTags({ scope: scopeOf(one), tagIds })).missing;
      expect(await missing(unknown, own, far)).toStrictEqual([unknown, far]);
      expect(await missing(own)).toStrictEqual([]);
      expect(await missing()).toStrictEqual([]);
    });

    test('tags come for each entity of the request, in its order, with the primary one; without tags there are none', async () => {
      const organization = await createOrganization();
      const [red, blue] = [await organization.makeTag('red'), await organization.makeTag('blue')];
      const [two, none, one] = [randomUUID(), randomUUID(), randomUUID()];
      await organization.tagProject(two, [red, blue], blue);
      await organization.tagProject(one, [red], null);
      expect(await carried(organization, [one, none, two])).toStrictEqual([
        [one, [red], undefined],
        [none, [], undefined],
        [two, [red, blue].toSorted(), blue],
      ]);
    });

    test('new tags replace those before, and the primary one with them', async () => {
      const organization = await createOrganization();
      const [red, blue] = [await organization.makeTag('red'), await organization.makeTag('blue')];
      const project = randomUUID();
      await organization.tagProject(project, [red], red);
      await organization.tagProject(project, [blue], null);
      expect(await carried(organization, [project])).toStrictEqual([[project, [blue], undefined]]);
      expect([await carriers(organization, [red]), await primary([[organization, project]])]).toStrictEqual([[], {}]);
      await organization.tagProject(project, [], null);
      expect(await carried(organization, [project])).toStrictEqual([[project, [], undefined]]);
    });

    test('an entity is found by all of the tags, and by none of another scope', async () => {
      const [one, other] = [await createOrganization(), await createOrganization()];
      const [red, blue, far] = [await one.makeTag('red'), await one.makeTag('blue'), await other.makeTag('far')];
      const [both, half] = [randomUUID(), randomUUID()];
      await one.tagProject(both, [red, blue], null);
      await one.tagProject(half, [red], null);
      expect(await carriers(one, [red])).toStrictEqual([both, half].toSorted());
      expect(await carriers(one, [red, blue])).toStrictEqual([both]);
      expect([await carriers(one, [red, far]), await carriers(other, [red])]).toStrictEqual([[], []]);
    });

    test('primary tags of projects in several organizations come at once, each only in its own', async () => {
      const [one, other] = [await createOrganization(), await createOrganization()];
      const [red, far] = [await one.makeTag('red'), await other.makeTag('far')];
      const [first, second, plain] = [randomUUID(), randomUUID(), randomUUID()];
      await one.tagProject(first, [red], red);
      await other.tagProject(second, [far], far);
      await one.tagProject(plain, [red], null);
      const places = [
        [one, first],
        [other, second],
        [one, plain],
      ] as const;
      expect(await primary(places)).toStrictEqual({ [first]: red, [second]: far });
      expect(await primary([[other, first]])).toStrictEqual({});
      expect(await primary([])).toStrictEqual({});
    });
  });
}
