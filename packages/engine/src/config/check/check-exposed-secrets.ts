import type { AgentContext } from '../agent-context.ts'
import { formatPath, type Path } from '../problems/value-path.ts'
import { namesSecret } from '../yaml/names-secret.ts'
import { exposedSecret, mayHoldSecret } from '../yaml/secret-paths.ts'

/** Reports a secret from the environment in a field that others can read, and a secret written into the file. */
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
    const message = `"${formatPath(path)}" is written in the file: move the value to the environment and reference the variable`
    source.report({ severity: 'warning', code: 'config.exposed-secret', path, message })
  }
}
