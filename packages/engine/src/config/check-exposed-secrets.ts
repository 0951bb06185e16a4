import { namesSecret } from './names-secret.ts'
import type { AgentContext } from './resolve-agent.ts'
import { formatPath, type Path } from './value-path.ts'

/** Where a secret may stand: it is handed on from there and appears in no definition. */
const places = [
  /(?:^|\.)(?:model|embedding_provider)\.api_key$/,
  /^tools\[\d+\]\.(?:env|headers|config|database)(?:\.|$)/,
  /^hooks\[\d+\]\.env(?:\.|$)/,
]

const mayHoldSecret = (path: Path): boolean => places.some((place) => place.test(formatPath(path)))

/** A secret from the environment that would end up where everybody reads it, and one that is written into the file. */
export function checkExposedSecrets({ file, source }: AgentContext): void {
  for (const { path, variables } of source.substitutions.values()) {
    const secret = variables.find(namesSecret)
    if (secret === undefined || mayHoldSecret(path)) continue
    const message = `${secret} would become readable here: a secret may only stand in an api_key, or in env and headers of a tool`
    source.report({ severity: 'error', code: 'config.exposed-secret', path, message })
  }
  const keys: readonly Path[] = [
    ...(file.model.api_key ? [['model', 'api_key']] : []),
    ...(file.embedding_provider?.api_key ? [['embedding_provider', 'api_key']] : []),
  ]
  for (const path of keys) {
    if (source.substitutions.has(formatPath(path))) continue
    const message = `"${formatPath(path)}" is written in the file: put it into the environment and name the variable`
    source.report({ severity: 'warning', code: 'config.exposed-secret', path, message })
  }
}
