// Each import rule must catch something: a small tree with one planted violation for each rule, and the same tree clean.
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import rules from '../.dependency-cruiser.cjs'
import { checkArchitecture, cruisePackages, findProblems } from './check-architecture.mjs'
import folderImports from './folder-imports.cjs'
import { covers, folderEdges } from './folder-rules.cjs'

const repository = fileURLToPath(new URL('..', import.meta.url))
const packages = ['protocol', 'client', 'model', 'simulator', 'engine', 'server', 'cli', 'web']
const libraries = [
  'zod',
  'yaml',
  'kysely',
  'hono',
  'react',
  'openai',
  '@anthropic-ai/sdk',
  '@anthropic-ai/claude-agent-sdk',
  '@modelcontextprotocol/sdk',
  '@duckdb/duckdb-wasm',
  'apache-arrow',
  '@e965/xlsx',
  'vega',
]

const clean = {
  'packages/protocol/src/index.ts': `import { z } from 'zod'\nexport const Name = z.string()`,
  'packages/client/src/index.ts': `import { Name } from '@quarterdeck/protocol'\nexport const client = Name`,
  'packages/model/src/index.ts': `import { Name } from '@quarterdeck/protocol'\nexport const model = Name`,
  'packages/simulator/src/index.ts': `import { model } from '@quarterdeck/model'\nexport const simulator = model`,
  'packages/engine/src/index.ts': `export { createEngine } from './create-engine.ts'`,
  'packages/engine/src/create-engine.ts': `import { adapter } from './backends/claude/adapter.ts'\nexport const createEngine = () => adapter`,
  'packages/engine/src/backends/claude/adapter.ts': `import { query } from '@anthropic-ai/claude-agent-sdk'\nimport { readFile } from 'node:fs'\nexport const adapter = [query, readFile]`,
  'packages/engine/src/store/sql/database/open.ts': `import { Kysely } from 'kysely'\nexport const database = Kysely`,
  'packages/server/src/index.ts': `import { createEngine } from '@quarterdeck/engine'\nimport { Hono } from 'hono'\nexport const serve = [createEngine, Hono]`,
  'packages/cli/src/index.ts': `import { serve } from '@quarterdeck/server'\nexport const main = serve`,
  'packages/web/src/index.ts': `export const web = 1`,
  'packages/web/src/main.tsx': `import { useState } from 'react'\nimport { client } from '@quarterdeck/client'\nexport const app = [useState, client]`,
  'packages/web/src/data/engine/boot.ts': `import { AsyncDuckDB } from '@duckdb/duckdb-wasm'\nimport url from '@duckdb/duckdb-wasm/dist/duckdb-eh.wasm?url'\nimport { Table } from 'apache-arrow'\nexport const db = [AsyncDuckDB, url, Table]`,
  'packages/web/src/data/import/formats/read.ts': `import { read } from '@e965/xlsx'\nexport const r = read`,
  'packages/web/src/data/charts/draw.ts': `import { View } from 'vega'\nexport const draw = View`,
  ...Object.fromEntries(folderRows().map(({ target }) => [target, 'export const planted = 1'])),
}

/** Each: the rule, the file that breaks it, the import that breaks it. */
const planted: readonly (readonly [rule: string, file: string, source: string])[] = [
  ['no-cycles', 'packages/cli/src/ring-a.ts', `import { a } from './ring-b.ts'\nexport const b = a`],
  ['no-cycles', 'packages/cli/src/type-ring-a.ts', `import type { A } from './type-ring-b.ts'\nexport type B = A`],
  ['no-unresolvable', 'packages/cli/src/lost.ts', `import { gone } from './gone.ts'\nexport const lost = gone`],
  [
    'packages-by-index',
    'packages/cli/src/inside.ts',
    `export { createEngine } from '../../engine/src/create-engine.ts'`,
  ],
  ['no-tests-in-production', 'packages/cli/src/tested.ts', `export { given } from './given.test.ts'`],
  ['protocol-is-zod-only', 'packages/protocol/src/file.ts', `export { readFile } from 'node:fs'`],
  ['protocol-is-zod-only', 'packages/protocol/src/yaml.ts', `export type { Document } from 'yaml'`],
  ['protocol-imports-no-package', 'packages/protocol/src/up.test.ts', `export { model } from '@quarterdeck/model'`],
  ['client-runs-in-a-browser', 'packages/client/src/file.ts', `export { readFile } from 'node:fs'`],
  ['client-imports-protocol-only', 'packages/client/src/up.test.ts', `export { model } from '@quarterdeck/model'`],
  [
    'model-imports-protocol-only',
    'packages/model/src/up.ts',
    `export type { createEngine } from '@quarterdeck/engine'`,
  ],
  [
    'model-tests-use-the-simulator-only',
    'packages/model/src/up.test.ts',
    `export type { createEngine } from '@quarterdeck/engine'`,
  ],
  [
    'simulator-imports-model-and-protocol',
    'packages/simulator/src/up.test.ts',
    `export { createEngine } from '@quarterdeck/engine'`,
  ],
  ['engine-imports-protocol-only', 'packages/engine/src/http.ts', `export { Hono } from 'hono'`],
  ['engine-imports-protocol-only', 'packages/engine/src/model.ts', `export { model } from '@quarterdeck/model'`],
  [
    'engine-tests-use-model-and-simulator',
    'packages/engine/src/up.test.ts',
    `export { serve } from '@quarterdeck/server'`,
  ],
  ['server-imports-no-front-end', 'packages/server/src/page.ts', `export { web } from '@quarterdeck/web'`],
  ['cli-imports-no-workbench', 'packages/cli/src/page.ts', `export { web } from '@quarterdeck/web'`],
  ['web-runs-in-a-browser', 'packages/web/src/file.ts', `export { readFile } from 'node:fs'`],
  ['web-uses-the-api', 'packages/web/src/up.test.ts', `export { serve } from '@quarterdeck/server'`],
  [
    'claude-sdk-in-its-adapter',
    'packages/engine/src/sdk.ts',
    `export type { Options } from '@anthropic-ai/claude-agent-sdk'`,
  ],
  ['provider-clients-in-the-loop', 'packages/engine/src/openai.ts', `export { default } from 'openai'`],
  ['sql-in-the-store', 'packages/engine/src/sql.ts', `export { Kysely } from 'kysely'`],
  [
    'mcp-in-the-toolbox',
    'packages/engine/src/mcp.ts',
    `export { Client } from '@modelcontextprotocol/sdk/client/index.js'`,
  ],
  ['duckdb-in-the-data-engine', 'packages/web/src/duck.ts', `export { AsyncDuckDB } from '@duckdb/duckdb-wasm'`],
  ['file-readers-in-import', 'packages/web/src/sheet.ts', `export { read } from '@e965/xlsx'`],
  ['vega-in-charts', 'packages/web/src/chart.ts', `export { View } from 'vega'`],
  ['react-in-components-only', 'packages/web/src/stores/hook.ts', `export { useState } from 'react'`],
  ['waits-use-sleep', 'packages/cli/src/wait.ts', `export { setTimeout as wait } from 'node:timers/promises'`],
  ...folderRows().map(({ rule, file, source }) => [rule, file, source] as const),
]

const companions = {
  'packages/cli/src/ring-b.ts': `import { b } from './ring-a.ts'\nexport const a = () => b`,
  'packages/cli/src/type-ring-b.ts': `import type { B } from './type-ring-a.ts'\nexport type A = B | 1`,
  'packages/cli/src/given.test.ts': `export const given = 1`,
}

const trees: string[] = []
afterAll(() => Promise.all(trees.map((tree) => rm(tree, { recursive: true, force: true }))))

describe('a tree that keeps the import rules', () => {
  it('passes when the checker has read every module', async () => {
    const result = await checkArchitecture(await buildTree(clean))
    expect(result).toMatchObject({ failed: 0, output: '' })
    expect(result.note).toContain(`${Object.keys(clean).length} modules`)
  })

  it('fails when the checker read fewer files than there are', () => {
    const blind = { modules: ['packages/cli/src/index.ts'], dependencies: 0, violations: [] }
    expect(findProblems(blind, ['packages/cli/src/index.ts', 'packages/web/src/main.tsx'])).toEqual([
      'not read by dependency-cruiser: packages/web/src/main.tsx',
      'dependency-cruiser found no dependencies',
    ])
  })
})

describe('a tree with forbidden imports', () => {
  let violations: readonly { rule: string; from: string }[] = []
  beforeAll(async () => {
    const violating = Object.fromEntries(planted.map(([, file, source]) => [file, source]))
    const cruise = await cruisePackages(await buildTree({ ...clean, ...companions, ...violating }))
    violations = cruise.violations
  })

  it.each(planted)('breaks %s in %s', (rule, file) => {
    expect(violations.filter((found) => found.from === file).map((found) => found.rule)).toContain(rule)
  })

  it('breaks no rule anywhere else', () => {
    const guilty = new Set([...planted.map(([, file]) => file), ...Object.keys(companions)])
    expect(violations.filter((found) => !guilty.has(found.from))).toEqual([])
  })

  it('has a planted violation for every rule', () => {
    const names = rules.forbidden.map((rule: { name: string }) => rule.name)
    expect(new Set(planted.map(([rule]) => rule))).toEqual(new Set(names))
  })
})

describe('the table of folder imports', () => {
  it.each(Object.entries(folderImports))('has no cycle in %s', (_, folders) => {
    const edges = folderEdges(folders)
    const finished = new Set<string>()
    const visit = (folder: string, path: readonly string[]): void => {
      expect(path, 'a cycle of folders').not.toContain(folder)
      if (finished.has(folder)) return
      for (const next of edges.get(folder) ?? []) visit(next, [...path, folder])
      finished.add(folder)
    }
    for (const folder of edges.keys()) visit(folder, [])
  })

  it('names every folder of every package, and only folders that exist', async () => {
    const { modules } = await cruisePackages(repository)
    for (const [name, folders] of Object.entries(folderImports)) {
      const prefix = `packages/${name}/src/`
      const production = modules.filter(
        (path) =>
          path.startsWith(prefix) &&
          /\.tsx?$/.test(path) &&
          !/\.(test|test-d|contract|fixture)\.tsx?$|\/testing\//.test(path),
      )
      const existing = new Set(production.map((path) => dirname(path.slice(prefix.length))))
      existing.delete('.')
      expect([...existing].toSorted()).toEqual(Object.keys(folders).toSorted())
    }
  })
})

/** For each row of the table a file in its folder that imports from a folder it may not import. */
function folderRows() {
  return Object.entries(folderImports).flatMap(([name, folders]) =>
    Object.entries(folders).flatMap(([folder, allowed]) => {
      const isAllowed = (other: string) => other === folder || allowed.some((entry) => covers(entry, other))
      const forbidden = Object.keys(folders).find((other) => !isAllowed(other)) ?? null
      const source = `packages/${name}/src`
      const up = '../'.repeat(folder.split('/').length)
      return [
        {
          rule: `${name}/${folder}`,
          file: `${source}/${folder}/planted-import.ts`,
          source: `export { planted } from '${up}${forbidden ?? '.'}/planted-target.ts'`,
          target: `${source}/${forbidden ?? '.'}/planted-target.ts`.replace('/./', '/'),
        },
      ]
    }),
  )
}

async function buildTree(files: Record<string, string>): Promise<string> {
  const tree = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-rules-')))
  trees.push(tree)
  for (const [path, source] of Object.entries(files)) await write(join(tree, path), `${source}\n`)
  for (const name of packages) {
    const packageExports = { '.': { '@quarterdeck/source': './src/index.ts', default: './dist/index.js' } }
    const manifest = { name: `@quarterdeck/${name}`, type: 'module', exports: packageExports }
    await write(join(tree, `packages/${name}/package.json`), JSON.stringify(manifest))
    await link(join(tree, 'packages', name), join(tree, 'node_modules/@quarterdeck', name))
  }
  for (const name of libraries) await link(join(repository, 'node_modules', name), join(tree, 'node_modules', name))
  return tree
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path)
}
