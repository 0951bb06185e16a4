// The demo model and the tools of the browser, over the samples: what a person without a key gets. Nothing is scripted.
import { formatTableList } from '@quarterdeck/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConversation } from '../packages/model/src/simulator/conversation.ts'
import { respondAsDemo } from '../packages/model/src/simulator/demo/respond-as-demo.ts'
import type { AnalysisTool } from '../packages/protocol/src/index.ts'
import { type Harness, openHarness } from './analysis-harness.ts'

interface Rooms {
  readonly duck: typeof import('../packages/web/src/analysis/duck/create-engine.ts')
  readonly ipc: typeof import('../packages/web/src/analysis/duck/ipc.ts')
  readonly samples: typeof import('../packages/web/src/analysis/samples/samples.ts')
  readonly plan: typeof import('../packages/web/src/analysis/import/plan-csv.ts')
  readonly privacy: typeof import('../packages/web/src/analysis/privacy/describe-tables.ts')
  readonly tools: typeof import('../packages/web/src/analysis/tools/create-analysis-tools.ts')
  readonly book: typeof import('../packages/web/src/analysis/steps/memory-step-book.fixture.ts')
  readonly sandbox: typeof import('../packages/web/src/analysis/sandbox/create-sandbox.ts')
}

/** On the page, for all questions. */
declare global {
  var tools: Readonly<Record<string, AnalysisTool>>
  /** A question's own: whoever said no to rows is not asked again. */
  var openTools: (answer: 'allow' | 'summary') => Readonly<Record<string, AnalysisTool>>
  var askedForRows: number[]
}

let harness: Harness<Rooms>
let system: string
beforeAll(async () => {
  harness = await openHarness<Rooms>({
    ...{ duck: 'duck/create-engine.ts', ipc: 'duck/ipc.ts', samples: 'samples/samples.ts' },
    ...{ plan: 'import/plan-csv.ts', privacy: 'privacy/describe-tables.ts', tools: 'tools/create-analysis-tools.ts' },
    ...{ book: 'steps/memory-step-book.fixture.ts', sandbox: 'sandbox/create-sandbox.ts' },
  })
  const told = await harness.run(async ({ rooms }) => {
    const engine = await rooms.duck.createEngine({})
    for (const file of rooms.samples.samples.flatMap(({ files }) => files)) {
      const bytes = await file.bytes()
      const columns = rooms.plan.planCsv(file.name, [bytes]).columns.map(({ name, type }) => ({ name, type }))
      await engine.addCsv({ name: file.name.replace('.csv', ''), bytes, delimiter: ',', hasHeader: true, columns })
    }
    globalThis.askedForRows = []
    const tables = await engine.tables()
    const [sandbox, steps] = [rooms.sandbox.createSandbox(), rooms.book.createMemoryStepBook()]
    globalThis.openTools = (answer) =>
      rooms.tools.createAnalysisTools({
        ...{ engine, sandbox, toIpc: rooms.ipc.toIpc, level: () => 1 },
        ...{ scope: () => tables.map(({ name }) => name), steps },
        ask: {
          question: async ({ options }) => options[0] ?? '',
          rows: async ({ step }) => {
            globalThis.askedForRows.push(step)
            return answer
          },
        },
      })
    return rooms.privacy.describeTables(engine, tables, { level: 1 })
  })
  system = `You analyse.\n${formatTableList(told.map((table) => JSON.stringify(table)))}`
})
afterAll(() => harness?.close())

const offered = [
  ...['run_query', 'get_column_stats', 'get_value_distribution', 'transform_data', 'ask_user', 'final_answer'],
].map((name) => ({ name }))

async function ask(
  question: string,
  answer: 'allow' | 'summary' = 'summary',
): Promise<Readonly<Record<string, unknown>>> {
  await harness.run(
    ({ answer }) => {
      globalThis.tools = globalThis.openTools(answer)
    },
    { answer },
  )
  const messages: object[] = [{ role: 'user', content: question }]
  for (let turn = 0; turn < 8; turn += 1) {
    const request = { model: 'm', max_tokens: 9, system, tools: offered, messages }
    const said = respondAsDemo(readConversation(request as Parameters<typeof readConversation>[0]))
    const calls = (said.type === 'reply' ? said.reply.tools : undefined) ?? []
    if (calls[0]?.name === 'final_answer') return calls[0].input
    const uses = calls.map(({ name, input }, at) => ({
      type: 'tool_use',
      id: `${question}${answer}${turn}-${at}`,
      name,
      input,
    }))
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

it('answers at level 1 what the samples offer and more, without an error and without asking for rows', async () => {
  const expected: Readonly<Record<string, string>> = {
    'Which region had the most late deliveries in September, and why?':
      'North is highest by late deliveries, with 109; then East (35) and South (35), in September. In North, by carrier: Hansa Cargo (82), then Bluebird (13).',
    'How does the share of late deliveries change by month?': 'It was highest in September 2026 (17.97 %)',
    'Which carrier is the slowest on average?': 'Hansa Cargo is highest by average hours',
    'How much energy was used per month?': 'It was highest in December 2025 (8,751.6)',
    'Which day had the highest energy used?': 'was highest in 2025-12-29 (312.7)',
    'How many energy readings are missing, and when?': 'used_kwh (72, 0.8 %). Most are in March 2025 (72).',
    'What is the running total of used kwh by month?': 'to 42,694.58 in December 2025.',
    'Which products bring the most revenue?': 'Backpack is highest by revenue, with 124,893.7',
    'How do returns differ between months?': 'It was highest in November 2025 (230)',
    'What is the average rating by category?': 'Paper is highest by average rating, with 4.14',
    'Does fee eur rise with weight kg?': 'fee_eur rises strongly with weight_kg: the correlation is 0.9329',
    'What is the distribution of solar?': 'solar_kwh lies between 0 and 8.39',
    'Are there duplicate deliveries?': '0 of the 6,000 rows of deliveries repeat an earlier row.',
    'How many deliveries did Velox make?': 'There are 1,453 rows with carrier Velox, of 6,000 in deliveries.',
  }
  for (const [question, words] of Object.entries(expected)) {
    const { answer, sourceStep, claims } = await ask(question)
    expect([question, answer]).toEqual([question, expect.stringContaining(words)])
    expect(sourceStep).toBeGreaterThan(0)
    expect(claims).not.toEqual([])
  }
  expect(await harness.run(() => globalThis.askedForRows)).toEqual([])
})

it('answers in other words, and says plainly where no row is left, without asking for rows', async () => {
  const before = await harness.run(() => globalThis.askedForRows.length)
  const together = await ask('How do weight_kg and fee_eur go together?')
  expect(together.answer).toContain('the correlation is 0.9329')
  const best = await ask('Which three months had the highest used kwh?')
  expect(best.answer).toMatch(/^December 2025 is highest by total used_kwh, with 8,751\.\d+; then .+ 2025 \(.+\) and /)
  const none = await ask('Which carrier had the highest fee in March?')
  expect(none).toMatchObject({ answer: 'No row of deliveries is in March.', chartType: 'table', claims: [] })
  expect(await harness.run(() => globalThis.askedForRows.length)).toBe(before)
})

it('asks for rows where somebody wants to see rows, and has an answer after both words of the person', async () => {
  const expected: Readonly<Record<string, readonly [allowed: RegExp, summary: RegExp]>> = {
    'Show me the first rows of orders': [
      /^Step \d+ has the first 10 rows of orders, of 8,000\.$/,
      /^orders has 8,000 rows\. I was not shown single rows: step \d+ has them\.$/,
    ],
    'Show me the five largest deliveries by fee_eur': [
      /^The 5 rows with the highest fee_eur of deliveries have [\d.]+, [\d.]+, [\d.]+, [\d.]+ and [\d.]+\.$/,
      /^deliveries has 6,000 rows\. The highest fee_eur is [\d.]+\. I was not shown single rows: step \d+ has them\.$/,
    ],
    'List all rows of energy where used_kwh is empty': [
      /^Step \d+ has all 72 rows of energy, with an empty used_kwh\.$/,
      /^energy has 72 rows, with an empty used_kwh\. I was not shown single rows: step \d+ has them\.$/,
    ],
    'Show me the last 3 rows of depots': [
      /^Step \d+ has the last 3 rows of depots, of \d+\.$/,
      /^depots has \d+ rows\. I was not shown single rows: step \d+ has them\.$/,
    ],
  }
  for (const [question, words] of Object.entries(expected)) {
    for (const [index, answer] of (['allow', 'summary'] as const).entries()) {
      const before = await harness.run(() => globalThis.askedForRows.length)
      const said = await ask(question, answer)
      expect([question, answer, said.answer]).toEqual([question, answer, expect.stringMatching(words[index] ?? /^$/)])
      const asked = await harness.run(() => globalThis.askedForRows)
      expect(asked.slice(before)).toEqual([said.sourceStep])
    }
  }
})
