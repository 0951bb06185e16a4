import { createSimulator, Scenario } from '@quarterdeck/simulator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ModelAccess } from '../../../ports/model-access.ts'
import { openRecordingProxy } from '../../../testing/recording-proxy.fixture.ts'
import { createRecordingAdmission } from '../testing/recording-admission.fixture.ts'
import { complete } from './complete.ts'

const steps = [{ repeat: true, then: { text: 'in short: yes' } }]
const simulator = createSimulator({ mode: { script: Scenario.parse({ steps }) }, paceMs: 0 })
let url = ''
beforeAll(async () => {
  url = (await simulator.listen()).url
})
afterAll(() => simulator.close())

const completion = { model: 'claude-haiku-4-5', prompt: 'Shorten this', maxTokens: 50, temperature: 0 }
const never = new AbortController().signal

describe('complete', () => {
  it('works through the gateway and with the provider’s variables', async () => {
    const gateway: ModelAccess = { type: 'gateway', baseUrl: url, token: 'made-up' }
    expect(await complete(gateway, completion, never)).toBe('in short: yes')
    const variables = { ANTHROPIC_API_KEY: 'made-up', ANTHROPIC_BASE_URL: url }
    expect(await complete({ type: 'environment', variables }, completion, never)).toBe('in short: yes')
  })

  it.each(['anthropic', 'openai'] as const)('works in-process on the %s wire and is booked', async (wire) => {
    const requests = createRecordingAdmission()
    const baseUrl = wire === 'openai' ? `${url}/v1` : url
    const common = { type: 'in-process', apiKey: 'made-up', keyHeader: 'x-api-key', apiVersion: null } as const
    expect(await complete({ ...common, wire, provider: wire, baseUrl, requests }, completion, never)).toBe(
      'in short: yes',
    )
    expect(requests.tickets).toMatchObject([{ ends: 1, estimate: { model: 'claude-haiku-4-5', maxOutputTokens: 50 } }])
  })

  it.each([
    ['openai', 'max_completion_tokens'],
    ['ollama', 'max_tokens'],
  ] as const)('limits the answer on %s as a session does, with %s', async (provider, name) => {
    const proxy = await openRecordingProxy(url)
    const requests = createRecordingAdmission()
    const common = { type: 'in-process', wire: 'openai', apiKey: 'made-up', keyHeader: 'authorization' } as const
    const access = { ...common, provider, baseUrl: `${proxy.url}/v1`, apiVersion: null, requests }
    await complete(access, completion, never)
    expect(proxy.bodies().map((body) => JSON.parse(body))).toMatchObject([{ [name]: 50 }])
    await proxy.close()
  })

  it('explains why there is no answer', async () => {
    const requests = createRecordingAdmission()
    requests.refuseWith({ type: 'refuse', status: 403, errorType: 'permission_error', message: 'no money left' })
    const common = { type: 'in-process', apiKey: 'made-up', keyHeader: 'x-api-key', apiVersion: null } as const
    const access = { ...common, wire: 'anthropic', provider: 'anthropic', baseUrl: url, requests } as const
    const refused = complete(access, completion, never)
    await expect(refused).rejects.toThrow('no money left')
    const bedrock: ModelAccess = { type: 'environment', variables: { CLAUDE_CODE_USE_BEDROCK: '1' } }
    await expect(complete(bedrock, completion, never)).rejects.toThrow('only the Claude CLI')
  })
})
