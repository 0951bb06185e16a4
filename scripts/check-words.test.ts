import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkWords, findFullFolders, findLongFiles, findRepeatedTypes, findWords } from './check-words.mjs'
import { runCommand } from './run-command.mjs'

const ts = createRequire(new URL('../tools/package.json', import.meta.url))('typescript')
const problemsOf = (path: string, text = '') => findWords([{ path, text }], ts)

describe('findWords', () => {
  it.each([
    ['packages/engine/src/config/agent-shelf.ts', ''],
    ['packages/engine/src/processes/late-parts.ts', ''],
    ['packages/server/src/doors/listen.ts', ''],
    ['packages/engine/src/a.ts', 'export interface LiveSession {}'],
    ['packages/engine/src/a.ts', 'const moneyDesk = 1'],
    ['packages/engine/src/a.ts', 'const answer = { told: true }'],
    ['packages/web/src/a.tsx', 'export const View = () => <p>Open the door</p>'],
    ['packages/cli/src/a.ts', "const help = 'Opens the house'"],
    ['packages/cli/src/a.ts', "const label = 'Doors'"],
    ['packages/cli/src/a.ts', `const help = \`Opens \${count} doors of \${name}\``],
    ['packages/cli/src/a.test.ts', "it('leaves the room', () => {})"],
    ['packages/cli/src/a.test.ts', `it(\`leaves \${count} rooms\`, () => {})`],
    ['docs/how-to/a.md', '# The shelf'],
  ])('reports a replaced name or a metaphor in %s: %s', (path, text) => {
    expect(problemsOf(path, text)).toHaveLength(1)
  })

  it.each([
    ['packages/engine/src/config/agent-registry.ts', ''],
    ['packages/engine/src/a.ts', 'const warehouse = 1 // keeps the door open'],
    ['packages/engine/src/a.test.ts', "const text = 'a house in the data of a test'"],
    ['packages/engine/src/a.ts', "const kind = 'door'"],
    ['docs/how-to/a.md', 'Ask the service desk about the server room.'],
  ])('accepts %s: %s', (path, text) => {
    expect(problemsOf(path, text)).toEqual([])
  })
})

describe('findRepeatedTypes', () => {
  const inFiles = (first: string, second: string, secondPath = 'packages/model/src/b.ts') =>
    findRepeatedTypes([
      { path: 'packages/engine/src/a.ts', text: first },
      { path: secondPath, text: second },
    ])

  it.each([
    ['export type Budget = string', 'export interface Budget {}'],
    ['export class Budget {}', 'const a = 1\nexport type Budget<Unit> = Unit'],
    ['export interface Budget {}', 'export const Budget = z.object({})\nexport type Budget = z.infer<typeof Budget>'],
  ])('reports a type that two files export: %s', (first, second) => {
    expect(inFiles(first, second)).toEqual([
      'type "Budget" is exported by packages/engine/src/a.ts and packages/model/src/b.ts: rename one',
    ])
  })

  it.each([
    ['export const Budget = 1\nexport type Budget = 1', 'export type { Budget } from "@quarterdeck/engine"'],
    ['export type Budget = string', 'interface Budget {}'],
    ['export type Budget = string', 'export const Budget = 1'],
    ['export type Budget = string', 'export type BudgetId = string'],
  ])('accepts one declaration with a schema, re-exports and local types: %s', (first, second) => {
    expect(inFiles(first, second)).toEqual([])
  })

  it.each(['packages/model/src/b.test.ts', 'packages/model/src/b.fixture.ts', 'e2e/b.ts'])('ignores %s', (path) => {
    expect(inFiles('export type Budget = string', 'export type Budget = number', path)).toEqual([])
  })
})

describe('findFullFolders', () => {
  const folder = (count: number, name = 'file') =>
    Array.from({ length: count }, (_, index) => `packages/engine/src/config/${name}-${index}.ts`)

  it('reports a folder with more than forty files', () => {
    expect(findFullFolders(folder(41))).toEqual(['packages/engine/src/config has 41 files: split it'])
  })

  it('does not count tests', () => {
    expect(findFullFolders([...folder(40), 'packages/engine/src/config/a.test.ts'])).toEqual([])
  })
})

describe('findLongFiles', () => {
  const file = (lines: number, path: string) => ({ path, text: 'const a = 1\n'.repeat(lines) })

  it.each([
    'packages/engine/src/a.ts',
    'packages/web/src/a.tsx',
    'e2e/a.test.ts',
    'scripts/check-words.test.ts',
    'b.mjs',
  ])('reports %s with more than 400 lines', (path) => {
    expect(findLongFiles([file(401, path)])).toEqual([`${path} has 401 lines, more than 400: split it`])
    expect(findLongFiles([file(400, path)])).toEqual([])
  })

  it.each(['docs/a.md', 'packages/web/src/a.css'])('accepts %s with more', (path) => {
    expect(findLongFiles([file(401, path)])).toEqual([])
  })
})

describe('checkWords', () => {
  const newFolder = () => mkdtemp(join(tmpdir(), 'check-words-'))

  it('fails if Git cannot list the files', async () => {
    const folder = await newFolder()
    await expect(checkWords(folder)).rejects.toThrow(`git cannot list the files of ${folder}: `)
  })

  it('skips a deleted file, and fails for one that it cannot read', async () => {
    const folder = await newFolder()
    const git = (...args: string[]) => runCommand('git', args, { cwd: folder })
    await git('init')
    const installed = createRequire(new URL('../tools/package.json', import.meta.url)).resolve('typescript')
    await mkdir(join(folder, 'tools/node_modules/typescript'), { recursive: true })
    await writeFile(
      join(folder, 'tools/node_modules/typescript/index.js'),
      `module.exports = require(${JSON.stringify(installed)})`,
    )
    await writeFile(join(folder, '.gitignore'), 'node_modules\n')
    await writeFile(join(folder, 'page.md'), 'A page.')
    await git('add', 'page.md')
    await rm(join(folder, 'page.md'))
    expect(await checkWords(folder)).toMatchObject({ passed: 1, failed: 0 })
    await writeFile(join(folder, 'long.ts'), '\n'.repeat(400).concat('export const last = 1\n'))
    expect(await checkWords(folder)).toMatchObject({
      failed: 1,
      output: 'long.ts has 401 lines, more than 400: split it',
    })
    await rm(join(folder, 'long.ts'))
    await mkdir(join(folder, 'page.md'))
    await expect(checkWords(folder)).rejects.toThrow('EISDIR')
  })
})
