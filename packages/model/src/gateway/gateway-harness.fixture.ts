// A gateway with a simulator or a custom upstream, which records all reports.

import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import Anthropic from '@anthropic-ai/sdk'
import type { KeyRefused, ModelRetry, ModelUse, RateQueuePosition, RequestName, SessionId } from '@quarterdeck/protocol'
import type { SimulatorOptions } from '@quarterdeck/simulator'
import { onTestFinished } from 'vitest'
import { startSimulator } from '../../../simulator/src/start-simulator.fixture.ts'
import { usageOf } from '../wire/anthropic/usage.ts'
import { createModelGateway } from './create-model-gateway.ts'
import type { ModelGatewayOptions, OpenSessionOptions } from './model-gateway.ts'

export const hello = {
  model: 'claude-sonnet-4-6',
  max_tokens: 1000,
  messages: [{ role: 'user' as const, content: 'hello' }],
}

export type Waiting = RequestName & { readonly queuePosition: RateQueuePosition | null }

/** The tests use short names as ids of sessions. */
export const idOf = (name: string): SessionId => name as SessionId

/** A report in the terms of the simulator, which counts its answers. */
export const asServed = ({ apiMessageId, tokens, ...use }: ModelUse) => ({
  ...use,
  messageId: apiMessageId,
  usage: usageOf(tokens),
  isComplete: tokens.isOutputEstimated !== true,
})
export type ServedUse = ReturnType<typeof asServed>

/** The listeners of a gateway or an admission, and their records. */
export function recordReports() {
  const reported = {
    begun: [] as ServedUse[],
    settled: [] as ServedUse[],
    released: [] as RequestName[],
    retrying: [] as ModelRetry[],
    waiting: [] as Waiting[],
    refused: [] as KeyRefused[],
    warnings: [] as string[],
  }
  const listeners = {
    onBegun: (use) => void reported.begun.push(asServed(use)),
    settle: async (use) => void reported.settled.push(asServed(use)),
    release: async (request) => void reported.released.push(request),
    onRetrying: (retrying) => void reported.retrying.push(retrying),
    onWaiting: (request, queuePosition) => void reported.waiting.push({ ...request, queuePosition }),
    onKeyRefused: (refused) => void reported.refused.push(refused),
    logger: { warn: (facts, message) => void reported.warnings.push(`${message} ${JSON.stringify(facts)}`) },
  } satisfies Partial<ModelGatewayOptions>
  return { reported, listeners }
}

export async function openGateway(baseUrl: string, more: Partial<ModelGatewayOptions> = {}) {
  const { reported, listeners } = recordReports()
  const upstream = { baseUrl, credential: { header: 'x-api-key', value: 'made-up-provider-key' } } as const
  const gateway = createModelGateway({ upstream, ...listeners, ...more })
  onTestFinished(gateway.close)
  await gateway.listen()
  const clientOf = (sessionId: string, wishes?: OpenSessionOptions) => {
    const { token, baseUrl: baseURL } = gateway.openSession(idOf(sessionId), wishes)
    return new Anthropic({ apiKey: token, baseURL, maxRetries: 0 })
  }
  return { gateway, reported, clientOf, client: clientOf('s1') }
}

export async function openSimulated(options: Partial<SimulatorOptions> = {}, more: Partial<ModelGatewayOptions> = {}) {
  const { simulator, url } = await startSimulator(options)
  return { simulator, ...(await openGateway(url, more)) }
}

/** An upstream with answers that no simulator gives. */
export async function openUpstream(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}
