import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { fingerprintOf, sha256 } from './fingerprint.ts'

it("is the SHA-256 of the bytes, with and without the browser's Web Crypto", async () => {
  for (const length of [0, 3, 55, 56, 64, 1000]) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 31) % 256)
    const expected = createHash('sha256').update(bytes).digest('hex')
    expect(await fingerprintOf(bytes)).toBe(expected)
    expect(Buffer.from(sha256(bytes)).toString('hex')).toBe(expected)
  }
})
