import { describe, expect, it, vi } from 'vitest'
import { openConnection } from './connection.fixture.ts'
import { createOutlet } from './outlet.ts'

const bytes = (text: string) => Buffer.from(text)
const handlers = () => ({ onEmpty: vi.fn(), onLeave: vi.fn() })

describe('the outlet', () => {
  it('goes straight to the socket only behind everything that took the way through the stream', async () => {
    const connection = openConnection()
    const outlet = createOutlet(connection, handlers())
    const body = outlet.stream.getReader()
    outlet.send(bytes('a'))
    const first = await body.read()
    const second = body.read() // asked for more before the head is out, as some servers do
    outlet.send(bytes('b'))
    connection.headersSent = true
    connection.socket.write(first.value)
    outlet.send(bytes('c')) // the second piece is under way: this one must not overtake it
    connection.socket.write((await second).value)
    connection.socket.write((await body.read()).value)
    const rest = body.read()
    outlet.send(bytes('d'))
    outlet.send(bytes('e'))
    expect(connection.text()).toBe('abcde')
    outlet.end()
    expect((await rest).done).toBe(true)
  })

  it('leaves an answer in chunks to whoever writes the chunks', async () => {
    const connection = openConnection()
    Object.assign(connection, { headersSent: true, chunkedEncoding: true })
    const outlet = createOutlet(connection, handlers())
    const next = outlet.stream.getReader().read()
    outlet.send(bytes('a'))
    expect((await next).value).toEqual(bytes('a'))
    expect(connection.text()).toBe('')
  })

  it('counts what waits in the stream, and tells when it is taken', async () => {
    const on = handlers()
    const outlet = createOutlet(null, on)
    outlet.send(bytes('1234'))
    outlet.send(bytes('5678'))
    expect(outlet.waiting()).toBe(8)
    const body = outlet.stream.getReader()
    await body.read()
    expect([outlet.waiting(), outlet.taken()]).toEqual([4, 4])
    expect(on.onEmpty).not.toHaveBeenCalled()
    await body.read()
    const next = body.read()
    expect(on.onEmpty).toHaveBeenCalled()
    outlet.send(bytes('9'))
    expect((await next).value).toEqual(bytes('9'))
  })

  it('tells when the reader leaves, and takes no more', async () => {
    const on = handlers()
    const connection = openConnection()
    const outlet = createOutlet(connection, on)
    const body = outlet.stream.getReader()
    await body.cancel()
    expect(on.onLeave).toHaveBeenCalledOnce()
    outlet.send(bytes('late'))
    outlet.end()
    expect(connection.socket.listenerCount('drain')).toBe(0)
  })
})
