// Many streams in one process: with the official client alone, with sessions of the in-process loop, or with the
// complete engine and its log.
import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { silentLogger } from '@quarterdeck/engine'
import { modelCatalog } from '@quarterdeck/protocol'
import { openRuntime } from '@quarterdeck/server'
import { createLoopBackend } from '../built.mjs'
import { nowNs } from '../clock.mjs'
import { benchAgent } from '../loop-agent.mjs'
import { stampsOfText } from '../stamped-text.mjs'
import { cpuMicroseconds, serveHost } from './serve-host.mjs'

// The same client and options as the engine uses.
const fromEngine = createRequire(new URL('../../packages/engine/package.json', import.meta.url))
const clientFile = fromEngine.resolve('@anthropic-ai/sdk').replace(/\.js$/, '.mjs')
const { default: Anthropic } = await import(pathToFileURL(clientFile).href)

/** @typedef {{ cpuUs: number, delaysMs: Float64Array }} Run */

/** Streams start at different times, because only streaming is measured. */
const spreadMs = 3000

/** @type {number[]} */
let delaysMs = []
/** @type {(() => Promise<unknown>)[]} one stream each */
let streams = []

/** @param {string} text */
function recordChunk(text) {
  const at = nowNs()
  for (const stamp of stampsOfText(text)) delaysMs.push((at - stamp) / 1e6)
}

serveHost({
  /** @param {{ side: 'client' | 'loop' | 'engine', sessions: number, modelUrl: string, folder: string }} options */
  async open({ side, sessions, modelUrl, folder }) {
    const open = await { client: openClient, loop: openLoop, engine: openEngine }[side](modelUrl, folder)
    streams = await Promise.all(Array.from({ length: sessions }, open))
  },
  /** @returns {Promise<Run>} */
  async stream() {
    delaysMs = []
    const before = cpuMicroseconds()
    await Promise.all(streams.map((stream, index) => sleep((index * spreadMs) / streams.length).then(stream)))
    return { cpuUs: cpuMicroseconds() - before, delaysMs: Float64Array.from(delaysMs) }
  },
  async close() {
    leaving.abort()
    await Promise.all(feeds)
    await runtime?.close()
  },
})

/** @param {string} baseURL */
async function openClient(baseURL) {
  return async () => {
    const client = new Anthropic({ baseURL, apiKey: 'made-up', maxRetries: 0 })
    return async () => {
      const stream = await client.messages.create({
        model: 'claude-sonnet-4-6',
        max_tokens: 1000,
        stream: true,
        messages: [{ role: 'user', content: 'Go on.' }],
      })
      for await (const event of stream) {
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') recordChunk(event.delta.text)
      }
    }
  }
}

/**
 * @param {string} baseUrl
 * @param {string} folder
 */
async function openLoop(baseUrl, folder) {
  const backend = createLoopBackend({
    agent: benchAgent(folder),
    dataDir: join(folder, 'data'),
    logger: silentLogger,
    catalog: async () => modelCatalog,
    clock: { now: () => new Date() },
  })
  await backend.initialize()
  return async () => {
    const session = await backend.createSession(sessionOptions(baseUrl, folder))
    return async () => {
      for await (const event of session.run('Go on.', new AbortController().signal)) {
        if (event.type === 'AgentStreamToken') recordChunk(event.data.text)
      }
    }
  }
}

/** @type {import('@quarterdeck/server').Runtime | undefined} */
let runtime
/** Watchers close before the engine does. */
const leaving = new AbortController()
setMaxListeners(0, leaving.signal)
/** @type {Promise<unknown>[]} */
const feeds = []

/**
 * @param {string} modelUrl
 * @param {string} folder
 */
async function openEngine(modelUrl, folder) {
  const cwd = join(folder, 'engine')
  await mkdir(cwd, { recursive: true })
  await writeFile(join(cwd, 'agent.yaml'), agentFile)
  await writeFile(join(cwd, 'config.yaml'), configFile)
  runtime = await openRuntime({
    dataDir: join(folder, 'engine-data'),
    homeDir: cwd,
    cwd,
    agentPaths: [cwd],
    logger: silentLogger,
    role: 'command',
    address: null,
    canAsk: false,
    env: { PATH: process.env.PATH, ANTHROPIC_API_KEY: 'made-up-for-the-bench', ANTHROPIC_BASE_URL: modelUrl },
  })
  const { sessions } = runtime.engine
  return async () => {
    const { sessionId } = await sessions.createSession({ agent: 'bench' }, 'bench')
    /** @type {() => void} */
    let ended = () => undefined
    const take = (/** @type {readonly import('@quarterdeck/protocol').StreamedEvent[]} */ events) => {
      for (const event of events) {
        if (event.type === 'AgentStreamToken') recordChunk(event.data.text)
        else if (event.type === 'TurnEnded') ended()
      }
      return true
    }
    const { signal } = leaving
    feeds.push(sessions.feed({ sessionId, after: 0, signal }, { take, drained: async () => undefined }))
    return async () => {
      /** @type {Promise<void>} */
      const end = new Promise((resolve) => (ended = resolve))
      await sessions.sendMessage(sessionId, { content: 'Go on.' }, 'bench')
      await end
    }
  }
}

const agentFile = `name: bench
backend: loop
model: { provider: anthropic, name: claude-sonnet-4-6 }
instructions: { inline: Be brief. }
limits: { max_turns: 1000, max_budget_usd: 1000 }
`

/** JSON is valid YAML. The limits are high, so that only the machine limits the sessions. */
const configFile = JSON.stringify({
  processes: { max_resident: 10_000, max_running_turns: 10_000, max_starting: 10_000, memory_floor_mib: 1 },
  gateway: { rate: { requests: 1_000_000, input_tokens: 1_000_000_000, output_tokens: 1_000_000_000 } },
})

const nothing = () => () => undefined

/**
 * @param {string} baseUrl
 * @param {string} cwd
 * @returns {Parameters<ReturnType<typeof createLoopBackend>['createSession']>[0]}
 */
const sessionOptions = (baseUrl, cwd) => ({
  sessionId: /** @type {any} */ (`ses_${randomUUID().replaceAll('-', '')}`),
  cwd,
  model: 'claude-sonnet-4-6',
  modelSource: 'provider',
  permissionMode: 'manual',
  limits: { maxTurns: 1000, maxBudgetUsd: 1000, maxDurationMs: 3_600_000 },
  thinking: null,
  subagentModel: null,
  gate: { check: async () => ({ type: 'ask' }), ask: async () => ({ type: 'deny', message: 'nobody is connected' }) },
  questions: { ask: async () => ({ type: 'declined', message: 'nobody is connected' }) },
  clientTools: { list: () => [], onChange: nothing, call: async () => ({ output: '', isError: true }) },
  hostTools: {
    list: () => [],
    servers: () => [],
    onChange: nothing,
    onServer: nothing,
    call: async () => ({ output: '', isError: true }),
  },
  hooks: { hasListener: () => false, run: async () => ({}) },
  modelAccess: {
    type: 'in-process',
    wire: 'anthropic',
    provider: 'anthropic',
    baseUrl,
    apiKey: 'made-up',
    keyHeader: 'x-api-key',
    apiVersion: null,
    requests: { admit: async () => ticket },
  },
  sessionTools: { instructions: null, has: () => true },
  resume: null,
})

/** @type {import('@quarterdeck/protocol').RequestTicket} */
const ticket = { type: 'go', begun() {}, async settle() {}, async release() {}, async retrying() {}, keyRefused() {} }
