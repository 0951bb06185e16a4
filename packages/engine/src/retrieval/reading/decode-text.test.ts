import { describe, expect, it } from 'vitest'
import { decodeText } from './decode-text.ts'

const text = 'Ålesund: naïve “quotes” – 5 €'

const wide = (bigEndian: boolean): Uint8Array => {
  const bytes = Buffer.from(text, 'utf16le')
  return bigEndian ? Buffer.from(bytes).swap16() : bytes
}

describe('decodeText', () => {
  it('reads UTF-8 with and without a byte order mark', () => {
    expect(decodeText(Buffer.from(text))).toBe(text)
    expect(decodeText(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]))).toBe(text)
  })

  it('reads UTF-16 of either byte order by its mark', () => {
    expect(decodeText(Buffer.concat([Buffer.from([0xff, 0xfe]), wide(false)]))).toBe(text)
    expect(decodeText(Buffer.concat([Buffer.from([0xfe, 0xff]), wide(true)]))).toBe(text)
  })

  it('recognizes UTF-16 without a mark by its zero bytes', () => {
    expect(decodeText(Buffer.from('plain words', 'utf16le'))).toBe('plain words')
    expect(decodeText(Buffer.from('plain words', 'utf16le').swap16())).toBe('plain words')
  })

  it('reads other bytes as Windows-1252', () => {
    expect(decodeText(Buffer.from([0x93, 0xc5, 0x6c, 0x94, 0x20, 0x80]))).toBe('“Ål” €')
  })

  it('returns null for an image', () => {
    expect(decodeText(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 1, 2, 3]))).toBeNull()
  })

  it('normalizes line ends', () => {
    expect(decodeText(Buffer.from('a\r\nb\rc'))).toBe('a\nb\nc')
  })
})
