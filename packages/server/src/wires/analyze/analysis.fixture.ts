// An analysis over a real runtime with a scripted agent, from the perspective of its browser.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readSseFrames } from '@quarterdeck/client'
import { AnalysisEvent, type AnalyzeStarted, type ClientCallId, type SessionId } from '@quarterdeck/protocol'
import { onTestFinished } from 'vitest'
import { openTestApp, type TestApp } from '../../app/app.fixture.ts'
import type { Script } from '../../runtime/runtime.fixture.ts'

type Step = Extract<Script, readonly unknown[]>[number][number]
type ToolStep = Extract<Step, { type: 'tool' }>

export const tables = [
  {
    name: 'sales',
    rowCount: 3,
    columns: [
      { name: 'city', type: 'VARCHAR' },
      { name: 'amount', type: 'DOUBLE' },
    ],
  },
]

export const call = (name: string, input: ToolStep['input']): ToolStep => ({
  type: 'tool',
  name: `mcp__client__${name}`,
  input,
  result: '',
})
export const query = (sql: string): ToolStep => call('run_query', { thought: 'to see', sql })
export const answer = (words: string, more: ToolStep['input'] = {}): ToolStep =>
  call('final_answer', { answer: words, chartType: 'bar', ...more })

export interface StreamFrame {
  readonly id: string | null
  readonly event: AnalysisEvent
}

/** One connection: its frames, and a way to drop it. */
export function readStream(response: Response) {
  const frames: StreamFrame[] = []
  const { body } = response
  if (body === null) throw new Error('there is no stream')
  const left = new AbortController()
  const reading = (async () => {
    for await (const frame of readSseFrames(body)) {
      if (left.signal.aborted) return
      if (frame.data === '') continue // only the cursor has changed
      frames.push({ id: frame.id, event: AnalysisEvent.parse(JSON.parse(frame.data)) })
    }
  })()
  const until = async (isThere: (frames: readonly StreamFrame[]) => boolean) => {
    const deadline = Date.now() + 60_000
    while (!isThere(frames)) {
      if (Date.now() > deadline) throw new Error(`it never came; there are ${JSON.stringify(frames)}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return frames
  }
  return {
    frames,
    until,
    untilType: (type: AnalysisEvent['type'], count = 1) =>
      until((all) => all.filter(({ event }) => event.type === type).length >= count),
    /** Resolves when the server has ended it. */
    ended: reading,
    events: () => frames.map(({ event }) => event),
    lastId: () => frames.findLast(({ id }) => id !== null)?.id ?? '0',
  }
}

export const ofType = <Type extends AnalysisEvent['type']>(frames: readonly StreamFrame[], type: Type) =>
  frames
    .map(({ event }) => event)
    .filter((event): event is Extract<AnalysisEvent, { type: Type }> => event.type === type)

export async function openAnalysisApp(script: Script, options: Parameters<typeof openTestApp>[1] = {}) {
  const app = await openTestApp(script, options)
  onTestFinished(app.close)
  return { ...app, ...browserOf(app.call) }
}

/** Adds to the agent file: to its block `claude`, or other lines. */
export async function changeAgent(
  { dataDir }: Pick<TestApp, 'dataDir'>,
  { claude = '', lines = '' }: { readonly claude?: string; readonly lines?: string },
) {
  const file = join(dataDir, '..', 'agents', 'hello', 'agent.yaml')
  const text = await readFile(file, 'utf8')
  const changed = claude === '' ? text : text.replace('claude: {', `claude: { ${claude},`)
  await writeFile(file, changed + lines)
}

export function browserOf(request: TestApp['call']) {
  const start = async (body: object = { question: 'Which city sells most?', tables }) => {
    const response = await request('/api/analyze', { method: 'POST', body })
    if (response.status !== 201) throw new Error(await response.text())
    return (await response.json()) as AnalyzeStarted // the schema has its own test
  }
  const stream = async (url: string, lastEventId?: string) =>
    readStream(await request(url, { headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId } }))
  const giveBack = (
    to: { readonly sessionId: SessionId; readonly toolToken: string },
    toolCallId: ClientCallId,
    body: object,
  ) =>
    request('/api/analyze/tool-result', {
      method: 'POST',
      body: { sessionId: to.sessionId, toolCallId, ...body },
      headers: { 'x-tool-token': to.toolToken },
    })
  return { start, stream, giveBack }
}
