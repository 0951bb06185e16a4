// The input of every check and every resolve step: one parsed agent file with its environment and the load options.
import type { CatalogModel } from '@quarterdeck/protocol'
import type { AgentFile, ModelSourceSetting } from './schema/agent-file.ts'
import type { ConfigFile } from './schema/config-file.ts'
import type { ConfigSource } from './yaml/config-source.ts'
import type { Environment } from './yaml/environment.ts'

export interface LoadOptions {
  /** Variables of the shell. */
  readonly env: Environment
  readonly homeDir: string
  readonly cwd: string
  /** From the command line; overrides every other source. */
  readonly modelSource?: ModelSourceSetting | undefined
  /** From the command line; overrides `execution.llm_timeout`. */
  readonly turnTimeoutMs?: number | undefined
  /** With `note`, a missing credential is a warning: the file is valid but this machine is not set up. */
  readonly credentials?: 'require' | 'note' | undefined
  /** Also checks files that only a session or a test opens: documents, programs, files of test cases. */
  readonly checksFiles?: boolean | undefined
}

export interface AgentContext {
  readonly file: AgentFile
  readonly source: ConfigSource
  /** Shell variables merged over the `.env` files. */
  readonly env: Environment
  readonly config: ConfigFile
  readonly catalog: readonly CatalogModel[]
  readonly options: LoadOptions
  /** Records another file this agent is built from. */
  readonly dependsOn: (file: string) => void
}
