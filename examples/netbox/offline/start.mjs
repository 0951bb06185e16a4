// `node offline/start.mjs [port]` serves the made-up company at an address, for clients of a real NetBox.
import { argv } from 'node:process'
import { serveNetbox } from './netbox-api.mjs'

const token = 'made-up-token-of-the-demo'
const { url } = await serveNetbox({ token, port: Number(argv[2] ?? 8001) })
console.log(`A NetBox-shaped API with made-up data, read only: ${url}/api/
Use it like a real one:
  NETBOX_URL=${url} NETBOX_TOKEN=${token}`)
