import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { slowest } from './slowest-first.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const testFiles = ['packages', 'e2e'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .map((path) => `/${folder}/${path}`),
)

it.each(slowest)('%s is a test file', (name) => {
  expect(testFiles.filter((path) => path.endsWith(name))).not.toEqual([])
})
