import type { Workspace } from '../../analysis/workspace.ts'
import { profileOf } from '../../hooks/use-table-profile.ts'
import { createImports, type Imports } from './imports.ts'

const made = new WeakMap<Workspace, Imports>()

/** One for each workspace: a file goes on loading when the person goes to another page of Data. */
export function useImports(workspace: Workspace): Imports {
  const known = made.get(workspace)
  if (known !== undefined) return known
  const imports = createImports({ workspace, profile: (table) => profileOf(workspace, table) })
  made.set(workspace, imports)
  return imports
}
