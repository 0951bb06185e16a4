// A whole Quarterdeck server. Its agent is the real CLI, or one that writes events at a steady pace.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dataFolders, silentLogger } from '@quarterdeck/engine'
import { startServer } from '@quarterdeck/server'
import { createPacedBackend } from './create-paced-backend.mjs'
import { createTappedBackend } from './create-tapped-backend.mjs'
import { cpuMicroseconds, serveHost } from './serve-host.mjs'

const agentFile = `name: bench
model: { provider: anthropic, name: high }
instructions: { inline: Be brief. }
limits: { max_turns: 1000000, max_budget_usd: 1000000 }
`

/** @type {Awaited<ReturnType<typeof startServer>> | undefined} */
let server
/** @type {ReturnType<typeof createTappedBackend> | undefined} */
let tapped

serveHost({
  /** @param {{ folder: string, backend: 'paced' | 'claude', modelUrl?: string }} options */
  async open({ folder, backend, modelUrl = 'http://127.0.0.1:9' }) {
    const dataDir = join(folder, 'data')
    const agents = join(folder, 'agents')
    await mkdir(agents, { recursive: true })
    await writeFile(join(agents, 'agent.yaml'), agentFile)
    const path = process.env.PATH ?? ''
    tapped = createTappedBackend({ dataDir, path })
    server = await startServer({
      house: {
        ...{ dataDir, homeDir: folder, cwd: folder, logger: silentLogger, agentPaths: [agents] },
        env: { PATH: path, ANTHROPIC_API_KEY: 'made-up-for-the-bench', ANTHROPIC_BASE_URL: modelUrl },
        createBackend: backend === 'paced' ? createPacedBackend : tapped.create,
      },
      host: '127.0.0.1',
      port: 0,
    })
    return { url: server.url, token: (await readFile(dataFolders(dataDir).token, 'utf8')).trim() }
  },
  cpu: cpuMicroseconds,
  /** When each stamp reached the SDK's iterator in this process; forgotten once told. */
  taps: () => tapped?.take(),
  close: () => server?.close(),
})
