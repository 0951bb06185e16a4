// Tools that an agent file gets only through `extends`: a list of its own would replace them.
import { dirname } from 'node:path'
import { isRecord } from '@quarterdeck/protocol'
import type { LoadOptions } from '../agent-context.ts'
import { readExtended } from '../merge/read-extended.ts'
import { valueAt } from '../problems/value-path.ts'
import { readSource } from '../yaml/config-source.ts'
import { readEnvironment } from '../yaml/environment.ts'

interface InheritedTools {
  readonly file: string
  readonly names: readonly string[]
}

/**
 * Returns the tools and the file that defines them. Both paths are absolute. `null` if the file inherits no tools or has
 * its own list.
 */
export async function inheritedTools(
  file: string,
  { env: given, cwd, homeDir }: Pick<LoadOptions, 'env' | 'cwd' | 'homeDir'>,
): Promise<InheritedTools | null> {
  const { env } = await readEnvironment(given, [dirname(file), cwd])
  const own = await readSource(file, { env, homeDir })
  if (own === null || !isRecord(own.value) || Object.hasOwn(own.value, 'tools')) return null
  const { source } = await readExtended(own, { env, homeDir })
  const tools = valueAt(source.value, ['tools'])
  if (!Array.isArray(tools) || tools.length === 0) return null
  const names = tools.map((tool: unknown) => String(valueAt(tool, ['name']) ?? 'an unnamed tool'))
  return { file: source.originFileOf(['tools']).file, names }
}
