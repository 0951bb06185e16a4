import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SessionId, UserMessageId } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import type { BranchPoint, SessionOptions } from '../../backend.ts'
import { collect, ended, find } from '../../contract/backend-events.contract.ts'
import type { ScenarioStep } from '../../contract/scenario-step.fixture.ts'
import { type ClaudeHarness, openClaudeHarness } from '../testing/claude-harness.fixture.ts'

const never = new AbortController().signal
const cleanups: (() => unknown)[] = []
const fromSessionId = SessionId.parse('ses_claudetest')
const fork = SessionId.parse('ses_theforked')

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const umsg = (word: string) => UserMessageId.parse(`umsg_${word}`)

const talk: readonly ScenarioStep[] = [
  { when: { text: 'apple' }, then: { text: 'I heard of an apple' } },
  {
    repeat: true,
    when: { text: 'banana' },
    then: { text: 'I look', tools: [{ name: 'Bash', input: { command: 'echo peeled' } }] },
  },
  { repeat: true, when: { tool_result: { pattern: 'peeled' } }, then: { text: 'it is peeled' } },
  { when: { text: 'cherry' }, then: { text: 'I heard of a cherry' } },
  { repeat: true, then: { text: 'well' } },
]

/** An idle session with three messages: an apple, a banana (with a tool call) and a cherry. */
async function openConversation(steps = talk) {
  const harness = await openClaudeHarness({ steps })
  cleanups.push(harness.close)
  const session = await harness.backend.createSession(harness.options())
  const events = []
  for (const word of ['apple1', 'banana', 'cherry']) {
    events.push(...(await collect(session.run(`a word: ${word}`, never, umsg(word)))))
  }
  await session.close()
  const { backendSessionId } = find(events, 'AgentSessionStarted').data
  const branch = (at: BranchPoint, more: { toSessionId?: SessionId; cwd?: string } = {}) =>
    harness.backend.branch({ fromSessionId, toSessionId: fork, cwd: harness.cwd, backendSessionId, at, ...more })
  return { harness, events, backendSessionId, branch }
}

/** Continues a conversation with one message and returns the messages sent to the model. */
async function shown(
  harness: ClaudeHarness,
  resume: string | null,
  overrides: Partial<SessionOptions> = {},
): Promise<string> {
  const session = await harness.backend.createSession(harness.options({ sessionId: fork, resume, ...overrides }))
  const events = await collect(session.run('what do you know?', never, umsg(`asked${harness.conversations().length}`)))
  expect(ended(events).data.outcome).toBe('completed')
  if (resume !== null) expect(find(events, 'AgentSessionStarted').data.backendSessionId).toBe(resume)
  await session.close()
  return harness.conversations().at(-1) ?? ''
}

const transcriptOf = (harness: ClaudeHarness, id: string): string => {
  const projects = join(harness.dataDir, 'claude', fromSessionId, 'config', 'projects')
  const [folder = ''] = readdirSync(projects)
  return join(projects, folder, `${id}.jsonl`)
}

describe('a branch of a conversation', () => {
  it('contains everything before its message and nothing after it, and leaves the original unchanged', async () => {
    const { harness, backendSessionId, branch } = await openConversation()
    const original = readFileSync(transcriptOf(harness, backendSessionId), 'utf8')
    const id = await branch({ type: 'before', messageId: umsg('cherry') })
    const knows = await shown(harness, id)
    expect(knows).toContain('apple1')
    expect(knows).toContain('it is peeled')
    expect(knows).not.toContain('cherry')
    expect(readFileSync(transcriptOf(harness, backendSessionId), 'utf8')).toBe(original)
    const goesOn = await shown(harness, backendSessionId, { sessionId: fromSessionId })
    expect(goesOn).toContain('I heard of a cherry')
  })

  it('continues after a model message with the results of its calls', async () => {
    const { harness, events, branch } = await openConversation()
    const { messageId } = find(events, 'AgentInvokedTool').data
    const knows = await shown(harness, await branch({ type: 'after', messageId }))
    expect(knows).toContain('peeled')
    expect(knows).not.toContain('it is peeled')
    expect(knows).not.toContain('cherry')
  })

  it('is the whole conversation at its end and empty before its first message', async () => {
    const { harness, branch } = await openConversation()
    expect(await branch({ type: 'before', messageId: umsg('apple1') })).toBeNull()
    expect(await shown(harness, await branch({ type: 'end' }))).toContain('I heard of a cherry')
  })

  it('can be branched again, even within its own session', async () => {
    const { harness, branch } = await openConversation()
    const first = (await branch({ type: 'end' })) ?? ''
    await shown(harness, first)
    const rewound = await harness.backend.branch({
      fromSessionId: fork,
      toSessionId: fork,
      cwd: harness.cwd,
      backendSessionId: first,
      at: { type: 'before', messageId: umsg('banana') },
    })
    const knows = await shown(harness, rewound)
    expect(knows).toContain('apple1')
    expect(knows).not.toContain('peeled')
  })

  it('works in another folder, even one with a very long name', async () => {
    const { harness, branch } = await openConversation()
    const cwd = join(harness.root, 'x'.repeat(120), 'y'.repeat(120))
    mkdirSync(cwd, { recursive: true })
    const id = await branch({ type: 'before', messageId: umsg('cherry') }, { cwd })
    expect(await shown(harness, id, { cwd })).toContain('it is peeled')
  })

  it('contains the original messages if the point is before a compaction, and the summary if it is after', async () => {
    const summary: ScenarioStep = { when: { text: 'summary' }, then: { text: '<summary>fruit was named</summary>' } }
    const { harness, backendSessionId, branch } = await openConversation([summary, ...talk])
    const session = await harness.backend.createSession(harness.options({ resume: backendSessionId }))
    await collect(session.run('/compact', never, umsg('compact')))
    await collect(session.run('a word: damson', never, umsg('damson')))
    await session.close()
    for (const messageId of [umsg('cherry'), umsg('compact')]) {
      const before = await shown(harness, await branch({ type: 'before', messageId }))
      expect(before).toContain('it is peeled')
      expect(before).not.toContain('fruit was named')
    }
    const after = await shown(harness, await branch({ type: 'before', messageId: umsg('damson') }))
    expect(after).toContain('fruit was named')
    expect(after).not.toContain('it is peeled')
    expect(after).not.toContain('damson')
  })

  it('finds a message that was added to a running turn', async () => {
    const { harness, branch, backendSessionId } = await openConversation()
    const session = await harness.backend.createSession(harness.options({ resume: backendSessionId }))
    for await (const event of session.run('another banana', never, umsg('second'))) {
      if (event.type === 'AgentInvokedTool') await session.steer('also an elderberry', umsg('steered'))
    }
    await session.close()
    const knows = await shown(harness, await branch({ type: 'before', messageId: umsg('steered') }))
    expect(knows).toContain('another banana')
    expect(knows).not.toContain('elderberry')
  })
})

describe('a transcript that the agent tampered with', () => {
  it('cannot be branched if it is missing or replaced by a link', async () => {
    const { harness, backendSessionId, branch } = await openConversation()
    const file = transcriptOf(harness, backendSessionId)
    await expect(branch({ type: 'before', messageId: umsg('unknown') })).rejects.toMatchObject({
      code: 'rewind.unavailable',
    })
    renameSync(file, join(harness.root, 'elsewhere.jsonl'))
    await expect(branch({ type: 'end' })).rejects.toMatchObject({ code: 'rewind.unavailable' })
    symlinkSync(join(harness.root, 'elsewhere.jsonl'), file)
    await expect(branch({ type: 'end' })).rejects.toMatchObject({ code: 'rewind.unavailable' })
  })

  it('does not make a branch write through a link', async () => {
    const { harness, branch } = await openConversation()
    const config = join(harness.dataDir, 'claude', fork, 'config')
    const elsewhere = join(harness.root, 'elsewhere')
    mkdirSync(config, { recursive: true })
    mkdirSync(elsewhere)
    symlinkSync(elsewhere, join(config, 'projects'))
    await expect(branch({ type: 'end' })).rejects.toMatchObject({ code: 'rewind.unavailable' })
    expect(readdirSync(elsewhere)).toEqual([])
  })

  it('is branched without its unreadable lines', async () => {
    const { harness, backendSessionId, branch } = await openConversation()
    const file = transcriptOf(harness, backendSessionId)
    const lines = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, ['not json', '{"type":5}', '[]', ...lines, '{"type":"user","uuid":'].join('\n'))
    expect(await shown(harness, await branch({ type: 'end' }))).toContain('I heard of a cherry')
  })
})
