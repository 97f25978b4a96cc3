import { usePlaceHere } from '../../base/scope.ts';
import { OfOrganization } from './of-organization.tsx';
import { OfProject } from './of-project.tsx';

/** Support access, from the side of the product or of the organization that uses it. */
export function Screen() {
  const { projectId } = usePlaceHere();
  return projectId === undefined ? <OfOrganization /> : <OfProject />;
}
