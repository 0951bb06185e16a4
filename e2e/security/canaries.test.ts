// Plants secrets at every input, runs a session over all of them, and searches every written byte. Each secret has a
// plain witness beside it that must be found: otherwise the search would prove nothing.

import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join, sep } from 'node:path'
import { createClient } from '@quarterdeck/client'
import type { SessionId, StreamedEvent } from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { listenOnLoopback } from '../support/network/listen-on-loopback.ts'
import { type LoopbackProvider, startProvider } from '../support/network/loopback-provider.ts'
import {
  type Canary,
  everyShape,
  filesBelow,
  findings,
  plainCanary,
  shapedCanary,
  type Written,
} from '../support/server/canary.ts'
import { runCommand } from '../support/server/run-command.ts'
import { newFolder } from '../support/server/serve.ts'
import { type ServedProcess, serveProcess } from '../support/server/serve-process.ts'
import { isStatus, watchUntil } from '../support/server/watched-session.ts'

/** Values declared as secrets to the server. */
const declared = {
  provider: plainCanary('the provider key in the environment'),
  other: plainCanary('another credential in the environment'),
  agent: plainCanary('the key an agent file names'),
  webhook: plainCanary('the secret of a webhook'),
}
/** In the server's environment only. */
const neighbour = plainCanary('a variable nobody named')

/** Values in the format of keys, by their input. The model sees these. */
const shown = {
  message: shapedCanary('a message'),
  title: shapedCanary('a title'),
  tag: { ...shapedCanary('a tag') },
  file: everyShape('a file the agent reads'),
  output: everyShape('the output of a command'),
  edited: shapedCanary('the edited input of a call'),
  note: shapedCanary('a note to the agent'),
  answer: shapedCanary('the answer to a question'),
  result: shapedCanary('the result of a client'),
  words: shapedCanary('the words of the model'),
  call: shapedCanary('the input of a call'),
  declaration: shapedCanary('the description of a tool'),
}
const allShown: readonly Canary[] = Object.values(shown).flat()
const allDeclared = [...Object.values(declared), neighbour]

/** Planted beside the canaries in the log. */
const witnesses = ['message', 'title', 'file', 'output', 'edited', 'note', 'answer', 'result', 'words', 'call'].map(
  (plantedIn) => ({ plantedIn, text: `witness-${plantedIn}`, secret: `witness-${plantedIn}` }),
)

const lines = (canaries: readonly Canary[]) => canaries.map(({ text }) => text).join('\n')
const step = (when: object, then: object) => ({ when, then })

function scriptIn(folder: string): string {
  const bash = (command: string) => ({ tools: [{ name: 'Bash', input: { command } }] })
  const question = { question: 'Which one?', header: 'One', multiSelect: false, options: twoOptions }
  const steps = [
    step(
      { text: 'witness-message', calls: 0 },
      { tools: [{ name: 'Read', input: { file_path: join(folder, 'notes.txt') } }] },
    ),
    step({ tool_result: {}, calls: 1 }, bash(`cat output.txt; env; cat /proc/*/environ | tr '\\0' '\\n'`)),
    step({ tool_result: {}, calls: 2 }, bash(`echo witness-call ${shown.call.text.replaceAll('\n', ' ')}`)),
    step({ tool_result: {}, calls: 3 }, { tools: [{ name: 'AskUserQuestion', input: { questions: [question] } }] }),
    step({ tool_result: {}, calls: 4 }, { tools: [{ name: 'mcp__client__look_up', input: { what: 'it' } }] }),
    step({ tool_result: {}, calls: 5 }, { text: `witness-words: ${shown.words.text} is what I found.`, pace_ms: 60 }),
    step(
      { text: 'refuse' },
      { fault: { type: 'status', status: 400, message: `the key ${declared.agent.secret} is not for this` } },
    ),
    step({}, { text: 'Right away.' }),
  ].map((one) => ({ ...one, repeat: true }))
  return JSON.stringify({ steps })
}

const twoOptions = ['This', 'That'].map((label) => ({ label, description: `${label} one` }))

const agentFile = `name: keeper
model: { provider: anthropic, name: high, api_key: "\${AGENT_KEY}" }
instructions: { inline: You keep. }
claude: { permission_mode: manual, bash: { enabled: true }, file_system: { read: true } }
approvals: { allow: [Read] }
limits: { max_turns: 20, max_budget_usd: 5 }
`

const configFile = (hook: string) => `webhooks:
  - { url: "${hook}", secret: "\${HOOK_SECRET}", events: [ApprovalRequested, TurnEnded] }
`

const look_up = {
  name: 'look_up',
  description: `Looks up. Its key is ${shown.declaration.text}`,
  inputSchema: { type: 'object', properties: { what: { type: 'string' } } },
}

interface ScenarioResult {
  readonly dataDir: string
  readonly sessionId: SessionId
  readonly keyToken: string
  /** Everything that left the server, except requests to the model. */
  readonly outputs: readonly Written[]
}

describe('secrets planted at every input', () => {
  let provider: LoopbackProvider
  let outcome: ScenarioResult

  beforeAll(async () => {
    const folder = join(await newFolder('keeper'), 'keeper')
    await mkdir(folder)
    await writeFile(join(folder, 'agent.yaml'), agentFile)
    await writeFile(join(folder, 'notes.txt'), `witness-file\n${lines(shown.file)}\n${declared.provider.text}\n`)
    await writeFile(join(folder, 'output.txt'), `witness-output\n${lines(shown.output)}\n${declared.webhook.text}\n`)
    provider = await startProvider({ script: scriptIn(folder) })
    const hook = await startHook()
    const home = await newFolder('home')
    await mkdir(join(home, '.quarterdeck'))
    await writeFile(join(home, '.quarterdeck', 'config.yaml'), configFile(hook.url))
    const env = {
      ...provider.env,
      HOME: home,
      ANTHROPIC_API_KEY: declared.provider.text,
      AWS_SECRET_ACCESS_KEY: declared.other.text,
      AGENT_KEY: declared.agent.text,
      HOOK_SECRET: declared.webhook.text,
      DATABASE_PASSWORD: neighbour.text,
    }
    const served = await serveProcess({ agents: folder, env, args: ['--verbose'], hasSpares: true })
    try {
      outcome = await runScenario(served, hook.received)
    } finally {
      await served.kill('SIGKILL')
      hook.close()
    }
  })
  afterAll(() => provider?.close())

  const ours = async (): Promise<readonly Written[]> => {
    const files = await filesBelow(outcome.dataDir)
    return files.filter(({ name }) => !isTranscript(name) && !name.endsWith(`${sep}token`))
  }
  const isTranscript = (name: string) => name.startsWith(join(outcome.dataDir, 'claude') + sep)

  it('are in no file of the server: database, write-ahead log or others', async () => {
    const files = await ours()
    expect(findings([...allDeclared, ...allShown], files)).toEqual([])
    for (const witness of witnesses) expect([witness.plantedIn, findings([witness], files).length]).not.toContain(0)
  })

  it('are in no output: log lines, streams, webhooks, exports, audit, costs', () => {
    expect(findings([...allDeclared, ...allShown], outcome.outputs)).toEqual([])
    const exported = outcome.outputs.filter(({ name }) => name.startsWith('sessions export'))
    expect(findings(witnesses, exported).length).toBeGreaterThanOrEqual(witnesses.length)
  })

  it('include key tokens: only their hash is stored', async () => {
    const token = { plantedIn: 'the token of a key', text: outcome.keyToken, secret: outcome.keyToken }
    expect(findings([token], [...(await filesBelow(outcome.dataDir)), ...outcome.outputs])).toEqual([])
  })

  it('of the server never reach the agent: its transcript has only what it read itself', async () => {
    const transcripts = (await filesBelow(outcome.dataDir)).filter(({ name }) => isTranscript(name))
    expect(transcripts.length).toBeGreaterThan(0)
    // This agent was allowed to read the files with the provider key and the webhook secret.
    expect(findings([declared.other, declared.agent, neighbour], transcripts)).toEqual([])
    // The CLI resumes from its transcript, which therefore holds everything the model received and wrote.
    const seen = [shown.file, shown.output, shown.edited, shown.answer, shown.result, shown.words, shown.call].flat()
    expect(
      findings(
        allShown.filter((canary) => !seen.includes(canary)),
        transcripts,
      ),
    ).toEqual([])
  })
})

async function runScenario(served: ServedProcess, webhooks: () => string): Promise<ScenarioResult> {
  const { stdout } = await runCommand(['keys', 'create', 'ana', '--json', '--data', served.dataDir])
  const keyToken: string = JSON.parse(stdout).token
  const ana = createClient({ baseUrl: served.url, token: keyToken })
  const { sessionId } = await ana.createSession({
    agent: 'keeper',
    title: `witness-title ${oneLine(shown.title)}`,
    tags: [oneLine(shown.tag).slice(0, 64)],
    client: { clientId: 'page', tools: [look_up] },
  })
  await ana.sendMessage(sessionId, { content: `witness-message ${shown.message.text} ${declared.other.text}` })
  const seen = await answerEverything(served, sessionId)
  await ana.sendMessage(sessionId, { content: `Please refuse. ${keyToken}` })
  seen.push(...(await watchUntil(served, sessionId, isStatus('failed'))))
  const outputs: Written[] = [
    written('events over SSE', JSON.stringify(seen)),
    written('the session', JSON.stringify(await served.client.getSession(sessionId))),
    written('the list', JSON.stringify(await served.client.listSessions())),
    written('the history', JSON.stringify(await served.client.history(sessionId))),
    written('the audit', JSON.stringify(await served.client.readAudit({ limit: 1000 }))),
  ]
  await vi.waitFor(() => expect(webhooks()).toContain('TurnEnded'), 60_000)
  await served.kill('SIGTERM')
  outputs.push(written('webhooks', webhooks()), written('the server’s output', served.output()))
  for (const command of [
    ['sessions', 'export', sessionId],
    ['sessions', 'export', sessionId, '--format', 'markdown'],
    ['sessions', 'show', sessionId, '--json'],
    ['audit', 'export'],
    ['audit', 'verify'],
    ['costs', '--by', 'session,model'],
  ]) {
    const { code, stdout: out, stderr } = await runCommand([...command, '--data', served.dataDir])
    expect([command, code, code === 0 ? '' : stderr]).toEqual([command, 0, ''])
    outputs.push(written(command.join(' '), out + stderr))
  }
  return { dataDir: served.dataDir, sessionId, keyToken, outputs }
}

const written = (name: string, text: string): Written => ({ name, bytes: Buffer.from(text) })
const oneLine = ({ text }: Canary) => text.replaceAll('\n', ' ')

/** Decides, answers and returns every request, each time with a secret in the answer. */
async function answerEverything({ client }: ServedProcess, sessionId: SessionId): Promise<StreamedEvent[]> {
  const seen: StreamedEvent[] = []
  const stop = new AbortController()
  for await (const event of client.follow(sessionId, { signal: stop.signal })) {
    seen.push(event)
    if (event.type === 'ApprovalRequested') {
      const isEdited = JSON.stringify(event.data.toolInput).includes('witness-call')
      const input = { command: `echo witness-edited '${oneLine(shown.edited)}'` }
      await client.decideApproval(event.data.approvalId, {
        decision: 'allow',
        note: `witness-note ${shown.note.text}`,
        ...(isEdited ? { input } : {}),
      })
    }
    if (event.type === 'QuestionAsked') {
      const answers = { 'Which one?': `witness-answer ${shown.answer.text}` }
      await client.answerQuestion(event.data.questionId, { answers })
    }
    if (event.type === 'ClientToolCalled') {
      await client.returnClientCall(event.data.callId, { output: `witness-result ${shown.result.text}` })
    }
    if (event.type === 'TurnEnded') stop.abort()
  }
  return seen
}

/** Records all deliveries with their headers. */
async function startHook() {
  let text = ''
  const server = createServer((request, response) => {
    text += JSON.stringify(request.headers)
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    request.on('end', () => response.end())
  })
  const url = await listenOnLoopback(server)
  return { url, received: () => text, close: () => void server.close() }
}
