// A page with the tools of an analysis, behind a scripted server that records every received byte.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Browser, Page } from '../../support/browser/browser.ts'
import { listenOnLoopback } from '../../support/network/listen-on-loopback.ts'
import { modulesOf, openHarness } from './analysis-harness.ts'
import type { HarnessModules } from './harness-entry.ts'

const names = ['client', 'duck', 'ipc', 'privacy', 'recorder', 'recording', 'codeFrame', 'tools'] as const

type Modules = Pick<HarnessModules, (typeof names)[number]>

export interface PlayedCall {
  readonly name: string
  readonly input: object
}

export interface NewTable {
  readonly name: string
  readonly csv: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly neverSent?: readonly string[]
}

export interface Conversation {
  readonly level: number
  /** After the first answer of the database. */
  readonly lowersTo?: number
  readonly scope: readonly string[]
  /** Calls run in sequence; those of an inner list run at once. */
  readonly calls: readonly (PlayedCall | readonly PlayedCall[])[]
  readonly rowsAnswer?: 'allow' | 'summary'
}

export interface Sent {
  readonly result?: {
    readonly stepId: number
    readonly rowCount: number
    readonly rows: readonly Readonly<Record<string, unknown>>[]
    readonly columns: readonly { readonly name: string }[]
    readonly note?: string
  }
  readonly error?: string
}

export interface Conversed {
  /** As received by the server: the question, then the result of each call. */
  readonly received: readonly string[]
  readonly sent: readonly {
    readonly body: string
    readonly bytes: number
    readonly what: string
    readonly rows: number
  }[]
  /** The result of each call, in order. */
  readonly given: readonly Sent[]
  readonly asked: readonly number[]
  readonly steps: readonly {
    readonly n: number
    readonly sent: { readonly bytes: number; readonly rows: number } | null
  }[]
}

export interface PrivacyPage {
  add(tables: readonly NewTable[]): Promise<void>
  converse(conversation: Conversation): Promise<Conversed>
  trouble(): readonly string[]
  close(): Promise<void>
}

export async function openPrivacyPage(): Promise<PrivacyPage> {
  const harness = await openHarness(...names)
  const front = await openFront(harness.url)
  const page = await openAt(harness.browser, front.url)
  const trouble: string[] = []
  page.on('pageerror', (error) => trouble.push(error.message))
  return {
    add: (tables) => page.evaluate(addTables, tables),
    async converse(conversation) {
      const received = front.play(conversation.calls)
      const { sent, asked, steps } = await page.evaluate(runTools, { ...conversation, calls: [] })
      const given = front.given()
      return { received, given, sent, asked, steps }
    },
    trouble: () => trouble,
    async close() {
      front.server.closeAllConnections()
      front.server.close()
      await harness.close()
    },
  }
}

async function openAt(browser: Browser, url: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(url)
  await modulesOf(page, names)
  return page
}

/** Runs in the page, where the harness provides the modules. Stores the engine there for `runTools`. */
async function addTables(tables: readonly NewTable[]): Promise<void> {
  const place = globalThis as unknown as {
    modules: Modules
    engine: Awaited<ReturnType<Modules['duck']['createQueryEngine']>>
  }
  place.engine ??= await place.modules.duck.createQueryEngine({})
  for (const { name, csv, columns, neverSent = [] } of tables) {
    const bytes = new TextEncoder().encode(csv)
    const added = await place.engine.addCsv({ name, bytes, delimiter: ',', hasHeader: true, columns })
    if (added.rejectedCount > 0) throw new Error(`${added.rejectedCount} rows of ${name} were rejected`)
    await place.engine.setNeverSent(name, neverSent)
  }
}

/** Runs in the page, after `addTables`. */
async function runTools({ level: first, lowersTo, scope, rowsAnswer = 'summary' }: Conversation) {
  const place = globalThis as unknown as {
    modules: Modules
    engine: Awaited<ReturnType<Modules['duck']['createQueryEngine']>>
  }
  const { modules, engine } = place
  let level = first
  const read: typeof engine.read = async (...given) => {
    try {
      return await engine.read(...given)
    } finally {
      level = lowersTo ?? level
    }
  }
  const steps = modules.recorder.createMemoryStepRecorder()
  const sent: import('../../../packages/web/src/data/domain/analysis.ts').SentEntry[] = []
  const asked: number[] = []
  const codeFrame = modules.codeFrame.createCodeFrame()
  await engine.dropSteps()
  const tools = modules.tools.createAnalysisTools({
    engine: { ...engine, read },
    codeFrame,
    steps,
    toIpc: modules.ipc.toIpc,
    level: () => level,
    scope: () => scope,
    ask: {
      question: async () => 'yes',
      rows: async ({ step }) => {
        asked.push(step)
        return rowsAnswer
      },
    },
  })
  const fetch = modules.recording.createRecordingFetch(globalThis.fetch.bind(globalThis), {
    level: () => level,
    stepOf: (callId) => steps.steps().find((step) => step.callId === callId)?.n ?? null,
    kindOf: (callId) => steps.steps().find((step) => step.callId === callId)?.sent?.rowsKind,
    onEntry: (entry) => void sent.push(entry),
  })
  const inScope = (await engine.tables()).filter(({ name }) => scope.includes(name))
  const tables = await modules.privacy.describeTables(engine, inScope, { level })
  await modules.client.createClient({ baseUrl: '', fetch }).analyze('What is in it?', tables, { level, tools })
  codeFrame.close()
  return { sent, asked, steps: steps.steps().map(({ n, sent }) => ({ n, sent })) }
}

const sessionId = 'ses_privacy0001'
const usage = { inputTokens: 1, outputTokens: 1, units: 1, costUsd: null }

/** Serves the files of the real server, but scripts the analysis API and records its requests. */
async function openFront(origin: string) {
  let received: string[] = []
  let turns: (readonly PlayedCall[])[] = []
  let results = new Map<string, Sent>()
  let onResult = () => {}

  async function stream(response: ServerResponse): Promise<void> {
    const send = (event: object) => response.write(`data: ${JSON.stringify(event)}\n\n`)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    send({ type: 'session', sessionId })
    let made = 0
    for (const turn of turns) {
      for (const call of turn) send({ type: 'tool_call', id: `ctc_call${String(++made).padStart(4, '0')}`, ...call })
      while (results.size < made) {
        await new Promise<void>((resolve) => {
          onResult = resolve
        })
      }
    }
    send({ type: 'answer', result: { answer: 'Done.', chartType: 'table', usage } })
    send({ type: 'done' })
    response.end()
  }

  const server: Server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', origin)
    if (!pathname.startsWith('/api/')) return pass(origin, request, response)
    if (request.method === 'GET') return stream(response)
    const body = await bodyOf(request)
    received.push(body)
    const answer = (status: number, value: object) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    if (!pathname.endsWith('/tool-result')) {
      return answer(201, { sessionId, streamUrl: `/api/analyze?sessionId=${sessionId}`, toolToken: 'token' })
    }
    const { toolCallId, ...given } = JSON.parse(body)
    results.set(toolCallId, given)
    answer(200, { sessionId, toolCallId })
    onResult()
  })
  return {
    server,
    url: await listenOnLoopback(server),
    play(calls: Conversation['calls']): readonly string[] {
      received = []
      results = new Map()
      turns = calls.map((call) => ('name' in call ? [call] : call))
      return received
    },
    given: () => [...results].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, given]) => given),
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}

async function pass(origin: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await fetch(new URL(request.url ?? '/', origin))
  const dropped = ['content-encoding', 'content-length', 'transfer-encoding', 'connection', 'keep-alive']
  response.writeHead(answer.status, Object.fromEntries([...answer.headers].filter(([name]) => !dropped.includes(name))))
  response.end(Buffer.from(await answer.arrayBuffer()))
}
