import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type InputImage, imageTypeOf, QuarterdeckError } from '@quarterdeck/protocol'
import type { Terminal } from '../../terminal/terminal.ts'

/** Throws `request.invalid` for what cannot be read or is no picture. How large they may be is the session's say. */
export const readImages = (terminal: Terminal, files: readonly string[]): Promise<InputImage[]> =>
  Promise.all(files.map((file) => readImage(resolve(terminal.cwd, file))))

async function readImage(path: string): Promise<InputImage> {
  const content = await readFile(path).catch((cause: unknown) => {
    throw new QuarterdeckError('request.invalid', `--image ${path} cannot be read`, { cause })
  })
  const data = content.toString('base64')
  const mediaType = imageTypeOf(data)
  if (mediaType !== null) return { mediaType, data }
  throw new QuarterdeckError('request.invalid', `--image ${path} is no picture: PNG, JPEG, GIF and WebP are`)
}
