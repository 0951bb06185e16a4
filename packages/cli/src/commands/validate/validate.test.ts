import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentText, writeAgent } from '../../connect/scripted-agent.fixture.ts'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import { validate } from './validate.ts'

const broken = agentText.replace('high', 'hihg').replace('instructions', 'instruction')

describe('quarterdeck validate', () => {
  it('finds the agent file of the folder it stands in', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    const file = await writeAgent(terminal.cwd)
    expect(await validate(terminal, { paths: [], json: false })).toBe(0)
    expect(stdout()).toMatch(new RegExp(`^${file}: valid`))
  })

  it('shows every problem of every file with its place, and exits with 2', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    await writeAgent(terminal.cwd)
    await writeFile(join(terminal.cwd, 'broken.yaml'), broken)
    expect(await validate(terminal, { paths: ['agent.yaml', 'broken.yaml'], json: false })).toBe(2)
    expect(stdout()).toMatch(/agent\.yaml: valid/)
    expect(stdout()).toMatch(/broken\.yaml: \d errors/)
    expect(stdout()).toMatch(/ {2}broken\.yaml:2:37 error: there is no model "hihg"\. Did you mean "high"/)
    expect(stdout()).toMatch(/ {2}broken\.yaml:3:1 error: .*Did you mean "instructions"/)
  })

  it('shows what the name of a file hides instead of letting the terminal obey it', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    expect(await validate(terminal, { paths: ['a\u001b[2J\u202eb.yaml'], json: false })).toBe(2)
    expect(stdout()).toContain('a\\u001b[2J\\u202eb.yaml: 1 error\n')
    expect(stdout()).not.toContain('\u001b')
  })

  it('gives the same as JSON to a script', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    await writeAgent(terminal.cwd, broken)
    expect(await validate(terminal, { paths: [], json: true })).toBe(2)
    expect(JSON.parse(stdout()).files).toMatchObject([{ ok: false, errors: expect.any(Array) }])
  })

  it('tells of what the file names and nobody finds: errors where the agent would not run, warnings where it does', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    const withWrite = agentText.replace('bash: {', 'file_system: { write: true }, bash: {')
    const hook = 'hooks: [{event: PreToolUse, matcher: Wriet, action: script, command: ./guard.sh}]\n'
    const file = await writeAgent(terminal.cwd, `${withWrite}${hook}`)
    expect(await validate(terminal, { paths: [], json: false })).toBe(0)
    const told = stdout()
    expect(told).toContain(`${file}: valid, 2 warnings\n`)
    expect(told).toMatch(
      /warning: "hooks\[0\]\.matcher": Wriet fits no tool .* Did you mean "Write"\?\n {6}\d+ \| hooks: /,
    )
    expect(told).toMatch(/warning: "hooks\[0\]\.command": cannot use \.\/guard\.sh: there is no such file/)
    expect(await validate(terminal, { paths: [], json: true })).toBe(0)
    expect(JSON.parse(stdout().slice(told.length)).files).toMatchObject([
      {
        ok: true,
        errors: [],
        warnings: [
          { path: 'hooks[0].matcher', suggestion: 'Write', excerpt: hook.trim(), line: expect.any(Number) },
          { path: 'hooks[0].command', code: 'config.unreadable' },
        ],
      },
    ])
    const docs =
      'embedding_provider: {provider: local}\ntools: [{type: vectorstore, name: kb, description: d, source: docs}]\n'
    await writeAgent(terminal.cwd, `${agentText}${docs}`)
    expect(await validate(terminal, { paths: [], json: false })).toBe(2)
    expect(stdout()).toContain('error: "tools[0].source": cannot use docs: there is no such file or folder\n')
  })

  it('counts a file that is not there as a problem', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    expect(await validate(terminal, { paths: ['nowhere.yaml'], json: false })).toBe(2)
    expect(stdout()).toMatch(/nowhere\.yaml: 1 error\n/)
  })
})
