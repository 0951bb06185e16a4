// The rules are worth what they catch: a small house with one planted violation per rule, and the same house without.
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import rules from '../.dependency-cruiser.cjs'
import { checkArchitecture, cruisePackages, findProblems } from './check-architecture.mjs'

const repository = fileURLToPath(new URL('..', import.meta.url))

const clean = {
  'packages/protocol/src/index.ts': `import { z } from 'zod'\nexport const Name = z.string()`,
  'packages/model/src/index.ts': `import { Name } from '@quarterdeck/protocol'\nexport const model = Name`,
  'packages/engine/src/index.ts': `export { createEngine } from './create-engine.ts'`,
  'packages/engine/src/clock.ts': `export const clock = () => 0`,
  'packages/engine/src/create-engine.ts': `import { adapter } from './backends/claude/adapter.ts'\nexport const createEngine = () => adapter`,
  'packages/engine/src/backends/backend.ts': `export type Backend = string`,
  'packages/engine/src/backends/claude/adapter.ts': `import { query } from '@anthropic-ai/claude-agent-sdk'\nimport type { Backend } from '../backend.ts'\nimport { clock } from '../../clock.ts'\nexport const adapter: Backend = String([query, clock])`,
  'packages/engine/src/backends/scripted/adapter.ts': `export const scripted = 1`,
  'packages/engine/src/config/load.ts': `export const load = 1`,
  'packages/engine/src/sessions/rules/decide.ts': `import type { Backend } from '../backends/backend.ts'\nimport type { Store } from '../store/event-store.ts'\nexport const decide = (backend: Backend, store: Store) => [backend, store]`,
  'packages/engine/src/store/ports/event-store.ts': `export type Store = string`,
  'packages/engine/src/store/sql/database.ts': `import { Kysely } from 'kysely'\nexport const database = Kysely`,
  'packages/server/src/index.ts': `import { createEngine } from '@quarterdeck/engine'\nimport { Hono } from 'hono'\nexport const serve = [createEngine, Hono]`,
  'packages/server/src/wires/analyze/analyze.ts': `import type { Wire } from '../wire.ts'\nexport const analyze: Wire = 'a'`,
  'packages/server/src/wires/wire.ts': `export type Wire = string`,
  'packages/server/src/doors/door.ts': `import { analyze } from '../wires/analyze/analyze.ts'\nexport const door = analyze`,
  'packages/cli/src/index.ts': `import { serve } from '@quarterdeck/server'\nexport const main = serve`,
  'packages/web/src/main.tsx': `import { useState } from 'react'\nimport { view } from './features/chat/view.ts'\nexport const app = [useState, view]`,
  'packages/web/src/features/chat/view.ts': `import { state } from '../../state/session.ts'\nexport const view = state`,
  'packages/web/src/features/home/cards.ts': `export const cards = 1`,
  'packages/web/src/state/session.ts': `import { Name } from '@quarterdeck/protocol'\nexport const state = Name`,
  'packages/web/src/ui/button.ts': `export const button = 1`,
  'packages/web/src/data/domain/cells.ts': `export const cells = 1`,
  'packages/web/src/data/services/create-data-services.ts': `import { db } from './duck/boot.ts'\nimport { run } from './runs/run.ts'\nexport const w = [db, run]`,
  'packages/web/src/data/engine/boot.ts': `import { AsyncDuckDB } from '@duckdb/duckdb-wasm'\nimport url from '@duckdb/duckdb-wasm/dist/duckdb-eh.wasm?url'\nimport { cells } from '../cells.ts'\nexport const db = [AsyncDuckDB, url, cells]`,
  'packages/web/src/data/engine/arrow/ipc.ts': `import { Table } from 'apache-arrow'\nexport const ipc = Table`,
  'packages/web/src/analysis/import/read.ts': `import { read } from '@e965/xlsx'\nimport { ipc } from '../duck/ipc.ts'\nexport const r = [read, ipc]`,
  'packages/web/src/analysis/chart/draw.ts': `import { View } from 'vega'\nexport const draw = View`,
  'packages/web/src/analysis/privacy/level.ts': `import { stale } from '../steps/stale.ts'\nexport const level = stale`,
  'packages/web/src/analysis/steps/stale.ts': `import { cells } from '../cells.ts'\nexport const stale = cells`,
  'packages/web/src/analysis/runs/run.ts': `import { level } from '../privacy/level.ts'\nimport { state } from '../../state/session.ts'\nexport const run = [level, state]`,
  'packages/web/src/index.ts': `export const web = 1`,
}

/** Each: the rule, the file in which it is broken, the import that breaks it. */
const planted: readonly (readonly [rule: string, file: string, source: string])[] = [
  ['no-cycles', 'packages/cli/src/ring-a.ts', `import { a } from './ring-b.ts'\nexport const b = a`],
  ['no-unresolvable', 'packages/cli/src/lost.ts', `import { gone } from './gone.ts'\nexport const lost = gone`],
  [
    'doors-only',
    'packages/cli/src/inside.ts',
    `import { clock } from '../../engine/src/clock.ts'\nexport const c = clock`,
  ],
  [
    'no-tests-in-production',
    'packages/cli/src/tested.ts',
    `import { given } from './given.test.ts'\nexport const g = given`,
  ],
  [
    'protocol-is-zod-only',
    'packages/protocol/src/file.ts',
    `import { readFile } from 'node:fs'\nexport const f = readFile`,
  ],
  [
    'protocol-is-zod-only',
    'packages/protocol/src/yaml.ts',
    `import type { Document } from 'yaml'\nexport type D = Document`,
  ],
  [
    'protocol-knows-nobody',
    'packages/protocol/src/up.test.ts',
    `import { model } from '@quarterdeck/model'\nexport const m = model`,
  ],
  [
    'model-knows-protocol-only',
    'packages/model/src/up.ts',
    `import type { createEngine } from '@quarterdeck/engine'\nexport type E = typeof createEngine`,
  ],
  [
    'engine-knows-protocol-only',
    'packages/engine/src/tools/http.ts',
    `import { Hono } from 'hono'\nexport const h = Hono`,
  ],
  [
    'engine-knows-protocol-only',
    'packages/engine/src/tools/model.ts',
    `import { model } from '@quarterdeck/model'\nexport const m = model`,
  ],
  [
    'telemetry-only-listens',
    'packages/engine/src/telemetry/look.ts',
    `import type { Store } from '../store/event-store.ts'\nexport type S = Store`,
  ],
  [
    'engine-tests-use-the-model-side-only',
    'packages/engine/src/tools/up.test.ts',
    `import { serve } from '@quarterdeck/server'\nexport const s = serve`,
  ],
  [
    'server-knows-no-front-end',
    'packages/server/src/page.ts',
    `import { web } from '@quarterdeck/web'\nexport const w = web`,
  ],
  [
    'rpc-knows-no-route',
    'packages/server/src/rpc/up.ts',
    `import { serve } from '../index.ts'\nexport const s = serve`,
  ],
  [
    'cli-knows-no-workbench',
    'packages/cli/src/page.ts',
    `import { web } from '@quarterdeck/web'\nexport const w = web`,
  ],
  [
    'adapters-are-islands',
    'packages/engine/src/backends/claude/other.ts',
    `import { scripted } from '../scripted/adapter.ts'\nexport const s = scripted`,
  ],
  [
    'adapters-are-islands',
    'packages/engine/src/backends/claude/up.ts',
    `import { decide } from '../../sessions/decide.ts'\nexport const d = decide`,
  ],
  [
    'claude-sdk-lives-in-its-adapter',
    'packages/engine/src/tools/sdk.ts',
    `import type { Options } from '@anthropic-ai/claude-agent-sdk'\nexport type O = Options`,
  ],
  [
    'model-sdks-live-in-the-loop',
    'packages/model/src/sdk.ts',
    `import { Anthropic } from '@anthropic-ai/sdk'\nexport const a = Anthropic`,
  ],
  [
    'ports-know-no-adapter',
    'packages/engine/src/tools/adapter.ts',
    `import { adapter } from '../backends/claude/adapter.ts'\nexport const a = adapter`,
  ],
  [
    'sessions-know-ports',
    'packages/engine/src/sessions/config.ts',
    `import { load } from '../config/load.ts'\nexport const l = load`,
  ],
  [
    'sessions-know-ports',
    'packages/engine/src/sessions/adapter.ts',
    `import { scripted } from '../backends/scripted/adapter.ts'\nexport const s = scripted`,
  ],
  [
    'store-knows-protocol-only',
    'packages/engine/src/store/up.ts',
    `import type { decide } from '../sessions/decide.ts'\nexport type D = typeof decide`,
  ],
  [
    'processes-know-sessions',
    'packages/engine/src/processes/adapter.ts',
    `import { adapter } from '../backends/claude/adapter.ts'\nexport const a = adapter`,
  ],
  [
    'audit-knows-protocol-only',
    'packages/engine/src/audit/store.ts',
    `import type { Store } from '../store/event-store.ts'\nexport type S = Store`,
  ],
  [
    'access-stands-before-the-doors',
    'packages/engine/src/access/decide.ts',
    `import { decide } from '../sessions/decide.ts'\nexport const d = decide`,
  ],
  [
    'keys-know-the-store-port',
    'packages/engine/src/keys/decide.ts',
    `import { decide } from '../sessions/decide.ts'\nexport const d = decide`,
  ],
  [
    'sql-lives-in-the-store',
    'packages/engine/src/store/memory/sql.ts',
    `import { Kysely } from 'kysely'\nexport const k = Kysely`,
  ],
  [
    'sql-lives-in-the-store',
    'packages/engine/src/retrieval/search/sql.ts',
    `import { Kysely } from 'kysely'\nexport const k = Kysely`,
  ],
  [
    'model-sdks-live-in-the-loop',
    'packages/engine/src/retrieval/search/sdk.ts',
    `import OpenAI from 'openai'\nexport const o = OpenAI`,
  ],
  [
    'hooks-know-ports',
    'packages/engine/src/hooks/decide.ts',
    `import { decide } from '../sessions/decide.ts'\nexport const d = decide`,
  ],
  [
    'toolbox-knows-ports',
    'packages/engine/src/toolbox/decide.ts',
    `import { decide } from '../sessions/decide.ts'\nexport const d = decide`,
  ],
  [
    'mcp-lives-in-the-toolbox',
    'packages/engine/src/tools/mcp.ts',
    `import { Client } from '@modelcontextprotocol/sdk/client/index.js'\nexport const c = Client`,
  ],
  [
    'retrieval-knows-ports',
    'packages/engine/src/retrieval/decide.ts',
    `import { decide } from '../sessions/decide.ts'\nexport const d = decide`,
  ],
  [
    'evals-know-the-session-service',
    'packages/engine/src/evals/decide.ts',
    `import { decide } from '../sessions/decide.ts'\nexport const d = decide`,
  ],
  [
    'web-runs-in-a-browser',
    'packages/web/src/file.ts',
    `import { readFile } from 'node:fs'\nexport const f = readFile`,
  ],
  [
    'web-knows-protocol-only',
    'packages/web/src/up.test.ts',
    `import { createEngine } from '@quarterdeck/engine'\nexport const e = createEngine`,
  ],
  [
    'wires-are-islands',
    'packages/server/src/wires/chat/other.ts',
    `import { analyze } from '../analyze/analyze.ts'\nexport const a = analyze`,
  ],
  [
    'wires-know-no-door',
    'packages/server/src/wires/chat/door.ts',
    `import { door } from '../../doors/door.ts'\nexport const d = door`,
  ],
  [
    'features-are-islands',
    'packages/web/src/features/chat/home.ts',
    `import { cards } from '../home/cards.ts'\nexport const c = cards`,
  ],
  [
    'state-is-plain-typescript',
    'packages/web/src/state/hook.ts',
    `import { useState } from 'react'\nexport const u = useState`,
  ],
  [
    'ui-parts-are-dumb',
    'packages/web/src/ui/knowing.ts',
    `import { state } from '../state/session.ts'\nexport const s = state`,
  ],
  [
    'analysis-is-plain-typescript',
    'packages/web/src/analysis/runs/hook.ts',
    `import { useState } from 'react'\nexport const u = useState`,
  ],
  [
    'analysis-is-plain-typescript',
    'packages/web/src/analysis/runs/shown.ts',
    `import { button } from '../../ui/button.ts'\nexport const b = button`,
  ],
  [
    'duckdb-lives-in-duck',
    'packages/web/src/analysis/runs/database.ts',
    `import type { AsyncDuckDB } from '@duckdb/duckdb-wasm'\nexport type A = AsyncDuckDB`,
  ],
  [
    'duckdb-lives-in-duck',
    'packages/web/src/analysis/import/url.ts',
    `import url from '@duckdb/duckdb-wasm/dist/duckdb-eh.wasm?url'\nexport const u = url`,
  ],
  [
    'duckdb-lives-in-duck',
    'packages/web/src/analysis/import/arrow.ts',
    `import { Table } from 'apache-arrow'\nexport const t = Table`,
  ],
  [
    'file-readers-live-in-import',
    'packages/web/src/analysis/runs/sheet.ts',
    `import { read } from '@e965/xlsx'\nexport const r = read`,
  ],
  [
    'vega-lives-in-chart',
    'packages/web/src/features/chat/chart.ts',
    `import { View } from 'vega'\nexport const v = View`,
  ],
  [
    'analysis-workers-are-islands',
    'packages/web/src/analysis/duck/files.ts',
    `import { r } from '../import/read.ts'\nexport const f = r`,
  ],
  [
    'analysis-workers-are-islands',
    'packages/web/src/analysis/kept/joined.ts',
    `import { w } from '../create-workspace.ts'\nexport const j = w`,
  ],
  [
    'analysis-reasoning-is-pure',
    'packages/web/src/analysis/privacy/database.ts',
    `import { ipc } from '../duck/ipc.ts'\nexport const i = ipc`,
  ],
  [
    'analysis-reasoning-is-pure',
    'packages/web/src/analysis/proof/state.ts',
    `import { state } from '../../state/session.ts'\nexport const s = state`,
  ],
  [
    'runs-are-handed-their-rooms',
    'packages/web/src/analysis/tools/database.ts',
    `import { db } from '../duck/boot.ts'\nexport const d = db`,
  ],
  [
    'pages-ask-the-workspace',
    'packages/web/src/features/chat/database.ts',
    `import { db } from '../../analysis/duck/boot.ts'\nexport const d = db`,
  ],
]

const companions = {
  'packages/cli/src/ring-b.ts': `import { b } from './ring-a.ts'\nexport const a = () => b`,
  'packages/cli/src/given.test.ts': `export const given = 1`,
}

const trees: string[] = []
afterAll(() => Promise.all(trees.map((tree) => rm(tree, { recursive: true, force: true }))))

describe('a house that keeps the import table', () => {
  it('passes, and every one of its modules was read', async () => {
    const result = await checkArchitecture(await buildTree(clean))
    expect(result).toMatchObject({ failed: 0, output: '' })
    expect(result.note).toContain(`${Object.keys(clean).length} modules`)
  })

  it('fails when the checker read fewer files than there are', () => {
    const blind = { modules: ['packages/cli/src/index.ts'], dependencies: 0, violations: [] }
    expect(findProblems(blind, ['packages/cli/src/index.ts', 'packages/web/src/main.tsx'])).toEqual([
      'not read by dependency-cruiser: packages/web/src/main.tsx',
      'dependency-cruiser saw no dependency at all',
    ])
  })
})

describe('a house with a forbidden import', () => {
  let violations: readonly { rule: string; from: string }[] = []
  beforeAll(async () => {
    const violating = Object.fromEntries(planted.map(([, file, source]) => [file, source]))
    const cruise = await cruisePackages(await buildTree({ ...clean, ...companions, ...violating }))
    violations = cruise.violations
  })

  it.each(planted)('breaks %s in %s', (rule, file) => {
    expect(violations.filter((found) => found.from === file).map((found) => found.rule)).toContain(rule)
  })

  it('breaks rules nowhere else', () => {
    const guilty = new Set(planted.map(([, file]) => file))
    expect(violations.filter((found) => !guilty.has(found.from))).toEqual([])
  })

  it('has a planted violation for every rule there is', () => {
    const names = rules.forbidden.map((rule: { name: string }) => rule.name)
    expect(new Set(planted.map(([rule]) => rule))).toEqual(new Set(names))
  })
})

async function buildTree(files: Record<string, string>): Promise<string> {
  const tree = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-house-')))
  trees.push(tree)
  for (const [path, source] of Object.entries(files)) await write(join(tree, path), `${source}\n`)
  for (const name of ['protocol', 'model', 'engine', 'server', 'cli', 'web']) {
    const packageExports = { '.': { '@quarterdeck/source': './src/index.ts', default: './dist/index.js' } }
    const manifest = { name: `@quarterdeck/${name}`, type: 'module', exports: packageExports }
    await write(join(tree, `packages/${name}/package.json`), JSON.stringify(manifest))
    await link(join(tree, 'packages', name), join(tree, 'node_modules/@quarterdeck', name))
  }
  for (const name of [
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
  ]) {
    await link(join(repository, 'node_modules', name), join(tree, 'node_modules', name))
  }
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
