// What a test says to the agent: its words, with the files it names put before them.
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { TestFile, TestTurn } from '../config/agent-tests.ts'
import type { Question } from './answer.ts'

export async function questionOf({ input, files }: TestTurn): Promise<Question> {
  const texts = await Promise.all(files.filter(({ type }) => type !== 'image').map(textOf))
  return { text: [...texts, input].join('\n\n') }
}

async function textOf(file: TestFile): Promise<string> {
  const text = (await contentOf(file)).toString('utf8')
  const about = file.description === null ? '' : ` (${file.description})`
  return `File: ${basename(file.path)}${about}\n${text}`
}

async function contentOf({ path }: TestFile): Promise<Buffer> {
  return readFile(path).catch((cause: unknown) => {
    throw new QuarterdeckError('config.unreadable', `the file ${path} cannot be read`, { cause })
  })
}
