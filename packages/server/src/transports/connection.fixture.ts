import { Writable } from 'node:stream'

/** A connection to this test: `text` contains everything written to it, in order. */
export function openConnection() {
  const written: string[] = []
  const socket = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      done()
    },
  })
  const connection = {
    headersSent: false,
    chunkedEncoding: false,
    socket,
    get writableLength() {
      return socket.writableLength
    },
    destroy: () => socket.destroy(),
  }
  return Object.assign(connection, { text: () => written.join('') })
}
