// A read-only MCP server for NetBox, on stdin and stdout. It reads NETBOX_URL, NETBOX_TOKEN and LOG_LEVEL. Without an
// address it answers from a made-up company, which offline/ serves inside this process.
import { env, stderr, stdin } from 'node:process'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createLog } from './mcp/log.ts'
import { createNetboxClient } from './mcp/netbox-client.ts'
import { createNetboxServer } from './mcp/netbox-server.ts'
import { readSettings, type Settings } from './mcp/settings.ts'
import { serveNetbox } from './offline/netbox-api.mjs'

/** The built-in company is asked over HTTP too: what is tried offline is what runs against a real NetBox. */
async function whereToAsk({ url, token }: Settings): Promise<{ url: URL; token: string }> {
  if (url !== null) return { url, token }
  const own = crypto.randomUUID()
  const { url: address, server } = await serveNetbox({ token: own })
  server.unref()
  return { url: new URL(address), token: own }
}

try {
  const settings = readSettings(env)
  const place = await whereToAsk(settings)
  const log = createLog({ level: settings.logLevel, secret: place.token, write: (line) => stderr.write(line) })
  const isDemo = settings.url === null
  if (settings.isInTheClear) log('WARNING', 'NETBOX_URL is http: the token travels unencrypted')
  log('INFO', isDemo ? 'NETBOX_URL is not set: answering from made-up data' : `asking ${place.url.origin}`)
  const server = createNetboxServer({ netbox: createNetboxClient({ ...place, log }), isDemo })
  stdin.once('end', () => void server.close())
  await server.connect(new StdioServerTransport())
} catch (error) {
  stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
