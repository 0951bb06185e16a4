// Fields and values of the design (or of HoloDeck's schema) that this version does not support. They are refused by
// name instead of being ignored; a field that requests nothing is accepted.
import { entryOf, formatPath, type Path, patternOf } from '../problems/value-path.ts'
import type { ConfigSource } from '../yaml/config-source.ts'

const observability = {
  observability: ['disable_provider_tracing', 'metrics', 'logs'],
  'observability.traces': ['capture_evaluation_content', 'redaction_patterns'],
  'observability.exporters': ['prometheus', 'azure_monitor'],
  'observability.exporters.otlp': ['insecure'],
  'observability.exporters.console': ['pretty_print', 'include_timestamps'],
}

export const unsupportedKeys: Readonly<Record<string, readonly string[]>> = {
  '': ['deployment', 'routing'],
  ...observability,
  claude: ['disable_default_hooks', 'session_memory_estimate_mib'],
  openai: [
    'max_concurrent_sessions',
    'session_memory_estimate_mib',
    'i_understand_this_is_unsafe',
    'disable_default_hooks',
    'disable_subprocess_env_scrub',
  ],
  approvals: ['who'],
  'tools[]': ['sse_read_timeout', 'reranker_model', 'context_model', 'context_max_tokens', 'context_concurrency'],
  'tools[].keyword_index': [
    'endpoint',
    'index_name',
    'username',
    'password',
    'api_key',
    'verify_certs',
    'timeout_seconds',
  ],
  evaluations: ['optimizer'],
  execution: ['file_timeout', 'download_timeout', 'cache_enabled', 'cache_dir'],
  'test_cases[].files[]': ['url', 'pages', 'sheet', 'range', 'cache'],
  'test_cases[].turns[].files[]': ['url', 'pages', 'sheet', 'range', 'cache'],
}

/** Keys of config.yaml that are planned for later. */
export const unsupportedConfigKeys: Readonly<Record<string, readonly string[]>> = {
  '': ['deployment'],
  ...observability,
  execution: ['file_timeout', 'download_timeout', 'cache_enabled', 'cache_dir'],
  'mcp_servers[]': ['sse_read_timeout'],
}

export const unsupportedValues: Readonly<Record<string, readonly (string | true)[]>> = {
  'workspace.mode': ['worktree'],
  'tools[].transport': ['websocket'],
  'tools[].enable_reranking': [true],
  'tools[].document_domain': ['us_legislative', 'au_legislative', 'academic', 'technical', 'legal_contract'],
  'tools[].keyword_index.provider': ['opensearch'],
  'mcp_servers[].transport': ['websocket'],
  'observability.exporters.otlp.protocol': ['grpc'],
}

/** Defaults of HoloDeck: a file that states them requests nothing new. */
export const holodeckDefaults: Readonly<Record<string, number | true>> = {
  'claude.session_memory_estimate_mib': 500,
  'openai.session_memory_estimate_mib': 500,
  'tools[].load_prompts': true,
  'tools[].context_max_tokens': 100,
  'tools[].context_concurrency': 10,
  'mcp_servers[].load_prompts': true,
  'execution.file_timeout': 30,
  'execution.download_timeout': 30,
  'execution.cache_enabled': true,
  'observability.exporters.otlp.insecure': true,
  'observability.exporters.console.pretty_print': true,
  'observability.exporters.console.include_timestamps': true,
}

/** Reports every such field and value, and returns a copy without them. */
export function refuseUnsupported(
  source: ConfigSource,
  keys: Readonly<Record<string, readonly string[]>> = unsupportedKeys,
): unknown {
  return prune(source.value, [])

  function prune(value: unknown, path: Path): unknown {
    if (Array.isArray(value)) return value.map((item, index) => prune(item, [...path, index]))
    if (typeof value !== 'object' || value === null) return value
    const refused = entryOf(keys, patternOf(path)) ?? []
    const supported = Object.entries(value).filter(([key, item]) => {
      if (entryOf(holodeckDefaults, patternOf([...path, key])) === item) return ignore([...path, key])
      if (refused.includes(key)) return isAsking(item) && refuse([...path, key], [...path, key])
      return !isRefusedValue([...path, key], item) || refuse([...path, key], [...path, `${key}: ${String(item)}`])
    })
    const known = Object.fromEntries(supported.map(([key, item]) => [key, prune(item, [...path, key])]))
    // A file given by its URL has no path, and needs none to be refused.
    return refused.includes('url') && 'url' in value ? { path: '-', ...known } : known
  }

  function ignore(path: Path): false {
    source.warnNoEffect(path, 'it is not supported yet')
    return false
  }

  function refuse(path: Path, named: Path): false {
    const message = `not supported yet: ${formatPath(named)}`
    source.report({ severity: 'error', code: 'config.unsupported', path, message })
    return false
  }
}

const isRefusedValue = (path: Path, value: unknown): boolean =>
  (typeof value === 'string' || value === true) &&
  (entryOf(unsupportedValues, patternOf(path))?.includes(value) ?? false)

function isAsking(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
