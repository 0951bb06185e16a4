import { describe, expect, it, vi } from 'vitest'
import { openConnection } from './connection.fixture.ts'
import { createResponseWriter } from './response-writer.ts'

const bytes = (text: string) => Buffer.from(text)
const handlers = () => ({ onEmpty: vi.fn(), onLeave: vi.fn() })

describe('the response writer', () => {
  it('writes to the socket directly only after everything sent through the stream', async () => {
    const connection = openConnection()
    const writer = createResponseWriter(connection, handlers())
    const body = writer.stream.getReader()
    writer.send(bytes('a'))
    const first = await body.read()
    const second = body.read() // requested before the head is sent, as some servers do
    writer.send(bytes('b'))
    connection.headersSent = true
    connection.socket.write(first.value)
    writer.send(bytes('c')) // the second chunk is in progress: this one must not overtake it
    connection.socket.write((await second).value)
    connection.socket.write((await body.read()).value)
    const rest = body.read()
    writer.send(bytes('d'))
    writer.send(bytes('e'))
    expect(connection.text()).toBe('abcde')
    writer.end()
    expect((await rest).done).toBe(true)
  })

  it('leaves a chunked response to its writer', async () => {
    const connection = openConnection()
    Object.assign(connection, { headersSent: true, chunkedEncoding: true })
    const writer = createResponseWriter(connection, handlers())
    const next = writer.stream.getReader().read()
    writer.send(bytes('a'))
    expect((await next).value).toEqual(bytes('a'))
    expect(connection.text()).toBe('')
  })

  it('counts the bytes that wait in the stream, and reports when they are taken', async () => {
    const on = handlers()
    const writer = createResponseWriter(null, on)
    writer.send(bytes('1234'))
    writer.send(bytes('5678'))
    expect(writer.waiting()).toBe(8)
    const body = writer.stream.getReader()
    await body.read()
    expect([writer.waiting(), writer.taken()]).toEqual([4, 4])
    expect(on.onEmpty).not.toHaveBeenCalled()
    await body.read()
    const next = body.read()
    expect(on.onEmpty).toHaveBeenCalled()
    writer.send(bytes('9'))
    expect((await next).value).toEqual(bytes('9'))
  })

  it('reports when the reader leaves, and accepts no more', async () => {
    const on = handlers()
    const connection = openConnection()
    const writer = createResponseWriter(connection, on)
    const body = writer.stream.getReader()
    await body.cancel()
    expect(on.onLeave).toHaveBeenCalledOnce()
    writer.send(bytes('late'))
    writer.end()
    expect(connection.socket.listenerCount('drain')).toBe(0)
  })
})
