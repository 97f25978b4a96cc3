import { type Bill, billOfMaterials } from '../supply/bill.ts';
import type { DebianPackage, Distribution, NodePackage } from './packages.ts';

interface Contents {
  readonly packages: readonly NodePackage[];
  readonly debian: readonly DebianPackage[];
  readonly distribution: Distribution | undefined;
  readonly node: string | undefined;
}

/** The bill of `npm run sbom`, of what is in this image, with the base's packages and its Node. */
export function billOfImage({ packages, debian, distribution, node }: Contents): Bill {
  const [ours, others] = [packages.filter(isOurs), packages.filter((each) => !isOurs(each))];
  const bill = billOfMaterials(ours.map((each) => ({ ...each, path: each.path.replace(/^app\//, '') })));
  const base = [
    ...others.map(({ name, version }) => ({ name, version, purl: `pkg:npm/${name.replace('@', '%40')}@${version}` })),
    ...debian.map(({ name, version, architecture }) => {
      const place = `arch=${architecture}&distro=${distribution?.codename ?? ''}`;
      return { name, version, purl: `pkg:deb/${distribution?.id ?? 'debian'}/${name}@${encodeURIComponent(version)}?${place}` };
    }),
    ...(node === undefined ? [] : [{ name: 'node', version: node, purl: `pkg:generic/node@${node}` }]),
  ];
  const known = new Set(bill.components.map(({ purl }) => purl));
  const added = [...new Map(base.map((each) => [each.purl, each])).values()].filter(({ purl }) => !known.has(purl));
  return {
    ...bill,
    components: [...bill.components, ...added.map((each) => ({ 'bom-ref': each.purl, type: 'library', ...each }))],
  };
}

function isOurs({ path }: NodePackage): boolean {
  return path.startsWith('app/');
}
