// Providers whose answers never end: the gateway disconnects from each and buffers none of it.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { encodeSseFrame } from '../wire/sse-frame.ts'
import { hello, idOf, openGateway, openUpstream } from './gateway-harness.fixture.ts'

const oneRetry = { retry: { maxRetries: 1, firstDelayMs: 5, longestDelayMs: 5 } }
const megabyte = Buffer.alloc(1024 * 1024, 120)

/** Writes until the reader disconnects. */
async function flood(response: ServerResponse, block: Buffer): Promise<number> {
  let written = 0
  const gone = once(response, 'close')
  while (!response.destroyed) {
    written += block.byteLength
    if (!response.write(block)) await Promise.race([once(response, 'drain'), gone])
  }
  return written
}

/** Reads everything and stores nothing. */
async function drain(session: { baseUrl: string; token: string }): Promise<{ status: number; bytes: number }> {
  const answer = await fetch(`${session.baseUrl}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': session.token },
    body: JSON.stringify(hello),
  })
  let bytes = 0
  try {
    for await (const part of answer.body ?? []) bytes += part.byteLength
  } catch {
    // The stream was aborted, as expected.
  }
  return { status: answer.status, bytes }
}

describe('an endless provider', () => {
  it('is disconnected in the middle of its response head', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-')
      const drip = setInterval(() => socket.write('x'), 10)
      socket.on('close', () => clearInterval(drip))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const { client, reported } = await openGateway(`http://127.0.0.1:${port}`, { ...oneRetry, headSilenceMs: 100 })
    await expect(client.messages.create(hello)).rejects.toMatchObject({ status: 502 })
    expect(reported.retrying).toMatchObject([{ error: 'ETIMEDOUT' }])
    expect(reported.released).toHaveLength(1)
  })

  it.each([
    ['one line', megabyte],
    ['many lines', Buffer.concat([Buffer.from('data: '), megabyte, Buffer.from('\n')])],
  ])('is disconnected in a frame of %s, and its answer is booked', async (_what, block) => {
    let written = 0
    const url = await openUpstream(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const message = { id: 'm1', model: 'm', usage: { input_tokens: 3, output_tokens: 1 } }
      response.write(`${encodeSseFrame('message_start', { message })}event: content_block_delta\ndata: `)
      written = await flood(response, block)
    })
    const { gateway, reported } = await openGateway(url, { ...oneRetry, mergeWindowMs: 50 })
    await drain(gateway.openSession(idOf('s1')))
    await expect.poll(() => reported.settled.length).toBe(1)
    expect(reported.settled[0]).toMatchObject({ messageId: 'm1', isComplete: false })
    await expect.poll(() => written).toBeGreaterThan(0)
    expect(written).toBeLessThan(200 * megabyte.byteLength)
  })

  it('is disconnected in a whole answer', async () => {
    let written = 0
    const url = await openUpstream(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      written = await flood(response, megabyte)
    })
    const { gateway, reported } = await openGateway(url, oneRetry)
    await drain(gateway.openSession(idOf('s1')))
    await expect.poll(() => reported.released.length).toBe(1)
    await expect.poll(() => written).toBeGreaterThan(0)
    expect(written).toBeLessThan(200 * megabyte.byteLength)
  })

  it('is disconnected in an error, whose status is forwarded', async () => {
    const url = await openUpstream(async (_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      await flood(response, megabyte)
    })
    const { gateway } = await openGateway(url, oneRetry)
    expect(await drain(gateway.openSession(idOf('s1')))).toMatchObject({ status: 400 })
  })
})

it('books an answer without usable counts as an estimate, and logs it', async () => {
  const url = await openUpstream((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const usage = { input_tokens: -1_000_000, output_tokens: -1 }
    const message = { id: 'm1', type: 'message', role: 'assistant', model: 'claude-x', content: [], usage }
    const delta = { type: 'text_delta', text: 'x'.repeat(400) }
    response.write(encodeSseFrame('message_start', { type: 'message_start', message }))
    response.write(encodeSseFrame('content_block_delta', { type: 'content_block_delta', index: 0, delta }))
    response.end(encodeSseFrame('message_delta', { type: 'message_delta', delta: {}, usage: {} }))
  })
  const { gateway, reported } = await openGateway(url)
  await drain(gateway.openSession(idOf('s1')))
  await expect.poll(() => reported.settled.length).toBe(1)
  expect(reported.settled[0]).toMatchObject({ messageId: 'm1', isComplete: false, usage: { outputTokens: 100 } })
  expect(reported.settled[0]?.usage.inputTokens).toBeGreaterThan(0)
  expect(reported.released).toEqual([])
  expect(reported.warnings).toEqual([expect.stringContaining('no usable usage')])
})
