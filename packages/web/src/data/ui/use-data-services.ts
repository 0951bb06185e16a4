import { useWorkbench } from '../../hooks/use-workbench.ts'
import type { Workbench } from '../../stores/workbench.ts'
import type { DataServices } from '../domain/data-services.ts'
import { createDataServices } from '../services/create-data-services.ts'

const knownServices = new WeakMap<Workbench, DataServices>()

/** One per page load: tables and the engine stay when the user navigates away and back. */
export function useDataServices(): DataServices {
  const workbench = useWorkbench()
  const known = knownServices.get(workbench)
  if (known !== undefined) return known
  const made = createDataServices({ fetch: workbench.fetch })
  knownServices.set(workbench, made)
  return made
}
