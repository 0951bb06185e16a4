import { describe, expect, it } from 'vitest'
import { createStore } from '../../../../stores/primitives/store.ts'
import type { DataServices, TablesState } from '../../../domain/data-services.ts'
import type { ImportPlan, ImportSource } from '../../../domain/import-plan.ts'
import type { ImportedTable } from '../../../domain/imported-table.ts'
import { ImportError } from '../../../import/source/import-error.ts'
import { sourceOfText } from '../../../import/source/source-file.ts'
import { stageProgress } from './import-labels.ts'
import { createImports } from './imports.ts'

const planFor = (file: ImportSource): ImportPlan => ({
  file: file.name,
  sizeBytes: file.size,
  format: 'csv',
  encoding: 'utf-8',
  delimiter: ',',
  hasHeader: true,
  tables: [
    {
      part: null,
      isChosen: true,
      name: file.name.replace('.csv', ''),
      columns: [],
      rowCount: 1,
      preview: { columns: [{ name: 'a', type: 'VARCHAR' }], rows: [] },
    },
  ],
  warnings: [],
})

const tableNamed = (name: string): ImportedTable => ({
  name,
  rowCount: 1,
  columns: [],
  neverSent: [],
  source: { file: `${name}.csv`, format: 'csv', sizeBytes: 3, fingerprint: 'f' },
  rejectedCount: 0,
  rejected: [],
  addedAt: '2026-01-01T00:00:00Z',
  isKept: true,
})

function workspaceWith(parts: Partial<DataServices>): DataServices {
  // Only what these tests use.
  const tables = createStore<TablesState>({ isLasting: true, tables: null, listed: null, missing: [], storage: null })
  const planImport = async (file: ImportSource) => planFor(file)
  return { start: async () => undefined, planImport, tables, ...parts } as DataServices
}

const asFound = { isKept: true, replaces: [] }
const settled = () => new Promise((resolve) => setTimeout(resolve, 0))
const file = sourceOfText('a.csv', 'a\n1')

describe('imports', () => {
  it('detects each file and waits for its review, then goes through the stages to the profile', async () => {
    const profiled: string[] = []
    const seen: string[] = []
    const imports = createImports({
      services: workspaceWith({
        async addTables(_file, _plan, { onStage }) {
          onStage?.('loading')
          onStage?.('saving')
          return [tableNamed('a')]
        },
      }),
      profile: async ({ name }) => profiled.push(name),
    })
    imports.subscribe(() => {
      const state = imports.getSnapshot()[0]?.state
      if (state !== undefined) seen.push(state.kind === 'working' ? state.stage : state.kind)
    })
    imports.add([file])
    await settled()
    await imports.confirm(1, planFor(file), asFound)
    expect(seen).toEqual(['detecting', 'review', 'waiting', 'reading', 'loading', 'saving', 'profiling'])
    expect(profiled).toEqual(['a'])
    const places = seen.flatMap((stage) => stageProgress(stage as 'reading')?.at ?? [])
    expect(places).toEqual([1, 2, 3, 3, 4])
  })

  it('drops a file without remarks after one notice, and keeps the line of one with remarks', async () => {
    const made = [tableNamed('a'), { ...tableNamed('b'), rejectedCount: 2 }]
    const imports = createImports({
      services: workspaceWith({ addTables: async () => made.splice(0, 1) }),
      profile: async () => undefined,
    })
    await imports.addAsFound(file)
    expect(imports.getSnapshot()).toEqual([])
    expect(imports.arrived.getSnapshot().map(({ name }) => name)).toEqual(['a'])
    await imports.addAsFound(file)
    expect(imports.getSnapshot()[0]?.state.kind).toBe('added')
    expect(imports.arrived.getSnapshot().map(({ name }) => name)).toEqual(['b'])
  })

  it('returns an unchecked file to its review if rows would be rejected', async () => {
    const rejectedRows = new Map([
      ['a.csv', 0],
      ['b.csv', 38],
    ])
    const added: string[] = []
    const imports = createImports({
      services: workspaceWith({
        async checkImport({ name }) {
          const counts = { rows: 38, rejectedRows: rejectedRows.get(name) ?? 0, wrongWidth: 0, columns: [] }
          return { isWhole: true, tables: [counts] }
        },
        async addTables({ name }) {
          added.push(name)
          return [tableNamed(name.replace('.csv', ''))]
        },
      }),
      profile: async () => undefined,
    })
    imports.add([file, sourceOfText('b.csv', 'a\n1')])
    await settled()
    for (const { id, file: one } of imports.getSnapshot()) {
      await imports.confirm(id, planFor(one), { ...asFound, isUnchecked: true })
    }
    expect(added).toEqual(['a.csv'])
    expect(imports.getSnapshot()).toMatchObject([{ file: { name: 'b.csv' }, state: { kind: 'review' } }])
  })

  it('adds a file as detected without a review', async () => {
    const kinds = new Set<string>()
    const imports = createImports({
      services: workspaceWith({ addTables: async () => [tableNamed('a')] }),
      profile: async () => undefined,
    })
    imports.subscribe(() => {
      for (const { state } of imports.getSnapshot()) kinds.add(state.kind)
    })
    await imports.addAsFound(file)
    expect([...kinds]).toEqual(['working'])
  })

  it('does not read a file that was dismissed in the queue', async () => {
    const planned: string[] = []
    let go: () => void = () => undefined
    const imports = createImports({
      services: workspaceWith({
        async planImport(asked) {
          planned.push(asked.name)
          await new Promise<void>((resolve) => (go = resolve))
          return planFor(asked)
        },
      }),
      profile: async () => undefined,
    })
    imports.add([file, sourceOfText('b.csv', 'b'), sourceOfText('c.csv', 'c')])
    await settled()
    imports.dismiss(2)
    go()
    await settled()
    expect(planned).toEqual(['a.csv', 'c.csv'])
  })

  it('shows a line for a file that could not be opened, and retries it for its table', async () => {
    const imports = createImports({ services: workspaceWith({}), profile: async () => undefined })
    imports.refuse(file, new Error('The disk does not answer.'), ['a'])
    expect(imports.getSnapshot()[0]?.state).toMatchObject({ kind: 'failed', message: 'The disk does not answer.' })
    imports.retry(1)
    await settled()
    expect(imports.getSnapshot()[0]).toMatchObject({ state: { kind: 'review' }, replaces: ['a'] })
  })

  it('loads files one after the other, and shows the tables of queued files', async () => {
    const loaded: string[] = []
    let go: () => void = () => undefined
    const imports = createImports({
      services: workspaceWith({
        async addTables(asked) {
          if (loaded.length === 0) await new Promise<void>((resolve) => (go = resolve))
          loaded.push(asked.name)
          return []
        },
      }),
      profile: async () => undefined,
    })
    const [table] = [
      { part: null, isChosen: true, name: 'b', columns: [], preview: { columns: [], rows: [] }, rowCount: 1 },
    ]
    void imports.review(file, planFor(file), [])
    void imports.review(sourceOfText('b.csv', 'b'), planFor(file), [])
    const both = [1, 2].map((id) => imports.confirm(id, { ...planFor(file), tables: [table] }, asFound))
    await settled()
    expect(loaded).toEqual([])
    expect(imports.getSnapshot()[1]?.state).toEqual({ kind: 'working', stage: 'waiting', makes: ['b'] })
    go()
    await Promise.all(both)
    expect(loaded).toEqual(['a.csv', 'b.csv'])
  })

  it('cancels a file that is dismissed while loading, and reports nothing more', async () => {
    let signal: AbortSignal | undefined
    const imports = createImports({
      services: workspaceWith({
        addTables: (_file, _plan, options) =>
          new Promise((_, reject) => {
            signal = options.signal
            options.signal?.addEventListener('abort', () => reject(new Error('stopped')))
          }),
      }),
      profile: async () => undefined,
    })
    void imports.review(file, planFor(file), [])
    const adding = imports.confirm(1, planFor(file), asFound)
    await settled()
    imports.dismiss(1)
    await adding
    expect(signal?.aborted).toBe(true)
    expect(imports.getSnapshot()).toEqual([])
  })

  it('says why a file cannot be read, and can retry it', async () => {
    let isBroken = true
    const imports = createImports({
      services: workspaceWith({
        async planImport(asked) {
          if (isBroken) throw new Error('line 3: a quote is never closed')
          return planFor(asked)
        },
      }),
      profile: async () => undefined,
    })
    imports.add([file])
    await settled()
    expect(imports.getSnapshot()[0]?.state).toMatchObject({
      kind: 'failed',
      message: 'line 3: a quote is never closed',
    })
    isBroken = false
    imports.retry(1)
    await settled()
    expect(imports.getSnapshot()[0]?.state.kind).toBe('review')
  })

  it('reads the first rows of a file again and keeps the choices, or reviews it without rows', async () => {
    const columns = [{ sourceName: 'a', name: 'amount', type: 'DOUBLE' }]
    const table = { part: null, isChosen: true, name: 'sold', columns, rowCount: 1 }
    const plan = { ...planFor(file), tables: [{ ...table, preview: { columns: [], rows: [] } }] }
    const preview = { columns: [{ name: 'a', type: 'VARCHAR' }], rows: [['1']] }
    const found = { ...plan, tables: [{ ...table, name: 'a', columns: [], preview }] }
    const answers = [async () => found, () => Promise.reject(new Error('the worker is gone'))]
    const imports = createImports({
      services: workspaceWith({ replanImport: () => answers.shift()?.() ?? Promise.reject() }),
      profile: async () => undefined,
    })
    const looked = imports.review(file, plan, ['sold'])
    expect(imports.getSnapshot()[0]?.state.kind).toBe('working')
    await looked
    expect(imports.getSnapshot()[0]?.state).toEqual({
      kind: 'review',
      plan: { ...plan, tables: [{ ...table, preview }] },
    })
    await imports.review(file, plan, ['sold'])
    expect(imports.getSnapshot()[1]?.state).toEqual({ kind: 'review', plan })
  })

  it('keeps the line of a table that got another name than planned', async () => {
    const imports = createImports({
      services: workspaceWith({ addTables: async () => [tableNamed('a_2')] }),
      profile: async () => undefined,
    })
    const table = {
      part: null,
      isChosen: true,
      name: 'a',
      columns: [],
      preview: { columns: [], rows: [] },
      rowCount: 1,
    }
    await imports.addAsFound(file, { change: (plan) => ({ ...plan, tables: [table] }) })
    expect(imports.getSnapshot()[0]?.state).toMatchObject({ kind: 'added', tables: [{ name: 'a_2' }] })
  })

  it('applies the last of two changes, whichever answer comes first', async () => {
    const answers: ((plan: ImportPlan) => void)[] = []
    const imports = createImports({
      services: workspaceWith({ replanImport: () => new Promise((resolve) => answers.push(resolve)) }),
      profile: async () => undefined,
    })
    void imports.review(file, planFor(file), [])
    const first = imports.replan(1, { ...planFor(file), delimiter: ';' })
    const second = imports.replan(1, { ...planFor(file), delimiter: '|' })
    answers[1]?.({ ...planFor(file), delimiter: '|' })
    answers[0]?.({ ...planFor(file), delimiter: ';' })
    expect(await first).toBeNull()
    expect((await second)?.delimiter).toBe('|')
    expect(imports.getSnapshot()[0]?.state).toMatchObject({ plan: { delimiter: '|' } })
  })

  it('removes the remarks on a table when it is removed or read again', async () => {
    const tables = createStore<TablesState>({ isLasting: true, tables: null, listed: null, missing: [], storage: null })
    const odd = (name: string) => ({ ...tableNamed(name), rejectedCount: 1 })
    const imports = createImports({
      services: workspaceWith({ tables, addTables: async () => [odd('a'), odd('b')] }),
      profile: async () => undefined,
    })
    await imports.addAsFound(file)
    const remarks = () =>
      imports.getSnapshot().flatMap(({ state }) => (state.kind === 'added' ? state.tables.map(({ name }) => name) : []))
    tables.update({ listed: [odd('a'), odd('b')] })
    expect(remarks()).toEqual(['a', 'b'])
    tables.update({ listed: [odd('b')] })
    expect(remarks()).toEqual(['b'])
    tables.update({ listed: [{ ...odd('b'), addedAt: '2026-02-02T00:00:00Z' }] })
    expect(imports.getSnapshot()).toEqual([])
  })

  it('does not offer a retry for a file that is not a table', async () => {
    const errors = [new ImportError('unsupported', 'a picture'), new Error('the connection is gone')]
    const imports = createImports({
      services: workspaceWith({ planImport: () => Promise.reject(errors.shift()) }),
      profile: async () => undefined,
    })
    imports.add([file, file])
    await settled()
    expect(imports.getSnapshot().map(({ state }) => state)).toMatchObject([{ mayRetry: false }, { mayRetry: true }])
  })
})
