import { describe, expect, it, vi } from 'vitest'
import { openConnection } from './connection.fixture.ts'
import { createResponseWriter } from './response-writer.ts'

const bytes = (text: string) => Buffer.from(text)
const handlers = () => ({ onEmpty: vi.fn(), onLeave: vi.fn() })

describe('the outlet', () => {
  it('goes straight to the socket only behind everything that took the way through the stream', async () => {
    const connection = openConnection()
    const writer = createResponseWriter(connection, handlers())
    const body = writer.stream.getReader()
    writer.send(bytes('a'))
    const first = await body.read()
    const second = body.read() // asked for more before the head is out, as some servers do
    writer.send(bytes('b'))
    connection.headersSent = true
    connection.socket.write(first.value)
    writer.send(bytes('c')) // the second piece is under way: this one must not overtake it
    connection.socket.write((await second).value)
    connection.socket.write((await body.read()).value)
    const rest = body.read()
    writer.send(bytes('d'))
    writer.send(bytes('e'))
    expect(connection.text()).toBe('abcde')
    writer.end()
    expect((await rest).done).toBe(true)
  })

  it('leaves an answer in chunks to whoever writes the chunks', async () => {
    const connection = openConnection()
    Object.assign(connection, { headersSent: true, chunkedEncoding: true })
    const writer = createResponseWriter(connection, handlers())
    const next = writer.stream.getReader().read()
    writer.send(bytes('a'))
    expect((await next).value).toEqual(bytes('a'))
    expect(connection.text()).toBe('')
  })

  it('counts what waits in the stream, and tells when it is taken', async () => {
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

  it('tells when the reader leaves, and takes no more', async () => {
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
