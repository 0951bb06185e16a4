import type { ModelSource } from '@quarterdeck/protocol'
import { ModelSourceSetting } from '../schema/agent-file.ts'
import type { Environment } from '../yaml/environment.ts'

export interface ModelSourceInputs {
  readonly flag: ModelSourceSetting | undefined
  readonly env: Environment
  readonly agentFile: ModelSourceSetting | null | undefined
  readonly config: ModelSourceSetting | null | undefined
}

/** What was asked for: flag, environment, agent file, config files, and without any of them the provider. */
export function requestedModelSource({ flag, env, agentFile, config }: ModelSourceInputs): ModelSourceSetting {
  const variable = ModelSourceSetting.safeParse(env.QUARTERDECK_MODEL_SOURCE)
  return flag ?? (variable.success ? variable.data : undefined) ?? agentFile ?? config ?? 'provider'
}

export interface SettledModelSource {
  readonly modelSource: ModelSource
  /** What to tell people when `auto` chose the simulator. */
  readonly announcement: string | null
}

export function settleModelSource(requested: ModelSourceSetting, missing: readonly string[]): SettledModelSource {
  if (requested !== 'auto') return { modelSource: requested, announcement: null }
  if (missing.length === 0) return { modelSource: 'provider', announcement: null }
  const announcement = `no key: local simulator, nothing is sent anywhere (set ${missing.join(', ')} to use the provider)`
  return { modelSource: 'simulator', announcement }
}
