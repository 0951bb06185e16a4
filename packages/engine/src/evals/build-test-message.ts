// The message of a test: its text files, then its input, with images attached.
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { type InputImage, imageTypeOf, QuarterdeckError } from '@quarterdeck/protocol'
import type { TestFile, TestTurn } from '../config/agent-tests.ts'
import type { TestMessage } from './test-session.ts'

export async function buildTestMessage({ input, files }: Pick<TestTurn, 'input' | 'files'>): Promise<TestMessage> {
  const texts = await Promise.all(files.filter(({ type }) => type !== 'image').map(textOf))
  const images = await Promise.all(files.filter(({ type }) => type === 'image').map(imageOf))
  return { text: [...texts, input].join('\n\n'), images }
}

async function textOf(file: TestFile): Promise<string> {
  const description = file.description === null ? '' : ` (${file.description})`
  return `File: ${basename(file.path)}${description}\n${(await contentOf(file)).toString('utf8')}`
}

async function imageOf(file: TestFile): Promise<InputImage> {
  const data = (await contentOf(file)).toString('base64')
  const mediaType = imageTypeOf(data)
  if (mediaType !== null) return { mediaType, data }
  throw new QuarterdeckError('config.invalid', `${file.path} is not an image: use PNG, JPEG, GIF or WebP`)
}

async function contentOf({ path }: TestFile): Promise<Buffer> {
  return readFile(path).catch((cause: unknown) => {
    throw new QuarterdeckError('config.unreadable', `the file ${path} cannot be read`, { cause })
  })
}
