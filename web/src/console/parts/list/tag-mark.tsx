type Tag = { readonly id: string; readonly name: string; readonly color: string };

export function TagMark({ name, color }: Omit<Tag, 'id'>) {
  return (
    <span className="tag" data-color={color}>
      {name}
    </span>
  );
}

/** A name and the tags that the thing carries. */
export function TagMarks({ tags = [] }: { readonly tags?: readonly Tag[] | undefined }) {
  if (tags.length === 0) return '–';
  return (
    <span className="tags">
      {tags.map(({ id, name, color }) => (
        <TagMark key={id} name={name} color={color} />
      ))}
    </span>
  );
}
