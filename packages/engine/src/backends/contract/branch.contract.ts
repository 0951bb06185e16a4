// The part of the contract about branches of a conversation, rewinding files, and forgetting a session.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SessionId, UserMessageId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import type { BranchPoint } from '../backend.ts'
import { collect, ended, find, types } from './backend-events.contract.ts'
import { type ContractReply, never, type OpenHarness, optionsOf, ready } from './backend-harness.contract.ts'

const first = UserMessageId.parse('umsg_contract1')
const second = UserMessageId.parse('umsg_contract2')
const unknown = UserMessageId.parse('umsg_unknown1')
const fork = SessionId.parse('ses_thefork')

/** An idle session with two messages. */
async function converse(openHarness: OpenHarness, replies: readonly ContractReply[]) {
  const { session, harness } = await ready(openHarness, replies)
  const one = await collect(session.run('one', never, first))
  const two = await collect(session.run('two', never, second))
  await session.close()
  const options = optionsOf(harness)
  const { backendSessionId } = find(one, 'AgentSessionStarted').data
  const from = { fromSessionId: options.sessionId, cwd: options.cwd, backendSessionId }
  const branch = (at: BranchPoint) => harness.backend.branch({ ...from, toSessionId: fork, at })
  const goOn = async (resume: string | null, sessionId = fork) => {
    const branched = await harness.backend.createSession({ ...options, sessionId, resume })
    return ended(await collect(branched.run('three', never))).data.result.response
  }
  return { harness, one, two, backendSessionId, branch, goOn }
}

const twoAnswers = [
  { text: 'first', whenPrompt: 1 },
  { text: 'second', whenPrompt: 2 },
]

export function describeBranches(openHarness: OpenHarness): void {
  it('branches before a user message and leaves the original unchanged', async () => {
    const answers = [...twoAnswers, { text: 'second again', whenPrompt: 2 }, { text: 'third', whenPrompt: 3 }]
    const { harness, backendSessionId, branch, goOn } = await converse(openHarness, answers)
    const id = await branch({ type: 'before', messageId: second })
    expect(id).not.toBe(backendSessionId)
    expect(await goOn(id)).toBe('second again')
    expect(await goOn(backendSessionId, optionsOf(harness).sessionId)).toBe('third')
  })

  it('branches after a model message and at the end', async () => {
    const answers = [...twoAnswers, { text: 'other', whenPrompt: 2 }, { text: 'third', whenPrompt: 3 }]
    const { one, branch, goOn } = await converse(openHarness, answers)
    const { messageId } = find(one, 'AgentThought').data
    expect(await goOn(await branch({ type: 'after', messageId }))).toBe('other')
    expect(await goOn(await branch({ type: 'end' }))).toBe('third')
  })

  it('returns null before the first message and refuses an unknown message', async () => {
    const { branch, goOn } = await converse(openHarness, [...twoAnswers, { text: 'first again', whenPrompt: 1 }])
    const id = await branch({ type: 'before', messageId: first })
    expect(id).toBeNull()
    expect(await goOn(id)).toBe('first again')
    const refused = { code: 'rewind.unavailable' }
    await expect(branch({ type: 'before', messageId: unknown })).rejects.toMatchObject(refused)
    await expect(branch({ type: 'after', messageId: 'msg_unknown' })).rejects.toMatchObject(refused)
  })

  it('restores files to before a message or reports that it cannot', async () => {
    const replies = [{ writes: { path: 'plan.md', text: 'new' } }, { text: 'done' }]
    const { session, harness } = await ready(openHarness, replies)
    const file = join(harness.options.cwd, 'notes.md')
    writeFileSync(file, 'notes')
    const events = await collect(session.run('hi', never, first))
    if (harness.supportsRewind === false) {
      const refused = session.rewindFiles(first, { dryRun: false })
      await expect(refused).rejects.toMatchObject({ code: 'rewind.unavailable' })
      return expect(types(events)).not.toContain('FilesCheckpointed')
    }
    expect(find(events, 'FilesCheckpointed').data.messageId).toBe(first)
    const plan = () => readFileSync(join(harness.options.cwd, 'plan.md'), 'utf8')
    expect(plan()).toBe('new')
    expect((await session.rewindFiles(first, { dryRun: true })).restored).toEqual(['plan.md'])
    expect(plan()).toBe('new')
    expect((await session.rewindFiles(first, { dryRun: false })).restored).toEqual(['plan.md'])
    expect(plan).toThrow()
    expect(readFileSync(file, 'utf8')).toBe('notes')
    const refused = session.rewindFiles(unknown, { dryRun: true })
    await expect(refused).rejects.toMatchObject({ code: 'rewind.unavailable' })
  })

  it('forgets a session and ignores an unknown one', async () => {
    const { session, harness } = await ready(openHarness, [{ text: 'hello' }])
    await session.send('hi')
    await session.close()
    await harness.backend.forget(optionsOf(harness).sessionId)
    await expect(harness.backend.forget(fork)).resolves.toBeUndefined()
  })
}
