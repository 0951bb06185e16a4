import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { examples, newFolder } from './serve.ts'

/** The examples as a user's own folder, free to edit. */
export async function copyExamples(): Promise<string> {
  const folder = join(await newFolder('agents'), 'agents')
  await cp(examples, folder, { recursive: true })
  return folder
}
