import { describe, expect, it } from 'vitest'
import { imageBytes, imageLimits, imageTypeOf, isBase64, MessageImages } from './input-image.ts'

const of = (...bytes: readonly (number | string)[]) =>
  btoa(bytes.map((byte) => (typeof byte === 'string' ? byte : String.fromCharCode(byte))).join(''))
const png = of(0x89, 'PNG\r\n\u001a\n', 'rest of it')
const samples = {
  'image/png': png,
  'image/jpeg': of(0xff, 0xd8, 0xff, 0xe0, 'JFIF and more'),
  'image/gif': of('GIF89a and more'),
  'image/webp': of('RIFF', 1, 2, 3, 4, 'WEBPVP8 '),
}
const ofSize = (bytes: number) => `${png.slice(0, 16)}${'A'.repeat(Math.ceil((bytes * 4) / 3 / 4) * 4 - 16)}`

const problem = (images: unknown) => MessageImages.safeParse(images).error?.issues[0]?.message

describe('pictures of a message', () => {
  it.each(Object.entries(samples))('are accepted as %s if they are', (mediaType, data) => {
    expect(imageTypeOf(data)).toBe(mediaType)
    expect(problem([{ mediaType, data }])).toBeUndefined()
    const other = mediaType === 'image/png' ? 'image/gif' : 'image/png'
    expect(problem([{ mediaType: other, data }])).toBe('is not an image of its mediaType')
  })

  it.each([
    ['an empty one', [{ mediaType: 'image/png', data: '' }]],
    ['what is no base64', [{ mediaType: 'image/png', data: `${png}\n` }]],
    ['an address', [{ mediaType: 'image/png', data: 'https://example.com/a.png' }]],
    ['another type', [{ mediaType: 'image/svg+xml', data: png }]],
    ['an unknown field', [{ mediaType: 'image/png', data: png, url: 'x' }]],
    ['more than ten', Array.from({ length: 11 }, () => ({ mediaType: 'image/png', data: png }))],
  ])('are refused: %s', (_what, images) => {
    expect(MessageImages.safeParse(images).success).toBe(false)
  })

  it.each([
    ['AAAA', true],
    ['AAA=', true],
    ['AA==', true],
    ['', false],
    ['==', false],
    ['A===', false],
    ['AA=A', false],
    ['AA-_', false],
    ['AAAA\n', false],
  ])('are written in base64: %j', (text, verdict) => {
    expect(isBase64(text)).toBe(verdict)
  })

  it('have at most 5 MiB each and 20 MiB together', () => {
    const fitting = { mediaType: 'image/png', data: ofSize(imageLimits.bytes - 4) }
    const large = { mediaType: 'image/png', data: ofSize(imageLimits.bytes + 8) }
    expect(problem([fitting, fitting, fitting, fitting])).toBeUndefined()
    expect(problem([large])).toBe('must be at most 5 MiB')
    expect(problem([fitting, fitting, fitting, fitting, fitting])).toBe('must be at most 20 MiB together')
  })

  it.each(['a', 'ab', 'abc', 'abcd'])('are counted in bytes: %j', (text) => {
    expect(imageBytes(btoa(text))).toBe(text.length)
  })
})
