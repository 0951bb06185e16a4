import { imageLimits } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { takeImages } from './input-images.ts'

const png = 'iVBORw0KGgoAAAAN'
const pngOf = (bytes: number): string => png.padEnd(Math.ceil(bytes / 3) * 4, 'A')

it('a picture is taken for what it is, whatever is said of it', () => {
  expect(takeImages([{ mediaType: 'image/jpeg', data: png }])).toEqual({
    images: [{ mediaType: 'image/png', data: png }],
    leftOut: [],
  })
})

it.each([
  ['is no base64', `${png}!!!!`],
  ['is not whole', png.slice(0, -1)],
  ['is empty', ''],
  ['is of a type that no model takes', btoa('BM not a bitmap either')],
])('a picture that %s is left out and told of', (_, data) => {
  expect(takeImages([{ mediaType: 'image/bmp', data }])).toEqual({
    images: [],
    leftOut: ['[a picture that cannot be shown: image/bmp]'],
  })
})

it('pictures that are too large or too many for a provider are left out and told of', () => {
  const large = { mediaType: 'image/png', data: pngOf(imageLimits.bytes + 8) }
  const small = { mediaType: 'image/png', data: png }
  expect(takeImages([large, small])).toEqual({ images: [small], leftOut: ['[a picture: too large]'] })
  const many = takeImages(Array.from({ length: imageLimits.count + 2 }, () => small))
  expect([many.images.length, many.leftOut.length]).toEqual([imageLimits.count, 2])
  const heavy = { mediaType: 'image/png', data: pngOf(imageLimits.bytes - 8) }
  expect(takeImages([heavy, heavy, heavy, heavy, heavy])).toMatchObject({ leftOut: ['[a picture: too many at once]'] })
})
