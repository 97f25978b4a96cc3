/** What the queries of rules and dashboards look at, and what a scrape of the system exposes. */

export type Selector = {
  readonly metric: string;
  readonly labels: readonly string[];
  /** Labels that the query compares with one value. */
  readonly values: readonly (readonly [label: string, value: string])[];
};

const keywords = new Set(['and', 'or', 'unless', 'by', 'without', 'on', 'ignoring', 'group_left', 'group_right', 'bool', 'offset']);

/** The series that a query reads, and the labels that it groups by. */
export function readQuery(query: string): { readonly selectors: readonly Selector[]; readonly groupedBy: readonly string[] } {
  const selectors = [...query.matchAll(/([a-zA-Z_:][\w:]*)\s*\{([^}]*)\}/g)].map(([, metric = '', matchers = '']) => {
    const found = [...matchers.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)];
    const values = found.flatMap(([, label = '', sign, value = '']) =>
      sign === '=' && !value.startsWith('$') ? [[label, value] as const] : [],
    );
    return { metric, labels: found.map(([, label = '']) => label), values };
  });
  const rest = query.replaceAll(/[a-zA-Z_:][\w:]*\s*\{[^}]*\}/g, ' ').replaceAll(/\[[^\]]*\]/g, ' ');
  const groups = [...rest.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)];
  const plain = rest.replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, ' ').replaceAll(/"[^"]*"|\b\d+[smhdwy]\b/g, ' ');
  const bare = [...plain.matchAll(/\b([a-zA-Z_:][\w:]*)\b(?!\s*\()/g)].map(([, name = '']) => name).filter((name) => !keywords.has(name));
  return {
    selectors: [...selectors, ...bare.map((metric) => ({ metric, labels: [], values: [] }))],
    groupedBy: groups.flatMap(([, names = '']) => names.split(',').map((name) => name.trim())),
  };
}

/** Name → label → values, of a text that a metrics endpoint returned. */
export function readExposition(text: string): ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>> {
  const metrics = new Map<string, Map<string, Set<string>>>();
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/gm)) {
    const known = metrics.get(name) ?? new Map<string, Set<string>>();
    metrics.set(name, known);
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g))
      known.set(label, (known.get(label) ?? new Set()).add(value));
  }
  return metrics;
}

/** Labels that Prometheus itself adds. */
const added = new Set(['job', 'instance']);

/** One sentence for each thing that the query names and the system does not expose. */
export function faultsOf(query: string, exposed: ReturnType<typeof readExposition>): readonly string[] {
  const { selectors, groupedBy } = readQuery(query);
  const measured = selectors.filter(({ metric }) => metric !== 'up');
  const series = measured.flatMap(({ metric, labels, values }) => {
    const known = exposed.get(metric);
    if (known === undefined) return [`no metric ${metric}`];
    return [
      ...labels.filter((label) => !added.has(label) && !known.has(label)).map((label) => `${metric} has no label ${label}`),
      ...values
        .filter(([label, value]) => !added.has(label) && known.has(label) && !known.get(label)?.has(value))
        .map(([label, value]) => `${metric} has no ${label}="${value}"`),
    ];
  });
  const groups = groupedBy.filter((label) => !added.has(label) && !measured.some(({ metric }) => exposed.get(metric)?.has(label)));
  return [...series, ...groups.map((label) => `no metric of the query has the label ${label}`)];
}
