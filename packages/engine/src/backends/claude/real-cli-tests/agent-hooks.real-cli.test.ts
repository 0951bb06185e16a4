// `hooks:` of an agent file, on the real CLI.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../../ports/logger.ts'
import type { ScenarioStep } from '../../contract/scenario-step.fixture.ts'
import { openAgentHarness } from '../testing/agent-harness.fixture.ts'

const running = (...commands: readonly string[]): readonly ScenarioStep[] => [
  {
    when: { text: 'go', calls: 0 },
    then: { tools: commands.map((command) => ({ name: 'Bash', input: { command } })) },
  },
  { repeat: true, then: { text: 'done' } },
]
const shell = `claude:
  permission_mode: acceptAll
  i_understand_this_is_unsafe: true
  bash: { enabled: true, excluded_commands: [rm] }
`

describe('hooks', () => {
  it('hooks.action: log and reject: logs and refuses the call, and the turn continues', async () => {
    const logged: unknown[] = []
    const { prompt, folder } = await openAgentHarness({
      yaml: `${shell}
hooks:
  - { event: PreToolUse, matcher: Bash, action: log }
  - { event: PreToolUse, matcher: 'Ba.*', action: reject, message: no shell on Sundays }
  - { event: PostToolUse, action: log }`,
      steps: running('touch trace'),
      logger: { ...silentLogger, info: (facts) => void logged.push(facts) },
    })
    const { results, ended } = await prompt('go')
    expect(await results()).toMatchObject([{ isError: true, result: expect.stringContaining('no shell on Sundays') }])
    expect(await ended()).toMatchObject({ outcome: 'completed', result: { response: 'done' } })
    expect(existsSync(join(folder, 'trace'))).toBe(false)
    const hooked = logged.filter((facts) => JSON.stringify(facts).includes('PreToolUse'))
    expect(hooked).toMatchObject([{ event: 'PreToolUse', input: expect.stringContaining('touch trace') }])
  })

  it('hooks.action: modify: runs the changed call after the rules have checked it again', async () => {
    const change = (command: string) => `${shell}
hooks: [{ event: PreToolUse, matcher: Bash, action: modify, input: { command: '${command}' } }]`
    const harmless = await openAgentHarness({ yaml: change('echo changed'), steps: running('echo as it was') })
    expect(await (await harmless.prompt('go')).results()).toMatchObject([{ isError: false, result: 'changed' }])

    const forbidden = await openAgentHarness({
      yaml: change('rm -f note'),
      steps: running('ls'),
      files: { note: 'here' },
    })
    const [call] = await (await forbidden.prompt('go')).results()
    expect(call).toMatchObject({ isError: true, result: expect.stringContaining('excluded_commands') })
    expect(existsSync(join(forbidden.folder, 'note'))).toBe(true)
  })

  it('hooks.action: modify: cannot lift a denial', async () => {
    const yaml = `${shell}
hooks: [{ event: PreToolUse, action: modify, input: { command: echo fine } }]`
    const { prompt } = await openAgentHarness({ yaml, steps: running('rm x') })
    expect(await (await prompt('go')).results()).toMatchObject([{ isError: true }])
  })

  it('hooks.action: script: allows, changes and refuses calls, and receives their results', async () => {
    const judge = `
const input = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
const { command } = input.tool_input
if (input.hook_event_name === 'PostToolUse') require('node:fs').appendFileSync(process.env.NOTES, command + ';')
else if (command.includes('secret')) { process.stderr.write('no secrets, ' + process.env.WHO); process.exit(2) }
else if (command.includes('loud')) {
  const updatedInput = { ...input.tool_input, command: 'echo quiet' }
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput } }))
}
`
    const { prompt, folder } = await openAgentHarness({
      yaml: `${shell}
hooks:
  - { event: PreToolUse, matcher: Bash, action: script, command: node, args: [judge.cjs], env: { WHO: the clerk } }
  - { event: PostToolUse, matcher: Bash, action: script, command: node, args: [judge.cjs], env: { NOTES: notes.txt } }`,
      files: { 'judge.cjs': judge },
      steps: running('echo plain', 'echo loud', 'echo secret'),
      hookSecrets: [{ WHO: 'the clerk' }, { NOTES: 'notes.txt' }],
    })
    const { results } = await prompt('go')
    expect(await results()).toMatchObject([
      { isError: false, result: 'plain' },
      { isError: false, result: 'quiet' },
      { isError: true, result: expect.stringContaining('no secrets, the clerk') },
    ])
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8').split(';').sort()).toEqual(['', 'echo plain', 'echo quiet'])
  })

  it('hooks.event: UserPromptSubmit can refuse a prompt, and the session accepts the next one', async () => {
    const yaml = `${shell}
hooks: [{ event: UserPromptSubmit, action: script, command: sh, args: [-c, 'if grep -q forbidden; then echo not that >&2; exit 2; fi'] }]`
    const { prompt, harness } = await openAgentHarness({ yaml, steps: [{ repeat: true, then: { text: 'done' } }] })
    const { ended, prompt: goOn } = await prompt('something forbidden', 'failed')
    expect(harness.conversations().join()).not.toContain('something forbidden')
    expect(await ended()).toMatchObject({ outcome: 'failed', result: { response: '', errorReason: 'not that' } })
    await goOn('something else')
    expect((await ended()).result.response).toBe('done')
  })
})
