import { formatPath, type Path } from '../problems/value-path.ts'
import type { AgentContext } from '../resolve/resolve-agent.ts'
import { namesSecret } from '../yaml/names-secret.ts'
import { exposedSecret, mayHoldSecret } from '../yaml/secret-paths.ts'

/** A secret from the environment that would end up where everybody reads it, and one that is written into the file. */
export function checkExposedSecrets({ file, source }: AgentContext): void {
  for (const { path, variables } of source.substitutions.values()) {
    const secret = variables.find(namesSecret)
    if (secret === undefined || mayHoldSecret(path)) continue
    source.report({ severity: 'error', code: 'config.exposed-secret', path, message: exposedSecret(secret) })
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
