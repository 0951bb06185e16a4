import { WebSocket } from 'ws'

export const agentFile = (name: string, rest = '') =>
  `name: ${name}\nmodel: { provider: simulator, name: high }\ninstructions: { inline: Be brief. }\n${rest}`
export const unsafe = 'claude: { permission_mode: acceptAll, bash: { enabled: true } }\n'

/** The status of a refused WebSocket; 101 when it is opened. */
export const statusOfSocket = (url: string, headers: Readonly<Record<string, string>>) =>
  new Promise<number>((resolve) => {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers })
    socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
    socket.on('open', () => {
      resolve(101)
      socket.terminate()
    })
    socket.on('error', () => undefined)
  })
