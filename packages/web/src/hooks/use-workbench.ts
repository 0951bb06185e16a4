import { createContext, useContext } from 'react'
import type { Workbench } from '../stores/workbench.ts'

export const WorkbenchContext = createContext<Workbench | null>(null)

export function useWorkbench(): Workbench {
  const workbench = useContext(WorkbenchContext)
  if (workbench === null) throw new Error('useWorkbench needs a WorkbenchContext above it')
  return workbench
}
