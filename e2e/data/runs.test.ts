// Questions about data on the page of a real server: closed tabs, two tabs, killed servers, and cancellation. The tests
// read the page's data from the browser and the received requests from the server's log.
import type { SessionId } from '@quarterdeck/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from '../support/browser/browser.ts'
import { type ServedProcess, serveProcess } from '../support/server/serve-process.ts'
import { addCsv, ask, newAnalysis, stepsOf, storedAnalysis, untilRun, untilState } from './support/data-page.ts'
import { type DataWorkbench, openKillableWorkbench, scriptArgs } from './support/data-workbench.ts'

const cities = ['Oslo', 'Bergen', 'Narvik', 'Røros']
const lines = Array.from({ length: 80 }, (_, index) => `${index + 1},${cities[index % 4]},${index + 1}`)
const sales = ['id,city,amount', ...lines].join('\n')

const query = (sql: string) => ({ name: 'mcp__client__run_query', input: { thought: 'To find out', sql } })
const answer = (words: string, sourceStep?: number) => ({
  name: 'mcp__client__final_answer',
  input: { answer: words, chartType: 'bar', ...(sourceStep === undefined ? {} : { sourceStep }) },
})
const counts = query('SELECT city, count(*) AS n FROM sales GROUP BY city ORDER BY city')
const totals = query('SELECT sum(amount) AS total FROM sales')
const rows = query('SELECT * FROM sales ORDER BY id LIMIT 7')
const endless = query('SELECT count(*) AS n FROM range(1000000000000) WHERE range % 7 = 8')

/** Asks, calls tools and, with their results, answers. */
const plan = (text: string, calls: readonly object[], last: object) => [
  { when: { text: `^${text}` }, then: { text: 'I look.', tools: calls }, repeat: true },
  { when: { text: `^${text}`, tool_result: {}, calls: calls.length }, then: { tools: [last] }, repeat: true },
]
const twelve = Array.from({ length: 12 }, (_, index) => query(`SELECT count(*) + ${index} AS n FROM sales`))
const slowly = { when: { text: '^Slowly' }, then: { text: 'I think.', pace_ms: 60_000, tools: [counts] } }
const scenarioWith = (...more: readonly object[]) =>
  JSON.stringify({
    steps: [
      ...plan('Count and total', [counts, totals], answer('Twenty each.', 1)),
      ...plan('Go on', [query('SELECT max(n) AS most FROM step_1')], answer('Twenty.')),
      ...plan('Show me', [rows], answer('There are rows.')),
      ...plan('Forever', [endless], answer('Never.')),
      ...plan('Twelve', twelve, answer('The second.', 2)),
      // A server that was killed during a call reports its result later, or that it stopped.
      { when: { wake: true }, then: { tools: [answer('After all.')] }, repeat: true },
      ...more,
    ],
  })

let workbench: DataWorkbench<ServedProcess>
let served: ServedProcess
let page: Page
let id: string

beforeAll(async () => {
  workbench = await openKillableWorkbench(scenarioWith(slowly))
  ;({ served, page } = workbench)
  await addCsv(page, { name: 'sales.csv', text: sales })
  id = await newAnalysis(page)
}, 300_000)

afterAll(async () => {
  await workbench?.close()
  await served?.kill('SIGTERM') // the last ones
})

/** Opens the same analysis in another tab of the browser. */
async function openTab(): Promise<Page> {
  const tab = await page.context().newPage()
  await tab.goto(`${served.url}/data/${id}`)
  await tab.getByPlaceholder(/^Ask a/).waitFor()
  return tab
}

/** The calls of the latest question, grouped by result. */
async function returnedCalls(): Promise<readonly string[]> {
  const { sessionId } = await storedAnalysis(page, id)
  const { events } = await served.client.readEvents(sessionId as SessionId, { limit: 1000 })
  return events.flatMap((event) => (event.type === 'ClientToolReturned' ? [event.data.callId] : []))
}

it('answers two calls of one message, stores their rows, and continues from them after a reload', async () => {
  await ask(page, 'Count and total, please')
  const run = await untilState(page, id, ['Count and total, please', 'done'])
  expect(run.answer).toMatchObject({ answer: 'Twenty each.', sourceStep: 1 })
  expect(run.answer?.usage.units).toBeGreaterThan(0)
  expect(run.said).toContain('I look.')
  expect(run.steps).toMatchObject([
    { n: 1, state: 'ok', rowCount: 4 },
    { n: 2, state: 'ok', rowCount: 1 },
  ])
  const { sent, title, sessionId } = await storedAnalysis(page, id)
  expect(title).toBe('Count and total, please')
  expect(sent.map(({ what, step }) => [what, step])).toEqual([
    ['question', null],
    ...[1, 2].map((n) => ['result', n]).sort(),
  ])
  // The session page has no tables and links to the analysis.
  await page.goto(`${served.url}/sessions/${sessionId}`)
  await page.getByText('Ask its questions on the Data page').waitFor()
  expect(await page.getByPlaceholder(/^Message/).count()).toBe(0)
  await page.getByRole('link', { name: 'Open Data' }).click()
  await page.goto(`${served.url}/data/${id}?step=1`)
  await page.getByRole('button', { name: 'Use as table' }).click()
  await page.getByRole('textbox', { name: /name/i }).last().fill('by_city')
  await page.keyboard.press('Enter')
  await expect
    .poll(async () => (await storedAnalysis(page, id)).scope, { timeout: 60_000 })
    .toEqual(['sales', 'by_city'])
  await ask(page, 'Go on from there')
  const next = await untilState(page, id, ['Go on', 'done'])
  expect(next.steps).toMatchObject([{ n: 3, state: 'ok', rowCount: 1, reads: [1] }])
  expect((await storedAnalysis(page, id)).sessionId).toBe(sessionId)
}, 300_000)

it('finishes a step that a closed tab left unfinished, under the same number', async () => {
  const tab = await openTab()
  await page.close()
  page = tab
  await ask(page, 'Show me rows')
  const before = await untilState(page, id, ['Show me rows', 'waiting'])
  expect(before.steps).toMatchObject([{ n: 4 }])
  const context = page.context()
  await page.close()
  page = await context.newPage()
  await page.goto(`${served.url}/data/${id}`)
  await page.getByRole('button', { name: 'Summary only' }).click()
  const run = await untilState(page, id, ['Show me rows', 'done'])
  expect(run.steps.map(({ n, state, callId }) => [n, state, callId])).toEqual([[4, 'ok', before.steps[0]?.callId]])
}, 300_000)

it('runs tools in one of two tabs, on request of the other too, and moves to the other when the first closes', async () => {
  const second = await openTab()
  const before = (await returnedCalls()).length
  await ask(second, 'Count and total once more')
  await untilState(second, id, ['Count and total once more', 'done'])
  await second.getByText('Twenty each.').last().waitFor()
  expect((await returnedCalls()).length - before).toBe(3) // two queries and the final answer
  const results = (await storedAnalysis(page, id)).sent.filter(({ what }) => what === 'result')
  expect(new Set(results.map(({ body }) => JSON.parse(body).toolCallId)).size).toBe(results.length)
  await ask(second, 'Show me rows again')
  const waiting = await untilState(second, id, ['Show me rows again', 'waiting'])
  await page.close({ runBeforeUnload: false })
  page = second
  await page.getByRole('button', { name: 'Allow these rows' }).click()
  const run = await untilState(page, id, ['Show me rows again', 'done'])
  expect(run.steps.map(({ n, callId }) => [n, callId])).toEqual(waiting.steps.map(({ n, callId }) => [n, callId]))
  expect(run.steps).toMatchObject([{ state: 'ok', sent: { rows: 7 } }])
}, 300_000)

it('stops the query, the model and waiting calls at once, and accepts the next question', async () => {
  await ask(page, 'Forever')
  await untilRun(page, id, ({ question, steps }) => question === 'Forever' && steps.length > 0)
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  const run = await untilState(page, id, ['Forever', 'cancelled'])
  expect(run.steps).toMatchObject([{ state: 'cancelled' }])
  await ask(page, 'Count and total after that')
  await untilState(page, id, ['Count and total after that', 'done'])
}, 300_000)

it('holds a call while its table is missing, and answers it when the file is chosen again', async () => {
  await page.goto(`${served.url}/data`)
  await addCsv(page, { name: 'loose.csv', text: 'a\n1', isKept: false })
  const other = await newAnalysis(page)
  await ask(page, 'Show me rows of both')
  const before = await untilState(page, other, ['Show me', 'waiting'])
  await page.reload()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Re-attach loose.csv' }).click()
  await untilRun(page, other, ({ state, ask: asked }) => state === 'running' && asked === null)
  await (await chooser).setFiles({ name: 'loose.csv', mimeType: 'text/csv', buffer: Buffer.from('a\n1') })
  await page.getByRole('button', { name: 'Summary only' }).click()
  const run = await untilState(page, other, ['Show me', 'done'])
  expect(run.steps.map(({ n, callId }) => [n, callId])).toEqual(before.steps.map(({ n, callId }) => [n, callId]))
  await page.goto(`${served.url}/data/${id}`)
}, 300_000)

it('numbers twelve steps in order, and the answer links to its own', async () => {
  await ask(page, 'Twelve of them')
  const run = await untilState(page, id, ['Twelve of them', 'done'])
  expect(run.steps.map(({ state }) => state)).toEqual(Array(12).fill('ok'))
  const numbers = stepsOf(await storedAnalysis(page, id)).map(({ n }) => n)
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  expect(run.answer?.sourceStep).toBe(2)
}, 300_000)

it('survives a server restart: the next server answers a waiting call and continues an interrupted turn', async () => {
  const restart = async (script: readonly string[] = []) => {
    const { dataDir } = served
    const port = Number(new URL(served.url).port)
    await served.kill('SIGKILL')
    const args = [...workbench.how.args, ...script]
    served = await serveProcess({ ...workbench.how, args, dataDir, port })
  }
  await ask(page, 'Show me rows at last')
  await untilState(page, id, ['Show me rows at last', 'waiting'])
  await restart()
  await page.getByRole('button', { name: 'Summary only' }).click()
  expect((await untilState(page, id, ['Show me rows at last', 'done'])).answer?.answer).toBe('After all.')
  await ask(page, 'Slowly')
  await untilRun(page, id, ({ question, said }) => question === 'Slowly' && said !== '')
  // The killed process had finished no part of its answer, so the next one gets the question again.
  await restart(await scriptArgs(scenarioWith(...plan('Slowly', [counts], answer('Woken.')))))
  const run = await untilState(page, id, ['Slowly', 'done'])
  expect(run.answer?.answer).toBe('Woken.')
  expect(workbench.outside()).toEqual([])
}, 300_000)
