// Fields and values the design (or HoloDeck's schema) knows and this version does not do yet. A field that would be
// ignored is refused by name instead; an empty one asks for nothing and passes.
import type { ConfigSource } from './config-source.ts'
import { entryOf, formatPath, type Path } from './value-path.ts'

export const unsupportedKeys: Readonly<Record<string, readonly string[]>> = {
  '': [
    'tools',
    'evaluations',
    'test_cases',
    'test_cases_file',
    'response_format',
    'embedding_provider',
    'observability',
    'deployment',
    'execution',
    'hooks',
    'routing',
    'extends',
    'openai',
  ],
  model: ['api_version'],
  claude: [
    'disable_default_hooks',
    'disable_subprocess_env_scrub',
    'max_concurrent_sessions',
    'session_memory_estimate_mib',
  ],
  limits: ['units_per_day'],
  approvals: ['who'],
}

/** Keys of config.yaml that wait for later work. */
export const unsupportedConfigKeys: Readonly<Record<string, readonly string[]>> = {
  '': ['providers', 'vectorstores', 'mcp_servers', 'execution', 'deployment'],
  'models.<name>': ['label', 'context_window'],
}

export const unsupportedValues: Readonly<Record<string, readonly string[]>> = {
  'model.provider': ['openai', 'azure_openai', 'ollama'],
  backend: ['loop'],
  'workspace.mode': ['worktree'],
}

/** Reports every such field and value, and returns a copy without them. */
export function refuseUnsupported(
  source: ConfigSource,
  keys: Readonly<Record<string, readonly string[]>> = unsupportedKeys,
): unknown {
  return prune(source.value, [])

  function prune(value: unknown, path: Path): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const refused = entryOf(keys, formatPath(path)) ?? entryOf(keys, formatPath([...path.slice(0, -1), '<name>'])) ?? []
    const kept = Object.entries(value).filter(([key, item]) => {
      if (refused.includes(key)) return isAsking(item) && refuse([...path, key], [...path, key])
      return !isRefusedValue([...path, key], item) || refuse([...path, key], [...path, `${key}: ${String(item)}`])
    })
    return Object.fromEntries(kept.map(([key, item]) => [key, prune(item, [...path, key])]))
  }

  function refuse(path: Path, named: Path): false {
    const message = `not supported yet: ${formatPath(named)}`
    source.report({ severity: 'error', code: 'config.unsupported', path, message })
    return false
  }
}

const isRefusedValue = (path: Path, value: unknown): boolean =>
  typeof value === 'string' && (entryOf(unsupportedValues, formatPath(path))?.includes(value) ?? false)

function isAsking(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
