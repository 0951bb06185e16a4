import type { Isolation } from '../../../isolation/sandbox-command.ts'

/** Nothing before the command, as on a system without namespaces. */
export const bareIsolation: Isolation = {
  pidNamespace: false,
  ownProc: false,
  hidesFiles: false,
  guardsMachine: false,
  why: 'bare',
  prefix: [],
  dropRights: [],
}
