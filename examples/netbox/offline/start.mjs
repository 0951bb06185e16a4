// `node offline/start.mjs [port]`: the made-up company behind an address of its own, to be asked as a real NetBox is.
import { argv } from 'node:process'
import { serveNetbox } from './netbox-api.mjs'

const token = 'made-up-token-of-the-demo'
const { url } = await serveNetbox({ token, port: Number(argv[2] ?? 8001) })
console.log(`A NetBox-shaped API with made-up data, read only: ${url}/api/
Ask it as a real one:
  NETBOX_URL=${url} NETBOX_TOKEN=${token}`)
