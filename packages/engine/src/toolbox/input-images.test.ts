import { imageLimits } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { takeImages } from './input-images.ts'

const png = 'iVBORw0KGgoAAAAN'
const pngOf = (bytes: number): string => png.padEnd(Math.ceil(bytes / 3) * 4, 'A')

it('detects the type of an image, whatever its declared type', () => {
  expect(takeImages([{ mediaType: 'image/jpeg', data: png }])).toEqual({
    images: [{ mediaType: 'image/png', data: png }],
    leftOut: [],
  })
})

it.each([
  ['is not base64', `${png}!!!!`],
  ['is incomplete', png.slice(0, -1)],
  ['is empty', ''],
  ['has an unsupported type', btoa('BM not a bitmap either')],
])('leaves out an image that %s, with a note', (_, data) => {
  expect(takeImages([{ mediaType: 'image/bmp', data }])).toEqual({
    images: [],
    leftOut: ['[an image that cannot be shown: image/bmp]'],
  })
})

it('leaves out images that are too large or too many for a provider, with a note', () => {
  const large = { mediaType: 'image/png', data: pngOf(imageLimits.bytes + 8) }
  const small = { mediaType: 'image/png', data: png }
  expect(takeImages([large, small])).toEqual({ images: [small], leftOut: ['[an image: too large]'] })
  const many = takeImages(Array.from({ length: imageLimits.count + 2 }, () => small))
  expect([many.images.length, many.leftOut.length]).toEqual([imageLimits.count, 2])
  const heavy = { mediaType: 'image/png', data: pngOf(imageLimits.bytes - 8) }
  expect(takeImages([heavy, heavy, heavy, heavy, heavy])).toMatchObject({ leftOut: ['[an image: too many at once]'] })
})
