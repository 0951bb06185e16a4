// Code samples with the real address, token file and ids of this server.

export interface SampleFacts {
  readonly origin: string
  /** `null` if the server does not report it. The token then comes from the environment. */
  readonly dataFolder: string | null
  readonly agentName: string
  /** An open session of the agent, or `null`. */
  readonly sessionId: string | null
}

export function curlSample({ origin, dataFolder, agentName, sessionId }: SampleFacts): string {
  const token = dataFolder === null ? '$QUARTERDECK_TOKEN' : `$(cat '${dataFolder}/token')`
  const auth = `-H "Authorization: Bearer ${token}"`
  const post = (path: string, body: object) => [
    `curl -X POST ${origin}${path} \\`,
    `  ${auth} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ]
  if (sessionId === null) return post('/v1/sessions', { agent: agentName, message: 'Hello' }).join('\n')
  return [
    '# send a message to this session',
    ...post(`/v1/sessions/${sessionId}/messages`, { content: 'What have you done so far?' }),
    '',
    '# stream its events: all past events, then live ones',
    `curl -N ${origin}/v1/sessions/${sessionId}/events \\`,
    `  ${auth} \\`,
    `  -H 'Accept: text/event-stream'`,
  ].join('\n')
}

export function typescriptSample({ origin, dataFolder, agentName, sessionId }: SampleFacts): string {
  const open = [
    ...(dataFolder === null ? [] : [`import { readFileSync } from 'node:fs'`]),
    `import { createClient } from '@quarterdeck/client'`,
    '',
    'const client = createClient({',
    `  baseUrl: '${origin}',`,
    dataFolder === null
      ? '  token: process.env.QUARTERDECK_TOKEN,'
      : `  token: readFileSync('${dataFolder}/token', 'utf8').trim(),`,
    '})',
  ]
  const session =
    sessionId === null
      ? [`const { sessionId } = await client.createSession({ agent: '${agentName}', message: 'Hello' })`]
      : [
          `const sessionId = '${sessionId}'`,
          `await client.sendMessage(sessionId, { content: 'What have you done so far?' })`,
        ]
  return [...open, ...session, 'for await (const event of client.follow(sessionId)) console.log(event)'].join('\n')
}
