import { isCatalogName } from './catalog-name.ts'
import { isStepName } from './step-name.ts'

/** Why a table may not be called this; `null` where it may. `others` are the names of every other table, missing ones too. */
export function tableNameProblem(name: string, others: readonly string[]): string | null {
  if (name === '') return 'A table needs a name.'
  if (isStepName(name)) return 'Steps of analyses have names like this. Choose another.'
  if (isCatalogName(name)) return 'The database itself has names like this. Choose another.'
  return others.some((one) => one.toLowerCase() === name.toLowerCase()) ? `There is a table ${name} already.` : null
}
