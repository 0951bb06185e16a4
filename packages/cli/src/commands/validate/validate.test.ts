import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentText, writeAgent } from '../../connect/scripted-agent.fixture.ts'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import { validate } from './validate.ts'

const broken = agentText.replace('high', 'hihg').replace('instructions', 'instruction')

describe('quarterdeck validate', () => {
  it('finds the agent file of the current folder', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    const file = await writeAgent(terminal.cwd)
    expect(await validate(terminal, { paths: [], json: false })).toBe(0)
    expect(stdout()).toMatch(new RegExp(`^${file}: valid`))
  })

  it('shows every problem of every file with its position, and exits with 2', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    await writeAgent(terminal.cwd)
    await writeFile(join(terminal.cwd, 'broken.yaml'), broken)
    expect(await validate(terminal, { paths: ['agent.yaml', 'broken.yaml'], json: false })).toBe(2)
    expect(stdout()).toMatch(/agent\.yaml: valid/)
    expect(stdout()).toMatch(/broken\.yaml: \d errors/)
    expect(stdout()).toMatch(/ {2}broken\.yaml:2:37 error: there is no model "hihg"\. Did you mean "high"/)
    expect(stdout()).toMatch(/ {2}broken\.yaml:3:1 error: .*Did you mean "instructions"/)
  })

  it('escapes control characters in file names', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    expect(await validate(terminal, { paths: ['a\u001b[2J\u202eb.yaml'], json: false })).toBe(2)
    expect(stdout()).toContain('a\\u001b[2J\\u202eb.yaml: 1 error\n')
    expect(stdout()).not.toContain('\u001b')
  })

  it('prints the same report as JSON', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    await writeAgent(terminal.cwd, broken)
    expect(await validate(terminal, { paths: [], json: true })).toBe(2)
    expect(JSON.parse(stdout()).files).toMatchObject([{ ok: false, errors: expect.any(Array) }])
  })

  it('reports missing files as errors if the agent could not run, and as warnings otherwise', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    const withWrite = agentText.replace('bash: {', 'file_system: { write: true }, bash: {')
    const hook = 'hooks: [{event: PreToolUse, matcher: Wriet, action: script, command: ./guard.sh}]\n'
    const file = await writeAgent(terminal.cwd, `${withWrite}${hook}`)
    expect(await validate(terminal, { paths: [], json: false })).toBe(0)
    const output = stdout()
    expect(output).toContain(`${file}: valid, 2 warnings\n`)
    expect(output).toMatch(
      /warning: "hooks\[0\]\.matcher": Wriet matches no tool .* Did you mean "Write"\?\n {6}\d+ \| hooks: /,
    )
    expect(output).toMatch(/warning: "hooks\[0\]\.command": cannot use \.\/guard\.sh: there is no such file/)
    expect(await validate(terminal, { paths: [], json: true })).toBe(0)
    expect(JSON.parse(stdout().slice(output.length)).files).toMatchObject([
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

  it('reports a missing file as a problem', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    expect(await validate(terminal, { paths: ['nowhere.yaml'], json: false })).toBe(2)
    expect(stdout()).toMatch(/nowhere\.yaml: 1 error\n/)
  })
})
