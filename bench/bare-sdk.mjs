// The baseline of the agent measurements: the SDK alone, with the options and environment that the engine uses.
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createAgentRegistry } from '@quarterdeck/engine'
import {
  availableTools,
  claudeFolders,
  cliEnvironment,
  createMessageQueue,
  defaultRequestRetryPolicy,
  makeScratchFolder,
  prepareFolders,
  sdkOptions,
} from './built.mjs'

// The SDK copy of the engine: no other package depends on it.
const fromEngine = createRequire(new URL('../packages/engine/package.json', import.meta.url))
const { query } = await import(pathToFileURL(fromEngine.resolve('@anthropic-ai/claude-agent-sdk')).href)

/** @typedef {Awaited<ReturnType<typeof loadBenchAgent>>} BenchAgent */

/**
 * The agent of the Quarterdeck host, from the same file.
 * @param {string} folder
 */
export async function loadBenchAgent(folder) {
  const env = { ANTHROPIC_API_KEY: 'made-up-for-the-bench' }
  const registry = createAgentRegistry({
    paths: [join(folder, 'agents')],
    env,
    homeDir: folder,
    cwd: folder,
    modelSource: 'provider',
  })
  return registry.load('bench')
}

/**
 * @typedef {object} BareSessionOptions
 * @property {string} folder
 * @property {string} modelUrl
 * @property {string} name
 * @property {string} [cwd] default: the agent's own working directory
 * @property {string} [config] the folder of its CLI's files; sessions that live at the same time need one each
 * @property {string} [resume] the id of an earlier session
 */

/**
 * One CLI process with open input. It receives nothing before the first `send`.
 * @param {BenchAgent} agent
 * @param {BareSessionOptions} options
 */
export async function startBareSession(agent, options) {
  const { folder, modelUrl, name, cwd = agent.claude.workingDirectory, config = 'bare', resume } = options
  const folders = claudeFolders(join(folder, config))
  await mkdir(cwd, { recursive: true })
  prepareFolders(folders)
  const tools = availableTools(agent.claude)
  const { permissionMode, thinking } = agent.claude
  const session = { model: agent.model.id, cwd, limits: agent.limits, permissionMode, thinking, subagentModel: null }
  const env = cliEnvironment({
    agent,
    folders,
    scratch: makeScratchFolder(join(folder, config), name),
    retryPolicy: defaultRequestRetryPolicy,
    marker: name,
    subagentModel: null,
    modelAccess: { type: 'gateway', baseUrl: modelUrl, token: 'made-up-for-the-bench' },
    path: process.env.PATH ?? '',
  })
  const queue = createMessageQueue()
  const conversation = query({
    prompt: queue.messages,
    options: {
      ...sdkOptions(agent, tools, {
        ...session,
        sessionTools: { instructions: null, has: () => true },
        resume: resume ?? null,
      }),
      env,
    },
  })
  return {
    /**
     * Sends the text and passes every message to the listener until the CLI is idle.
     * @param {string} text
     * @param {(message: any) => void} onMessage
     */
    async turn(text, onMessage) {
      queue.push({ text, images: [] }, randomUUID())
      for (;;) {
        const { done, value } = await conversation.next()
        if (done) throw new Error('the CLI ended')
        onMessage(value)
        if (isIdle(value)) return
      }
    },
    async close() {
      queue.end()
      for await (const _ of conversation);
    },
  }
}

/**
 * Returns when the first piece of text arrived.
 * @param {Awaited<ReturnType<typeof startBareSession>>} session
 * @param {string} text
 */
export async function firstDeltaAt(session, text) {
  let at = Number.NaN
  let sessionId = ''
  await session.turn(text, (message) => {
    sessionId = message.session_id ?? sessionId
    const isText = message.type === 'stream_event' && message.event.delta?.type === 'text_delta'
    if (isText && Number.isNaN(at)) at = performance.now()
  })
  if (Number.isNaN(at)) throw new Error('the SDK returned no text')
  return { at, sessionId }
}

/** @param {any} message */
const isIdle = (message) =>
  message.type === 'system' && message.subtype === 'session_state_changed' && message.state === 'idle'
