import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestFile } from '../config/agent-tests.ts'
import { buildTestMessage } from './build-test-message.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarterdeck-question-'))
  await writeFile(join(folder, 'orders.csv'), 'id,state\n1,late\n')
  await writeFile(join(folder, 'red.png'), Buffer.from('\u0089PNG\r\n\u001a\n and more', 'latin1'))
  await writeFile(join(folder, 'not.png'), 'hello')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const file = (type: TestFile['type'], name: string, description: string | null = null): TestFile => ({
  type,
  description,
  path: join(folder, name),
})

it('puts named text files before the input, and attaches images', async () => {
  const files = [file('csv', 'orders.csv', 'of today'), file('image', 'red.png')]
  expect(await buildTestMessage({ input: 'What is late?', files })).toEqual({
    text: 'File: orders.csv (of today)\nid,state\n1,late\n\n\nWhat is late?',
    images: [
      { mediaType: 'image/png', data: Buffer.from('\u0089PNG\r\n\u001a\n and more', 'latin1').toString('base64') },
    ],
  })
  expect(await buildTestMessage({ input: 'Hello', files: [] })).toEqual({ text: 'Hello', images: [] })
})

it('reports a missing file and a file that is not an image', async () => {
  const asked = (...files: TestFile[]) => buildTestMessage({ input: 'x', files })
  await expect(asked(file('text', 'gone.txt'))).rejects.toThrow(/gone\.txt cannot be read$/)
  await expect(asked(file('image', 'not.png'))).rejects.toThrow(/not\.png is not an image: use PNG, JPEG, GIF or WebP$/)
})
