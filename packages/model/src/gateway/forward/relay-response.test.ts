import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { hello, idOf, openGateway, openSimulated, openUpstream } from '../gateway-harness.fixture.ts'

describe('relayed bytes', () => {
  it('arrive unchanged and no faster than the client reads them', async () => {
    const sent = createHash('sha256')
    const received = createHash('sha256')
    let written = 0
    const url = await openUpstream(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let n = 0; n < 200 && !response.destroyed; n += 1) {
        const block = Buffer.alloc(256 * 1024, `block ${n} `)
        sent.update(block)
        written += block.byteLength
        if (!response.write(block)) await once(response, 'drain').catch(() => undefined)
      }
      response.end()
    })
    const { gateway } = await openGateway(url)
    const session = gateway.openSession(idOf('s1'))
    const answer = await fetch(`${session.baseUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': session.token },
      body: JSON.stringify(hello),
    })
    const reader = answer.body?.getReader()
    received.update((await reader?.read())?.value ?? '')
    let before = -1
    await expect
      .poll(
        () => {
          const isSteady = written === before
          before = written
          return isSteady
        },
        { interval: 200, timeout: 20_000 },
      )
      .toBe(true)
    // 50 MB are waiting; a gateway that ignored the slow reader would hold them all by now.
    expect(written).toBeLessThan(25 * 1024 * 1024)
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      received.update(part.value)
    }
    expect(written).toBe(200 * 256 * 1024)
    expect(received.digest('hex')).toBe(sent.digest('hex'))
  })

  it.each([true, false])('complete the answer only after its usage is booked (stream: %s)', async (stream) => {
    let book: () => void = () => undefined
    const booked = new Promise<void>((resolve) => {
      book = resolve
    })
    let hasAsked = false
    const settle = () => {
      hasAsked = true
      return booked
    }
    const { gateway } = await openSimulated({}, { settle })
    const session = gateway.openSession(idOf('s1'))
    const answer = await fetch(`${session.baseUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': session.token },
      body: JSON.stringify({ ...hello, stream }),
    })
    let text = ''
    const isComplete = () => (stream ? text.includes('event: message_stop') : text.endsWith('}'))
    const reading = (async () => {
      const decoder = new TextDecoder()
      for await (const part of answer.body ?? []) text += decoder.decode(part, { stream: true })
    })()
    await expect.poll(() => hasAsked).toBe(true)
    expect(isComplete()).toBe(false)
    book()
    await reading
    expect(isComplete()).toBe(true)
  })
})
