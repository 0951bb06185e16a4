// Rows that wait for an unavailable server, on the real page: data that the user withdraws meanwhile is not sent later.
// The tests read the requests, the page's own log, and the server's log.
import type { SessionId } from '@quarterdeck/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from '../support/browser/browser.ts'
import { type ServedProcess, serveProcess } from '../support/server/serve-process.ts'
import { addCsv, ask, newAnalysis, storedAnalysis, untilRun, untilState } from './support/data-page.ts'
import { type DataWorkbench, openKillableWorkbench } from './support/data-workbench.ts'

const secret = 'omega-0815'
const city = 'Narvik-7341'
const lines = Array.from({ length: 20 }, (_, index) => `${index + 1},${city}-${index},${secret}-${index}@example.org`)
const people = ['id,city,email', ...lines].join('\n')

const rows = {
  name: 'mcp__client__run_query',
  input: { thought: 'To see them', sql: 'FROM people ORDER BY id LIMIT 3' },
}
const scenario = {
  steps: [
    { when: { text: '^Show me' }, then: { tools: [rows] }, repeat: true },
    // Another server than the one that called receives the result.
    {
      when: { wake: true },
      then: {
        tools: [{ name: 'mcp__client__final_answer', input: { answer: 'There they are.', chartType: 'table' } }],
      },
      repeat: true,
    },
  ],
}

let workbench: DataWorkbench<ServedProcess>
let served: ServedProcess
let page: Page
let id: string
const bodies: string[] = []

beforeAll(async () => {
  workbench = await openKillableWorkbench(JSON.stringify(scenario))
  ;({ served, page } = workbench)
  page.on('request', (request) => bodies.push(request.postData() ?? ''))
  await addCsv(page, { name: 'people.csv', text: people, unlocked: ['email'] })
  id = await newAnalysis(page)
}, 300_000)

afterAll(async () => {
  await workbench?.close()
  await served?.kill('SIGTERM') // the last ones
})

const allow = () => page.getByRole('button', { name: 'Allow these rows' })

/** The user allows rows while the server is down, something changes, then the server returns. */
async function whileAway(question: string, change: () => Promise<void>) {
  await ask(page, question)
  await untilState(page, id, [question, 'waiting'])
  const { dataDir } = served
  const port = Number(new URL(served.url).port)
  await served.kill('SIGKILL')
  const before = bodies.length
  await allow().click()
  const tried = () => bodies.slice(before).filter((body) => body.includes('"toolCallId"'))
  await expect.poll(() => tried().length, { timeout: 60_000 }).toBeGreaterThan(0)
  expect(tried()[0]).toContain(secret)
  await change()
  const from = { bodies: bodies.length, sent: (await storedAnalysis(page, id)).sent.length }
  served = await serveProcess({ ...workbench.how, dataDir, port })
  return async () => {
    const run = await untilState(page, id, [question, 'done'])
    const { sent, sessionId } = await storedAnalysis(page, id)
    const { events } = await served.client.readEvents(sessionId as SessionId, { limit: 1000 })
    const tries = sent.slice(from.sent).filter(({ what }) => what === 'result' || what === 'error')
    // Every attempt is in the log, and the server needs a moment to return.
    const results = tries.filter(({ body }, index) => tries.findIndex((one) => one.body === body) === index)
    return { run, results, left: bodies.slice(from.bodies).join('\n'), log: JSON.stringify(events) }
  }
}

const untilScope = (scope: readonly string[]) =>
  expect.poll(async () => (await storedAnalysis(page, id)).scope, { timeout: 60_000 }).toEqual(scope)

it('does not send waiting rows of a table that was removed from the scope', async () => {
  const chip = page.getByRole('group', { name: 'Tables in scope' }).getByRole('button', { name: 'people' })
  const done = await whileAway('Show me people of a table', async () => {
    await chip.click()
    await untilScope([])
  })
  const { run, results, left, log } = await done()
  for (const text of [left, log]) expect(text).not.toMatch(new RegExp(`${secret}|${city}`))
  expect(results).toMatchObject([{ what: 'error', rows: 0, step: 1 }])
  expect(run.steps).toMatchObject([{ n: 1, state: 'error', sent: null }])
  await chip.click()
  await untilScope(['people'])
}, 300_000)

it('sends waiting rows again without a column that was locked meanwhile', async () => {
  const lock = (checked: boolean) => page.getByRole('switch', { name: 'Never send email', checked })
  const done = await whileAway('Show me people and what they have', async () => {
    await lock(false).click()
    await lock(true).waitFor()
  })
  const asked = await untilRun(page, id, ({ state }) => state === 'waiting')
  expect(asked.ask).toMatchObject({ kind: 'rows', step: 2, columns: ['id', 'city'] })
  await allow().click()
  const { run, results, left, log } = await done()
  for (const text of [left, log]) expect(text).not.toContain(secret)
  for (const text of [left, log]) expect(text).toContain(city)
  expect(results).toMatchObject([{ what: 'result', rows: 3, step: 2 }])
  expect(results.map(({ body }) => body).join()).not.toMatch(/email|omega/)
  expect(run.steps).toMatchObject([{ n: 2, state: 'ok', sent: { rows: 3 } }])
  expect(workbench.outside()).toEqual([])
}, 300_000)
