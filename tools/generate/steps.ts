import { auditActions } from './audit-actions.ts';
import { authorizationContract } from './authorization-contract.ts';
import { builtInRoles } from './built-in-roles.ts';
import { cli } from './cli.ts';
import { client } from './client.ts';
import { conformance } from './conformance.ts';
import { gatewayRoutes } from './gateway-routes.ts';
import { graphqlOperations } from './graphql-operations.ts';
import { importedHash } from './imported-hash.ts';
import { mailLayout } from './mail-layout.ts';
import { openApi } from './openapi.ts';
import { pageWords } from './page-words.ts';
import { protoTypes } from './proto-types.ts';
import { references } from './references.ts';
import { settings } from './settings.ts';
import type { Step } from './step.ts';
import { supergraph } from './supergraph.ts';

/** In their order: later ones read what earlier ones are made of. */
export const steps: readonly Step[] = [
  protoTypes,
  authorizationContract,
  auditActions,
  builtInRoles,
  graphqlOperations,
  gatewayRoutes,
  supergraph,
  openApi,
  client,
  mailLayout,
  pageWords,
  settings,
  importedHash,
  references,
  cli,
  conformance,
];
