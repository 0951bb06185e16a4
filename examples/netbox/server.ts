// A read-only MCP server for NetBox on stdin and stdout. It reads NETBOX_URL, NETBOX_TOKEN and LOG_LEVEL. Without a URL
// it answers from a made-up company, which offline/ serves inside this process.
import { env, stderr, stdin } from 'node:process'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createLog } from './mcp/log.ts'
import { createNetboxClient } from './mcp/netbox-client.ts'
import { createNetboxServer } from './mcp/netbox-server.ts'
import { readSettings, type Settings } from './mcp/settings.ts'
import { serveNetbox } from './offline/netbox-api.mjs'

/** The made-up company is queried over HTTP too, so that offline runs use the same code as a real NetBox. */
async function openSource({ url, token }: Settings): Promise<{ url: URL; token: string }> {
  if (url !== null) return { url, token }
  const own = crypto.randomUUID()
  const { url: address, server } = await serveNetbox({ token: own })
  server.unref()
  return { url: new URL(address), token: own }
}

try {
  const settings = readSettings(env)
  const source = await openSource(settings)
  const log = createLog({ level: settings.logLevel, secret: source.token, write: (line) => stderr.write(line) })
  const isDemo = settings.url === null
  if (settings.isInTheClear) log('WARNING', 'NETBOX_URL is http: the token is sent unencrypted')
  log('INFO', isDemo ? 'NETBOX_URL is not set: answering from made-up data' : `asking ${source.url.origin}`)
  const server = createNetboxServer({ netbox: createNetboxClient({ ...source, log }), isDemo })
  stdin.once('end', () => void server.close())
  await server.connect(new StdioServerTransport())
} catch (error) {
  stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
