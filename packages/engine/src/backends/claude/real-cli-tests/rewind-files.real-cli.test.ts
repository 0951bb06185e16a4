import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SessionId, UserMessageId } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { collect, ended, find } from '../../contract/backend-events.contract.ts'
import type { ScenarioStep } from '../../contract/scenario-step.fixture.ts'
import { openClaudeHarness } from '../testing/claude-harness.fixture.ts'

const never = new AbortController().signal
const cleanups: (() => unknown)[] = []
const first = UserMessageId.parse('umsg_first1')
const second = UserMessageId.parse('umsg_second')
const third = UserMessageId.parse('umsg_third1')
const fork = SessionId.parse('ses_theforked')

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** The second message makes the agent write one file, change another with a command and create a third. */
const steps = (cwd: string): readonly ScenarioStep[] => {
  const write = { name: 'Write', input: { file_path: join(cwd, 'plan.md'), content: 'a new plan' } }
  const command = 'echo changed > data.txt; echo tracked > kept.txt; echo made > made.txt'
  return [
    { when: { text: 'look' }, then: { tools: [{ name: 'Read', input: { file_path: join(cwd, 'plan.md') } }] } },
    { when: { text: 'work' }, then: { tools: [write] } },
    { when: { tool_result: { name: 'Write' } }, then: { tools: [{ name: 'Bash', input: { command } }] } },
    { repeat: true, then: { text: 'done' } },
  ]
}

async function worked(folder: (root: { root: string; dataDir: string }) => string) {
  let cwd = ''
  const harness = await openClaudeHarness({
    steps: (folders) => {
      cwd = folder(folders)
      return steps(cwd)
    },
  })
  cleanups.push(harness.close)
  mkdirSync(cwd, { recursive: true })
  for (const name of ['plan.md', 'data.txt', 'kept.txt']) writeFileSync(join(cwd, name), 'as it was')
  execFileSync('git', ['init', '-q'], { cwd })
  execFileSync('git', ['add', 'kept.txt'], { cwd })
  const session = await harness.backend.createSession(harness.options({ cwd }))
  const events = [
    ...(await collect(session.run('look', never, first))),
    ...(await collect(session.run('work', never, second))),
  ]
  expect(ended(events).data.outcome).toBe('completed')
  const resume = find(events, 'AgentSessionStarted').data.backendSessionId
  return { harness, cwd, session, events, resume, read: (name: string) => readFileSync(join(cwd, name), 'utf8') }
}

const notRestored = [
  { path: 'data.txt', reason: 'changed by a command, which checkpoints do not cover' },
  { path: 'kept.txt', reason: 'changed by a command; git has an older version' },
  { path: 'made.txt', reason: 'changed by a command, which checkpoints do not cover' },
]
const inProject = ({ root }: { root: string }) => join(root, 'project')

describe('rewindFiles', () => {
  it('previews the rewind, performs it, and reports the files it cannot restore', async () => {
    const { session, read, events } = await worked(inProject)
    const checkpointed = events
      .filter((event) => event.type === 'FilesCheckpointed')
      .map((event) => event.data.messageId)
    expect(checkpointed).toEqual([first, second])
    const preview = await session.rewindFiles(second, { dryRun: true })
    expect(preview).toEqual({ restored: ['plan.md'], notRestored })
    expect(read('plan.md')).toBe('a new plan')
    expect(await session.rewindFiles(second, { dryRun: false })).toEqual(preview)
    expect(read('plan.md')).toBe('as it was')
    expect(read('data.txt')).toBe('changed\n')
    expect(await session.rewindFiles(second, { dryRun: false })).toEqual({ restored: [], notRestored })
  })

  it.each([
    ['a shared folder', inProject],
    ['a copy', ({ dataDir }: { dataDir: string }) => join(dataDir, 'workspaces', 'ses_claudetest')],
  ])('works in a new process, in %s', async (_where, folder) => {
    const { harness, cwd, session, resume, read } = await worked(folder)
    await session.close()
    const again = await harness.backend.createSession(harness.options({ cwd, resume }))
    expect(await again.rewindFiles(first, { dryRun: false })).toEqual({ restored: ['plan.md'], notRestored })
    expect(read('plan.md')).toBe('as it was')
    expect(ended(await collect(again.run('go on', never, third))).data.outcome).toBe('completed')
  })

  it('fails if there is no such checkpoint', async () => {
    const { harness, session } = await worked(inProject)
    const unknown = session.rewindFiles(third, { dryRun: true })
    await expect(unknown).rejects.toMatchObject({ code: 'rewind.unavailable' })
    const unrelated = await harness.backend.createSession(harness.options({ sessionId: fork }))
    await expect(unrelated.rewindFiles(first, { dryRun: true })).rejects.toMatchObject({ code: 'rewind.unavailable' })
  })

  it('reports nothing if nothing has changed since', async () => {
    const { session, cwd } = await worked(inProject)
    await collect(session.run('go on', never, third))
    writeFileSync(join(cwd, 'data.txt'), 'by a person')
    expect(await session.rewindFiles(third, { dryRun: false })).toEqual({ restored: [], notRestored: [] })
    expect(existsSync(join(cwd, 'made.txt'))).toBe(true)
  })

  it('works in a branch that has a copy of the folder', async () => {
    const { harness, cwd, session, resume } = await worked(inProject)
    await session.close()
    const copy = join(harness.root, 'copy')
    cpSync(cwd, copy, { recursive: true })
    const branch = {
      fromSessionId: harness.options().sessionId,
      toSessionId: fork,
      cwd: copy,
      backendSessionId: resume,
    }
    const id = await harness.backend.branch({ ...branch, at: { type: 'end' } })
    const forked = await harness.backend.createSession(harness.options({ sessionId: fork, cwd: copy, resume: id }))
    const rewound = await forked.rewindFiles(second, { dryRun: false })
    expect(rewound).toMatchObject({ restored: ['plan.md'] })
    expect(rewound.notRestored.map(({ path }) => path)).toEqual(['data.txt', 'kept.txt', 'made.txt'])
    expect(readFileSync(join(copy, 'plan.md'), 'utf8')).toBe('as it was')
    expect(readFileSync(join(cwd, 'plan.md'), 'utf8')).toBe('a new plan')
  })
})
