// Tools that an agent file has through `extends` alone: a list of its own would replace them.
import { dirname } from 'node:path'
import { readSource } from './config-source.ts'
import { readEnvironment } from './environment.ts'
import { readExtended } from './read-extended.ts'
import type { LoadOptions } from './resolve-agent.ts'
import { isMap, valueAt } from './value-path.ts'

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
  return { file: source.homeOf(['tools']).file, names }
}
