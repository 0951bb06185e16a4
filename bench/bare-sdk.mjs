// The other side of everything an agent does: the SDK alone, with the options and the environment the engine would use.
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createAgentShelf } from '@quarterdeck/engine'
import {
  availableTools,
  claudeFolders,
  cliEnvironment,
  createMessageQueue,
  makeScratchFolder,
  prepareFolders,
  sdkOptions,
  usualPatience,
} from './built.mjs'

// The engine's own copy of the SDK: it is nobody else's dependency.
const fromEngine = createRequire(new URL('../packages/engine/package.json', import.meta.url))
const { query } = await import(pathToFileURL(fromEngine.resolve('@anthropic-ai/claude-agent-sdk')).href)

/** @typedef {Awaited<ReturnType<typeof loadBenchAgent>>} BenchAgent */

/**
 * The agent of the quarterdeck host, from the same file.
 * @param {string} folder
 */
export async function loadBenchAgent(folder) {
  const env = { ANTHROPIC_API_KEY: 'made-up-for-the-bench' }
  const shelf = createAgentShelf({
    paths: [join(folder, 'agents')],
    env,
    homeDir: folder,
    cwd: folder,
    modelSource: 'provider',
  })
  return shelf.load('bench')
}

/**
 * One CLI process with an open input. Nothing is sent before the first `send`.
 * @param {BenchAgent} agent
 * @param {{ folder: string, modelUrl: string, name: string }} place
 */
export async function startBareSession(agent, { folder, modelUrl, name }) {
  const folders = claudeFolders(join(folder, 'bare'), join(folder, 'bare', 'scratch'))
  const cwd = agent.claude.workingDirectory
  await mkdir(cwd, { recursive: true })
  prepareFolders(folders)
  const tools = availableTools(agent.claude)
  const session = { model: agent.model.id, cwd, limits: agent.limits, permissionMode: agent.claude.permissionMode }
  const env = cliEnvironment({
    ...{ agent, folders, scratch: makeScratchFolder(folders, name), patience: usualPatience, marker: name },
    modelAccess: { type: 'gateway', baseUrl: modelUrl, token: 'made-up-for-the-bench' },
    path: process.env.PATH ?? '',
  })
  const queue = createMessageQueue()
  const conversation = query({
    prompt: queue.messages,
    options: { ...sdkOptions(agent, tools, { ...session, resume: null }), env },
  })
  return {
    /**
     * Sends, and hands every message to the listener until the CLI is idle.
     * @param {string} text
     * @param {(message: any) => void} onMessage
     */
    async turn(text, onMessage) {
      queue.push(text)
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

/** @param {any} message */
const isIdle = (message) =>
  message.type === 'system' && message.subtype === 'session_state_changed' && message.state === 'idle'
