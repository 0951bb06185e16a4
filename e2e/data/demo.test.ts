// The demo model and the browser tools with a real DuckDB, on the samples and on an unknown table.
import { formatTableList } from '@quarterdeck/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AnalysisTool } from '../../packages/client/src/index.ts'
import type { PrivacyLevel } from '../../packages/protocol/src/index.ts'
import { respondAsDemo } from '../../packages/simulator/src/demo/respond-as-demo.ts'
import { readConversation } from '../../packages/simulator/src/replies/read-conversation.ts'
import { fieldTrialColumns, fieldTrialCsv, fieldTrialQuestions, growersCsv } from './questions/field-trial-questions.ts'
import { type Harness, openHarness } from './support/analysis-harness.ts'

interface Asking {
  readonly scope: readonly string[]
  readonly level: PrivacyLevel
  readonly rows: 'allow' | 'summary'
}

/** Shared by all questions on the page. */
declare global {
  var tools: Readonly<Record<string, AnalysisTool>>
  var openTools: (asking: Asking) => Readonly<Record<string, AnalysisTool>>
  var describeTables: (asking: Asking) => Promise<readonly object[]>
  var askedForRows: number[]
}

const fieldTrialTables = ['field trials', 'growers']
const sampleSets = [['deliveries', 'depots'], ['energy'], ['orders']]

let harness: Harness<
  'duck' | 'ipc' | 'samples' | 'planCsv' | 'privacy' | 'tools' | 'recorder' | 'codeFrame' | 'suggested'
>
beforeAll(async () => {
  harness = await openHarness(
    'duck',
    'ipc',
    'samples',
    'planCsv',
    'privacy',
    'tools',
    'recorder',
    'codeFrame',
    'suggested',
  )
  await harness.run(
    async ({ modules, fieldTrialColumns, fieldTrialCsv, growersCsv }) => {
      const engine = await modules.duck.createQueryEngine({})
      const add = (name: string, bytes: Uint8Array, columns: readonly { name: string; type: string | null }[]) =>
        engine.addCsv({ name, bytes, delimiter: ',', hasHeader: true, columns })
      for (const file of modules.samples.samples.flatMap(({ files }) => files)) {
        const bytes = await file.bytes()
        const columns = modules.planCsv.planCsv(file.name, [bytes]).columns.map(({ name, type }) => ({ name, type }))
        await add(file.name.replace('.csv', ''), bytes, columns)
      }
      await add('field trials', new TextEncoder().encode(fieldTrialCsv), fieldTrialColumns)
      await add('growers', new TextEncoder().encode(growersCsv), [
        { name: 'grower', type: 'VARCHAR' },
        { name: 'country', type: 'VARCHAR' },
      ])
      globalThis.askedForRows = []
      const all = await engine.tables()
      const codeFrame = modules.codeFrame.createCodeFrame()
      globalThis.openTools = ({ scope, level, rows }) =>
        modules.tools.createAnalysisTools({
          engine,
          codeFrame,
          toIpc: modules.ipc.toIpc,
          level: () => level,
          scope: () => scope,
          steps: modules.recorder.createMemoryStepRecorder(),
          ask: {
            question: async ({ options }) => options[0] ?? '',
            rows: async ({ step }) => {
              globalThis.askedForRows.push(step)
              return rows
            },
          },
        })
      globalThis.describeTables = ({ scope, level }) =>
        modules.privacy.describeTables(
          engine,
          all.filter(({ name }) => scope.includes(name)),
          { level },
        )
    },
    { fieldTrialColumns, fieldTrialCsv, growersCsv },
  )
})
afterAll(() => harness?.close())

const offered = ['run_query', 'get_column_stats', 'get_value_distribution', 'ask_user', 'final_answer'].map((name) => ({
  name,
}))

async function ask(question: string, asking: Asking): Promise<Readonly<Record<string, unknown>>> {
  const tables = await harness.run(
    ({ asking }) => {
      globalThis.tools = globalThis.openTools(asking)
      return globalThis.describeTables(asking)
    },
    { asking },
  )
  const system = `You analyse.\n${formatTableList(tables.map((table) => JSON.stringify(table)))}`
  const messages: object[] = [{ role: 'user', content: question }]
  for (let turn = 0; turn < 3; turn += 1) {
    const request = { model: 'm', max_tokens: 9, system, tools: offered, messages }
    const result = respondAsDemo(readConversation(request as Parameters<typeof readConversation>[0]))
    const calls = (result.type === 'reply' ? result.reply.tools : undefined) ?? []
    if (calls[0]?.name === 'final_answer') return calls[0].input
    const uses = calls.map(({ name, input }, at) => ({ type: 'tool_use', id: `${turn}-${at}`, name, input }))
    const results = await harness.run(
      ({ uses }) =>
        Promise.all(
          uses.map(async ({ id, name, input }) => {
            const { signal } = new AbortController()
            const call = { id: id as never, signal, onlyWhile: () => undefined }
            const result = await globalThis.tools[name]?.(input as never, call)
            return { type: 'tool_result', tool_use_id: id, content: JSON.stringify(result) }
          }),
        ),
      { uses },
    )
    messages.push({ role: 'assistant', content: uses }, { role: 'user', content: results })
  }
  throw new Error(`no answer to: ${question}`)
}

const refused = /^The simulator cannot answer this question\. With a provider key a model would\./
const claimedNumbers = (claims: unknown): readonly number[] =>
  (claims as readonly { readonly value: number }[]).map(({ value }) => value)

it('answers every question that the samples offer, at level 1 and without asking for rows', async () => {
  const expected: Readonly<Record<string, string>> = {
    'Which region had the most late deliveries in September, and why?':
      'Late deliveries promised for September, by region: North (109), East (35), South (35), West (33). Those of the region North, by carrier: Hansa Cargo (82), Bluebird (13), ',
    'How does the share of late deliveries change by month?': 'highest in September 2026 (17.97 %)',
    'Which carrier is the slowest on average?': 'slowest first: Hansa Cargo (',
    'How much energy was used per month?': 'highest in December 2025 (8,751.6)',
    'At which hour of the day is most used?': 'by hour of the day: ',
    'How many readings are missing, and when?':
      'by day: 2025-03-10 (24), 2025-03-11 (24), 2025-03-12 (24). The number of readings without used_kwh is 72.',
    'Which products bring the most revenue?': 'Revenue by product: Backpack (124,893.7), ',
    'How do returns differ between months?': 'highest in November 2025 (230)',
    'What is the average rating by category?': 'The average rating by category: Paper (4.14), ',
  }
  const offeredQuestions = await harness.run(async ({ modules }) => modules.samples.samples.map((one) => one.questions))
  expect(offeredQuestions.flat()).toEqual(Object.keys(expected))
  for (const [at, scope] of sampleSets.entries()) {
    for (const question of offeredQuestions[at] ?? []) {
      const result = await ask(question, { scope, level: 1, rows: 'summary' })
      expect([question, result.answer]).toEqual([question, expect.stringContaining(expected[question] ?? '-')])
      expect(result.claims).not.toEqual([])
      for (const next of result.followUps as readonly string[]) {
        expect((await ask(next, { scope, level: 1, rows: 'summary' })).answer).not.toMatch(refused)
      }
    }
  }
  expect(await harness.run(() => globalThis.askedForRows)).toEqual([])
})

it('answers every question that the page suggests for the samples', async () => {
  const suggested = await harness.run(
    async ({ modules, sampleSets }) => {
      const tables = await Promise.all(
        sampleSets.map((scope) => globalThis.describeTables({ scope, level: 1, rows: 'summary' })),
      )
      return tables.map((set) => {
        const kept = set.map((table) => ({ ...table, neverSent: ['customer_email'] }))
        const column = 'depot_id'
        const join = { left: { table: 'deliveries', column }, right: { table: 'depots', column }, matchRate: 1 }
        return modules.suggested.suggestedQuestions(kept as never, set.length > 1 ? [join] : [])
      })
    },
    { sampleSets },
  )
  for (const [at, scope] of sampleSets.entries()) {
    expect(suggested[at]?.length).toBeGreaterThan(2)
    for (const question of suggested[at] ?? []) {
      const { answer } = await ask(question, { scope, level: 1, rows: 'summary' })
      expect([question, answer]).toEqual([question, expect.not.stringMatching(refused)])
    }
  }
})

it.each(fieldTrialQuestions)(
  'answers about a table that the model does not know: $question',
  async ({ question, numbers, words }) => {
    const result = await ask(question, { scope: fieldTrialTables, level: 3, rows: 'allow' })
    if (numbers === null) {
      expect(result).toMatchObject({ answer: expect.stringMatching(refused), claims: [] })
      expect(result.sourceStep).toBeUndefined()
      return
    }
    expect(result.answer).not.toMatch(refused)
    expect(claimedNumbers(result.claims)).toEqual(numbers.map((number) => expect.closeTo(number, 9)))
    expect(result.answer).toContain(words)
  },
)

it('has at least 12 questions with an answer and 28 that the model must refuse', () => {
  const answered = fieldTrialQuestions.filter(({ numbers }) => numbers !== null)
  expect(answered.length).toBeGreaterThanOrEqual(12)
  expect(fieldTrialQuestions.length - answered.length).toBeGreaterThanOrEqual(28)
})

it('asks the user before it sees single rows, and reports the outcome after either answer', async () => {
  for (const rows of ['allow', 'summary'] as const) {
    const before = await harness.run(() => globalThis.askedForRows.length)
    const result = await ask('Show me the first 10 rows of orders', { scope: ['orders'], level: 1, rows })
    expect(result.answer).toBe('Step 1 has the first rows of orders.')
    expect((await harness.run(() => globalThis.askedForRows)).slice(before)).toEqual([1])
  }
})

it('contains no value at level 0', async () => {
  const result = await ask('Count by channel in orders', { scope: ['orders'], level: 0, rows: 'summary' })
  expect(result).toMatchObject({
    answer: 'The number of rows by channel in orders: the values are not shown at this privacy level. Step 1 has them.',
    claims: [],
  })
})
