// Tools that an agent file has through `extends` alone: a list of its own would replace them.
import { dirname } from 'node:path'
import { readExtended } from '../merge/read-extended.ts'
import { isMap, valueAt } from '../problems/value-path.ts'
import type { LoadOptions } from '../resolve/resolve-agent.ts'
import { readSource } from '../yaml/config-source.ts'
import { readEnvironment } from '../yaml/environment.ts'

export interface InheritedTools {
  /** The file that says them. Absolute. */
  readonly file: string
  readonly names: readonly string[]
}

/** `file` is absolute. `null` where it inherits none, or has a list of its own. */
export async function inheritedTools(
  file: string,
  { env: given, cwd, homeDir }: Pick<LoadOptions, 'env' | 'cwd' | 'homeDir'>,
): Promise<InheritedTools | null> {
  const { env } = await readEnvironment(given, [dirname(file), cwd])
  const own = await readSource(file, { env, homeDir })
  if (own === null || !isMap(own.value) || Object.hasOwn(own.value, 'tools')) return null
  const { source } = await readExtended(own, { env, homeDir })
  const tools = valueAt(source.value, ['tools'])
  if (!Array.isArray(tools) || tools.length === 0) return null
  const names = tools.map((tool: unknown) => String(valueAt(tool, ['name']) ?? 'one without a name'))
  return { file: source.originFileOf(['tools']).file, names }
}
