// Questions about tables through a real server: the loop, the real Claude CLI, and a compatibility listener.
import { execFile } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readSseFrames } from '@quarterdeck/client'
import { type AnalysisEvent, AnalysisEvent as Event, type SessionId } from '@quarterdeck/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cleanEnvironment, examples, newFolder, type Served, serve } from '../support/server/serve.ts'

const tables = [
  {
    name: 'sales',
    rowCount: 3,
    columns: [
      { name: 'city', type: 'VARCHAR' },
      { name: 'amount', type: 'DOUBLE' },
    ],
  },
]
const totals = {
  rows: [
    ['Oslo', 160],
    ['Bergen', 80],
  ],
}
const runQuery = (_input: { sql?: unknown }) => totals
const question = 'What is the sum of amount by city in sales?'
const answer = 'The sum of amount by city in sales: Oslo (160), Bergen (80).'

const cliAgent = `name: analyst
description: Answers through the Claude CLI
model: { provider: anthropic, name: low }
instructions: { inline: Be exact. }
claude: { bash: { enabled: true } }
`

let served: Served
beforeAll(async () => {
  const agents = await newFolder('agents')
  await cp(join(examples, 'analysis'), join(agents, 'analysis'), { recursive: true })
  await mkdir(join(agents, 'analyst'))
  await writeFile(join(agents, 'analyst', 'agent.yaml'), cliAgent)
  const args = ['--model-source', 'simulator', '--compat', 'analyze:0', '--agent', 'analysis']
  served = await serve({ agents, args })
}, 120_000)
afterAll(() => served?.stop())

const sessionOf = (events: readonly AnalysisEvent[]): SessionId => {
  const [first] = events
  if (first?.type !== 'session') throw new Error('the first event is another')
  return first.sessionId
}

it.each([
  { agent: 'analysis', tier: 'high', model: 'claude-sonnet-4-5-20250929', multiplier: 3 },
  { agent: 'analyst', tier: 'pro', model: 'claude-opus-4-5', multiplier: 5 },
] as const)('$agent runs a query, answers, and gets no further request after its final answer', async (one) => {
  const { agent, tier, model, multiplier } = one
  const seen: AnalysisEvent[] = []
  const result = await served.client.analyze(question, tables, {
    agent,
    tier,
    thinking: true,
    tools: { run_query: runQuery },
    onEvent: (event) => void seen.push(event),
  })
  expect(result).toMatchObject({ answer, chartType: 'bar', xAxis: 'city', sourceStep: 1 })
  expect(seen.filter(({ type }) => type === 'tool_call')).toHaveLength(1)
  expect(seen.some(({ type }) => type === 'thinking')).toBe(true)
  const sessionId = sessionOf(seen)
  const { session } = await served.client.getSession(sessionId)
  expect(session).toMatchObject({ model, status: 'idle', tags: ['analysis'] })
  const { events } = await served.client.readEvents(sessionId)
  // One request for the query and one for the final answer, which ends the turn.
  const requests = events.flatMap((event) => (event.type === 'UsageRecorded' ? [event.data] : []))
  expect(requests.filter((request) => request.model === model)).toHaveLength(2)
  const tokens = requests.reduce(
    (sum, { tokens: { input, output, cacheWrite } }) => sum + input + output + cacheWrite,
    0,
  )
  expect(result.usage.units).toBe(tokens * multiplier)
  expect(result.usage).toMatchObject({ units: session.units, costUsd: session.costUsd })
  expect(result.usage.costUsd).toBeGreaterThan(0)
  const started = events.find((event) => event.type === 'AgentSessionStarted')
  expect(started?.data.tools.filter((tool) => !tool.startsWith('mcp__client__'))).toEqual([])
  const again = await served.client.analyze(question, [], { agent, sessionId, tools: { run_query: runQuery } })
  expect(again.answer).toBe(answer)
})

it('answers at a compatibility listener: one address, no token, even through a lost connection', async () => {
  const [listener] = (await served.client.serverInfo()).compatListeners
  const address = `${listener?.url}/api/analyze?${new URLSearchParams({
    question,
    schema: JSON.stringify(tables),
    tier: 'low',
    thinking: 'false',
  })}`
  const lost = new AbortController()
  const first = await readUntil(await fetch(address, { signal: lost.signal }), (all) => callsIn(all).length === 1)
  lost.abort()
  const response = await fetch(address, { headers: { 'last-event-id': first.lastId } })
  const reading = readUntil(response, (all) => all.at(-1)?.type === 'done')
  const sessionId = sessionOf(first.events)
  for (const { id, input } of callsIn(first.events)) {
    const body = JSON.stringify({ sessionId, toolCallId: id, result: runQuery(input) })
    const headers = { 'content-type': 'application/json' }
    const given = await fetch(`${listener?.url}/api/analyze/tool-result`, { method: 'POST', headers, body })
    expect(given.status).toBe(202)
  }
  const { events } = await reading
  expect(events.filter(({ type }) => type === 'answer')).toMatchObject([{ result: { answer } }])
  expect(callsIn(events).map(({ id }) => id)).toEqual(callsIn(first.events).map(({ id }) => id))
})

it('writes one query for a question and books its cost', async () => {
  const made = await served.client.generateSql(
    { question: 'How many rows are in sales?', tables, tier: 'low' },
    { agent: 'analyst' },
  )
  expect(made.sql).toBe('SELECT count(*) AS "rows" FROM "sales"')
  expect(made.explanation).toContain('The number of rows in sales')
  expect(made.units).toBeGreaterThan(0)
  expect(made.costUsd).toBeGreaterThan(0)
})

it('rejects a question that the simulator cannot answer', async () => {
  const asked = served.client.generateSql({ question: 'How many sales?', tables, tier: 'low' }, { agent: 'analyst' })
  await expect(asked).rejects.toMatchObject({ code: 'analysis.no-sql' })
})

it('matches the output of the example program', async () => {
  const program = join(examples, 'analysis', 'ask.mjs')
  const env = await cleanEnvironment(await newFolder('home'))
  const args = [program, served.url, join(served.dataDir, 'token')]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  expect(stdout).toContain(`answer: ${answer}`)
  expect(stdout).toMatch(/used: \d+ units, \$0\.\d{4}/)
})

const callsIn = (events: readonly AnalysisEvent[]) =>
  events.flatMap((event) => (event.type === 'tool_call' ? [event] : []))

async function readUntil(response: Response, isThere: (events: readonly AnalysisEvent[]) => boolean) {
  expect(response.status).toBe(200)
  const events: AnalysisEvent[] = []
  let lastId = ''
  if (response.body === null) throw new Error('there is no stream')
  for await (const frame of readSseFrames(response.body)) {
    lastId = frame.id ?? lastId
    if (frame.data === '') continue // only the position has changed
    events.push(Event.parse(JSON.parse(frame.data)))
    if (isThere(events)) break
  }
  return { events, lastId }
}
