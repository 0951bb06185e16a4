import { createWorkspace } from '../analysis/create-workspace.ts'
import type { Workspace } from '../analysis/workspace.ts'
import type { Workbench } from '../state/workbench.ts'
import { useWorkbench } from './use-workbench.ts'

const workspaces = new WeakMap<Workbench, Workspace>()

/** One for the life of the page: tables and the engine stay when the person goes to another page and comes back. */
export function useWorkspace(): Workspace {
  const workbench = useWorkbench()
  const known = workspaces.get(workbench)
  if (known !== undefined) return known
  const made = createWorkspace({ fetch: workbench.fetch })
  workspaces.set(workbench, made)
  return made
}
