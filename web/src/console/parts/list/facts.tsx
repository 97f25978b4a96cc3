type FactsProps = { readonly facts: readonly (readonly [label: string, value: string | null])[] };

/** What there is to know about one thing, line by line; what is null is left out. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl className="facts">
      {facts.map(([label, value]) =>
        value === null ? null : (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
