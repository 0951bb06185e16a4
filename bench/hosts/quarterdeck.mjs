// A complete Quarterdeck server. Its agents run the real CLI, or write events at a steady pace.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dataFolders, silentLogger } from '@quarterdeck/engine'
import { startServer } from '@quarterdeck/server'
import { createPacedBackend } from './create-paced-backend.mjs'
import { createTappedBackend } from './create-tapped-backend.mjs'
import { cpuMicroseconds, serveHost } from './serve-host.mjs'

/**
 * @typedef {object} HostOptions
 * @property {string} folder
 * @property {'paced' | 'claude'} backend
 * @property {string} [modelUrl]
 * @property {string} [data] the name of the data folder
 * @property {Readonly<Record<string, unknown>>} [processes] as `processes` of config.yaml
 * @property {number} [mergeWindowMs] merge window of the gateway; default 0: tokens are not merged
 */

const agentFile = (/** @type {string} */ name, /** @type {string} */ workspace) => `name: ${name}
model: { provider: anthropic, name: high }
instructions: { inline: Be brief. }
limits: { max_turns: 1000000, max_budget_usd: 1000000 }
workspace: { mode: ${workspace} }
`

/** JSON is valid YAML. The provider has no rate limits. */
const configFile = (/** @type {HostOptions} */ { processes = {}, mergeWindowMs = 0 }) =>
  JSON.stringify({
    processes,
    gateway: {
      merge_window_ms: mergeWindowMs,
      rate: { requests: 1_000_000, input_tokens: 1_000_000_000, output_tokens: 1_000_000_000 },
    },
  })

/** The bench sends more requests than the rate limit allows by default. */
const unlimited = { perSecond: 1_000_000, burst: 1_000_000 }

/** @type {Awaited<ReturnType<typeof startServer>> | undefined} */
let server
/** @type {ReturnType<typeof createTappedBackend> | undefined} */
let tapped

serveHost({
  /** @param {HostOptions} options */
  async open(options) {
    const { folder, backend, modelUrl = 'http://127.0.0.1:9', data = 'data' } = options
    const dataDir = join(folder, data)
    const agents = join(folder, 'agents')
    const cwd = join(folder, `${data}-cwd`)
    await mkdir(cwd, { recursive: true })
    await writeFile(join(cwd, 'config.yaml'), configFile(options))
    for (const [name, workspace] of Object.entries({ bench: 'shared', 'bench-copy': 'copy' })) {
      await mkdir(join(agents, name), { recursive: true })
      await writeFile(join(agents, name, 'agent.yaml'), agentFile(name, workspace))
    }
    const path = process.env.PATH ?? ''
    tapped = createTappedBackend({ dataDir, path })
    const runtime = {
      dataDir,
      homeDir: folder,
      cwd,
      logger: silentLogger,
      agentPaths: [agents],
      env: { PATH: path, ANTHROPIC_API_KEY: 'made-up-for-the-bench', ANTHROPIC_BASE_URL: modelUrl },
      createBackend: backend === 'paced' ? createPacedBackend : tapped.create,
    }
    const rateLimits = { requests: unlimited, changes: unlimited }
    server = await startServer({ runtime, host: '127.0.0.1', port: 0, rateLimits })
    return { url: server.url, token: (await readFile(dataFolders(dataDir).token, 'utf8')).trim(), pid: process.pid }
  },
  cpu: cpuMicroseconds,
  /** When each timestamp reached the SDK's iterator in this process. Reading clears the list. */
  taps: () => tapped?.take(),
  /** Resident memory after all caches were released. */
  residentMib() {
    for (let round = 0; round < 3; round += 1) globalThis.gc?.()
    return process.memoryUsage.rss() / 1024 / 1024
  },
  close: () => server?.close(),
})
