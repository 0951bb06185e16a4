// A toolbox over its own project folder, closed and removed when the test ends.
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type AgentTool,
  type ClaudeSettings,
  type FunctionTool,
  type JsonObject,
  type McpTool,
  SessionId,
} from '@quarterdeck/protocol'
import { onTestFinished } from 'vitest'
import { unattendedOptions } from '../../backends/contract/unattended-options.contract.ts'
import { probeIsolation } from '../../isolation/probe-isolation.ts'
import type { Isolation } from '../../isolation/sandbox-command.ts'
import type { McpServerState } from '../../ports/host-toolbox.ts'
import { silentLogger } from '../../ports/logger.ts'
import type { QuestionAsker } from '../../ports/question-asker.ts'
import { createRedactor } from '../../redaction/redact.ts'
import { claudeSettings, testAgent } from '../../testing/agent-definition.fixture.ts'
import { createToolboxes, type Toolboxes, type ToolboxesOptions } from '../open-toolbox.ts'

export const shellPath = `${join(process.execPath, '..')}:/usr/local/bin:/usr/bin:/bin`

/** The command line of a server from npm. */
export const serverFile = (name: string): string =>
  fileURLToPath(
    new URL(`../../../../../tools/node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url),
  )

export const stdioServer = (name: string, args: readonly string[], change: Partial<McpTool> = {}): McpTool => ({
  type: 'mcp',
  name,
  description: '',
  isCritical: false,
  isRetrieval: false,
  onFailure: 'error',
  transport: { type: 'stdio', command: process.execPath, args: [...args], env: [], cwd: '/' },
  allowedTools: null,
  disallowedTools: [],
  connectTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  ...change,
})

export const functionTool = (file: string, change: Partial<FunctionTool> = {}): FunctionTool => ({
  type: 'function',
  name: 'lookup',
  description: 'looks something up',
  isCritical: false,
  file,
  functionName: 'lookup',
  parameters: null,
  env: [],
  timeoutMs: 60_000,
  ...change,
})

/** Toolboxes without secrets, documents and a model, unless the options say otherwise. */
export const openTestToolboxes = (
  dataDir: string,
  { secrets = [], ...options }: Partial<ToolboxesOptions> & { readonly secrets?: readonly string[] | undefined },
): Toolboxes =>
  createToolboxes({
    dataDir,
    path: shellPath,
    logger: silentLogger,
    isWatching: false,
    toolSecrets: async () => ({}),
    complete: async () => 'an answer',
    searchTools: async () => [],
    redact: createRedactor(secrets).text,
    ...options,
  })

let probed: Promise<Isolation> | null = null

export interface ToolboxHarnessOptions extends Partial<ToolboxesOptions> {
  readonly files?: Readonly<Record<string, string>>
  readonly tools: (project: string) => readonly AgentTool[]
  readonly claude?: Partial<ClaudeSettings>
  /** The working directory of the session; by default the project. */
  readonly cwd?: (dataDir: string) => string
  readonly questions?: QuestionAsker
  readonly secrets?: readonly string[]
  readonly model?: () => string
  readonly signal?: AbortSignal
}

export async function openToolboxHarness(harness: ToolboxHarnessOptions) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'quarterdeck-toolbox-')))
  const project = mkdtempSync(join(root, 'project-'))
  const dataDir = join(root, 'data')
  const write = (file: string, text: string) => writeFileSync(join(project, file), text)
  for (const [file, text] of Object.entries(harness.files ?? {})) write(file, text)
  probed ??= probeIsolation()
  const isolation = () => probed ?? probeIsolation()
  const toolboxes = openTestToolboxes(dataDir, { isolation, ...harness })
  onTestFinished(async () => {
    await toolboxes.close()
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  })
  const agent = testAgent(project, {
    file: join(project, 'agent.yaml'),
    tools: [...harness.tools(project)],
    claude: claudeSettings(project, harness.claude),
  })
  const toolbox = await toolboxes.open(agent, {
    sessionId: SessionId.parse('ses_toolboxtest'),
    cwd: harness.cwd?.(dataDir) ?? project,
    model: harness.model ?? (() => 'made-up'),
    modelAccess: { type: 'gateway', baseUrl: 'http://127.0.0.1:9', token: 'made-up' },
    questions: harness.questions ?? unattendedOptions.questions,
    signal: harness.signal ?? new AbortController().signal,
  })
  onTestFinished(toolbox.close)
  /** The states of its servers, in order. */
  const states: McpServerState[] = []
  toolbox.onServer((state) => states.push(state))
  let calls = 0
  const never = new AbortController().signal
  return {
    project,
    dataDir,
    toolbox,
    states,
    write,
    call(toolName: string, toolInput: JsonObject = {}, signal = never) {
      calls += 1
      return toolbox.call({ toolName, toolInput, toolUseId: `call_${calls}`, agent: null }, signal)
    },
  }
}

/** With the function of `lookup.ts`. */
export const openFunction = (files: Readonly<Record<string, string>>, change: Partial<ToolboxHarnessOptions> = {}) =>
  openToolboxHarness({ files, tools: (at) => [functionTool(join(at, 'lookup.ts'))], ...change })
