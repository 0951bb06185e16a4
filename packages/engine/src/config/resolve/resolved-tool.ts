// Shared by tools of several types.
import { stat } from 'node:fs/promises'
import type { AgentTool } from '@quarterdeck/protocol'
import type { ToolSecrets } from '../../ports/agent-registry.ts'
import type { AgentContext } from '../agent-context.ts'
import { nearestPath } from '../check/check-named-files.ts'
import { formatPath, type Path } from '../problems/value-path.ts'
import type { ToolBlock } from '../schema/tools-block.ts'
import { resolveProjectPath } from './resolve-instructions.ts'

export interface ResolvedTool {
  readonly tool: AgentTool
  readonly secrets: ToolSecrets
  /** The values among them that must never be stored or printed. */
  readonly declared: readonly string[]
}

export const commonToolFields = ({
  name,
  description,
  critical,
}: Pick<ToolBlock, 'name' | 'description' | 'critical'>) => ({
  name,
  description: description ?? '',
  isCritical: critical ?? false,
})

export const toMs = (seconds: number): number => Math.max(1, Math.round(seconds * 1000))

/** A module of the project, by its absolute path. */
export async function resolveModule(context: AgentContext, written: string, path: Path): Promise<string> {
  const { source } = context
  const target = await resolveProjectPath(context, written, path)
  if (target === null) return ''
  const refuse = (code: 'config.invalid' | 'config.unreadable', reason: string, suggestion?: string): string => {
    const message = `"${formatPath(path)}": ${reason}`
    source.report({ severity: 'error', code, path, part: 'value', message, suggestion })
    return ''
  }
  if (!/\.(?:m?[jt]s|cjs)$/.test(target))
    return refuse('config.invalid', 'must be a .ts, .mts, .js, .mjs or .cjs module')
  const isFile = await stat(target).then(
    (stats) => stats.isFile(),
    () => false,
  )
  if (isFile) return target
  return refuse('config.unreadable', 'there is no such file', await nearestPath(context, path, target))
}
