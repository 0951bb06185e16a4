// `hooks:` of an agent file as handlers of the engine's hook points.
import { join } from 'node:path'
import {
  type AgentDefinition,
  type AgentHook,
  asJsonObject,
  assertNever,
  type JsonObject,
  messageOf,
  QuarterdeckError,
} from '@quarterdeck/protocol'
import { runBounded } from '../async/run-bounded.ts'
import { parseHookAnswer } from '../backends/hooks/hook-output.ts'
import { type AgentFilesOptions, agentFiles, workspaceOf } from '../isolation/agent-files.ts'
import { probeIsolation } from '../isolation/probe-isolation.ts'
import type { Isolation } from '../isolation/sandbox-command.ts'
import type { Logger } from '../ports/logger.ts'
import { dataFolders } from '../system/data-folders.ts'
import { createHookPoints, type HookContext, type HookHandler, type HookSource } from './create-hook-points.ts'
import { hookEvents } from './hook-event.ts'
import { matchableToolNames } from './matchable-tool-names.ts'
import { refusal } from './refusal.ts'
import { type HookScript, runScript } from './run-script.ts'

export interface AgentHooksOptions extends AgentFilesOptions {
  readonly dataDir: string
  /** The isolation of this machine; probed by default. */
  readonly isolation?: () => Promise<Isolation>
  /** Values of the declared variables, by hook index. */
  readonly hookSecrets: (agentName: string) => Promise<readonly Readonly<Record<string, string>>[]>
  readonly redact: (text: string) => string
  readonly logger: Logger
}

export type AgentHooks = (agent: AgentDefinition) => HookSource

/** Scripts have their own limit; this one covers everything else. */
const longestMs = 660_000
const longestMatchMs = 500
const maxLoggedInputChars = 2_000

/** In file order: each hook sees the input that the previous one produced. */
export function createAgentHooks(options: AgentHooksOptions): AgentHooks {
  const isolation = options.isolation ?? (() => probeIsolation())
  return (agent) => {
    const points = createHookPoints({ logger: options.logger, timeoutMs: longestMs })
    for (const [index, hook] of agent.hooks.entries()) {
      const event = hookEvents.find((name) => name === hook.event)
      if (event !== undefined) points.on(event, handlerOf({ ...options, isolation, agent, index, hook }))
    }
    return points
  }
}

function handlerOf(hookRun: HookRun): HookHandler {
  const matches = matcherOf(hookRun.hook, hookRun.agent)
  return (input, context) =>
    matches(input)
      ? runAction(hookRun, input, context)
          .then((handlerOutput) => handlerOutput && parseHookAnswer(hookRun.hook.event, handlerOutput))
          .catch((error: unknown) => {
            throw failure(hookRun, error)
          })
      : undefined
}

/** Names the hook, so that users can find it in the file. */
function failure({ hook: { event, action }, index, redact }: HookRun, error: unknown): QuarterdeckError {
  const what = action.type === 'script' ? action.command : action.type
  const why = messageOf(error)
  const detail = redact(`hooks[${index}] of the agent file (${event}, ${what}) failed: ${why}`)
  return new QuarterdeckError('tool.unavailable', detail, { cause: error })
}

interface HookRun extends AgentHooksOptions {
  readonly isolation: () => Promise<Isolation>
  readonly agent: AgentDefinition
  readonly hook: AgentHook
  readonly index: number
}

async function runAction(hookRun: HookRun, input: JsonObject, context: HookContext): Promise<JsonObject | undefined> {
  const { hook, agent, logger, redact } = hookRun
  const { event, action } = hook
  switch (action.type) {
    case 'log': {
      const loggedInput = redact(JSON.stringify(input)).slice(0, maxLoggedInputChars)
      logger.info(
        { sessionId: context.sessionId, agent: agent.name, event, input: loggedInput },
        'a hook of the agent file',
      )
      return undefined
    }
    case 'reject':
      return refusal(event, action.message)
    case 'modify':
      return modified(event, asJsonObject(input.tool_input), action.input)
    case 'script':
      return await runScriptHook(hookRun, action, { input, context })
    default:
      return assertNever(action)
  }
}

const modified = (hookEventName: string, toolInput: JsonObject, over: JsonObject): JsonObject => ({
  hookSpecificOutput: { hookEventName, updatedInput: { ...toolInput, ...over } },
})

async function runScriptHook(
  { agent, index, hook, dataDir, path, ...options }: HookRun,
  script: HookScript,
  { input, context }: { readonly input: JsonObject; readonly context: HookContext },
): Promise<JsonObject> {
  const given = (await options.hookSecrets(agent.name))[index] ?? {}
  const env = Object.fromEntries(script.env.flatMap((name) => (name in given ? [[name, given[name] ?? '']] : [])))
  const home = join(dataFolders(dataDir).toolHomes, agent.name, 'hooks')
  const files = agentFiles(agent, workspaceOf(agent, dataDir, context.sessionId), { ...options, path })
  const sandbox = { dataDir, path, home, files, isolation: await options.isolation() }
  return runScript(script, { event: hook.event, input, env, signal: context.signal }, sandbox)
}

/** The fields with the subject of an event. An event without a subject matches every pattern. */
const subjectFields = ['tool_name', 'agent_type', 'source', 'trigger', 'notification_type', 'mcp_server_name'] as const

function matcherOf({ matcher }: AgentHook, { tools }: AgentDefinition): (input: JsonObject) => boolean {
  if (matcher === null) return () => true
  const pattern = new RegExp(`^(?:${matcher})$`)
  return (input) => {
    const subject = subjectFields.map((field) => input[field]).find((value) => typeof value === 'string')
    if (typeof subject !== 'string') return true
    // A model can choose names that are slow to match. A hook that cannot decide in time has failed.
    return runBounded(() => matchableToolNames(subject, tools).some((name) => pattern.test(name)), longestMatchMs)
  }
}
