// `hooks:` of an agent file as handlers of the engine's hook points.
import { join } from 'node:path'
import {
  type AgentDefinition,
  type AgentHook,
  assertNever,
  type JsonObject,
  QuarterdeckError,
} from '@quarterdeck/protocol'
import { runBounded } from '../async/run-bounded.ts'
import { parseHookAnswer } from '../backends/hooks/hook-output.ts'
import { type AgentFilesOptions, agentFiles, workspaceOf } from '../isolation/agent-files.ts'
import { probeIsolation } from '../isolation/probe-isolation.ts'
import type { Isolation } from '../isolation/sandbox-command.ts'
import { asObject } from '../json/as-object.ts'
import type { Logger } from '../ports/logger.ts'
import { dataFolders } from '../system/data-folders.ts'
import { createHookPoints, type HookContext, type HookHandler, type HookSource } from './create-hook-points.ts'
import { hookEvents } from './hook-event.ts'
import { matchableToolNames } from './matchable-tool-names.ts'
import { refusal } from './refusal.ts'
import { type HookScript, runScript } from './run-script.ts'

export interface AgentHooksOptions extends AgentFilesOptions {
  readonly dataDir: string
  /** How scripts are shut in; measured when not given. */
  readonly isolation?: () => Promise<Isolation>
  /** Values of the variables that scripts declare, by the place of the hook. */
  readonly hookSecrets: (agentName: string) => Promise<readonly Readonly<Record<string, string>>[]>
  readonly redact: (text: string) => string
  readonly logger: Logger
}

export type AgentHooks = (agent: AgentDefinition) => HookSource

/** A script has its own limit; this is for what else may hang. */
const longestMs = 660_000
const longestMatchMs = 500
const maxLoggedInputChars = 2_000

/** In the order of the file: each sees what the one before made of the input. */
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
  const isMeant = matcherOf(hookRun.hook, hookRun.agent)
  return (input, context) =>
    isMeant(input)
      ? runAction(hookRun, input, context)
          .then((handlerOutput) => handlerOutput && parseHookAnswer(hookRun.hook.event, handlerOutput))
          .catch((error: unknown) => {
            throw failure(hookRun, error)
          })
      : undefined
}

/** Names the hook: whoever reads it has to find it in the file. */
function failure({ hook: { event, action }, index, redact }: HookRun, error: unknown): QuarterdeckError {
  const what = action.type === 'script' ? action.command : action.type
  const why = error instanceof Error ? error.message : String(error)
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
      return modified(event, asObject(input.tool_input), action.input)
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

/** What an event is about, by the SDK's field. One that is about nothing fits every pattern. */
const subjectFields = ['tool_name', 'agent_type', 'source', 'trigger', 'notification_type', 'mcp_server_name'] as const

function matcherOf({ matcher }: AgentHook, { tools }: AgentDefinition): (input: JsonObject) => boolean {
  if (matcher === null) return () => true
  const pattern = new RegExp(`^(?:${matcher})$`)
  return (input) => {
    const subject = subjectFields.map((field) => input[field]).find((value) => typeof value === 'string')
    if (typeof subject !== 'string') return true
    // What a model calls may be made to fit a pattern badly. A hook that cannot tell has failed.
    return runBounded(() => matchableToolNames(subject, tools).some((name) => pattern.test(name)), longestMatchMs)
  }
}
