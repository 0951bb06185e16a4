import type { Isolation } from '../../../isolation/sandbox-command.ts'

/** No sandbox wrapper, as on a system without namespaces. */
export const bareIsolation: Isolation = {
  pidNamespace: false,
  ownProc: false,
  hidesFiles: false,
  guardsMachine: false,
  why: 'bare',
  prefix: [],
  dropRights: [],
}
