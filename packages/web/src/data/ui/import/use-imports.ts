import type { DataServices } from '../../domain/data-services.ts'
import { profileOf } from '../controls/use-table-profile.ts'
import { createImports, type Imports } from './state/imports.ts'

const made = new WeakMap<DataServices, Imports>()

/** One for each workspace: a file goes on loading when the person goes to another page of Data. */
export function useImports(services: DataServices): Imports {
  const known = made.get(services)
  if (known !== undefined) return known
  const imports = createImports({ services, profile: (table) => profileOf(services, table) })
  made.set(services, imports)
  return imports
}
