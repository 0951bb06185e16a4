import { Writable } from 'node:stream'

/** A connection whose other end is this test: `text` is what was written to it, in order. */
export function openWire() {
  const written: string[] = []
  const writable = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      done()
    },
  })
  return Object.assign(writable, { headersSent: false, text: () => written.join('') })
}
