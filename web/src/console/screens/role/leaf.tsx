import type { ReactNode } from 'react';
import { useTexts } from '../../base/words.ts';
import type { Permission } from './plan.ts';

type LeafProps = {
  readonly permission: Pick<Permission, 'name' | 'action' | 'condition'>;
  readonly resource: string;
  readonly children?: ReactNode;
};

/** A permission of a group: what it allows, and under which condition. */
export function Leaf({ permission: { name, action, condition }, resource, children }: LeafProps) {
  const { t } = useTexts();
  return (
    <li className="leaf">
      <strong>{name}</strong>
      <span>
        <code>{action}</code> · {resource}
      </span>
      <span>{condition === null ? t('always') : <code>{JSON.stringify(condition)}</code>}</span>
      {children}
    </li>
  );
}
