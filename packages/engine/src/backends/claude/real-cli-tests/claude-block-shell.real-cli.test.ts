// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of a shell
// `claude.bash` and `claude.working_directory` of an agent file on the real CLI, judged by what is on disk afterwards.
import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ScenarioStep } from '../../contract/scenario-step.fixture.ts'
import { openAgentHarness } from '../testing/agent-harness.fixture.ts'

const running = (
  commands: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): readonly ScenarioStep[] => [
  {
    when: { text: 'go', calls: 0 },
    then: { tools: commands.map((command) => ({ name: 'Bash', input: { command, ...more } })) },
  },
  { repeat: true, then: { text: 'done' } },
]

const shell = (lines: string, mode = 'acceptAll') => `claude:
  permission_mode: ${mode}
  i_understand_this_is_unsafe: true
  bash:
    enabled: true
${lines}`

describe('claude.bash.excluded_commands', () => {
  // Shell tricks. Each command would leave its own file behind.
  const tricks: readonly ((name: string) => string)[] = [
    (name) => `touch ${name}`,
    (name) => `true; touch ${name}`,
    (name) => `true && touch ${name}`,
    (name) => `false || touch ${name}`,
    (name) => `echo ${name} | xargs touch`,
    (name) => `true & touch ${name}`,
    (name) => `true\ntouch ${name}`,
    (name) => `(touch ${name})`,
    (name) => `{ touch ${name}; }`,
    (name) => `echo $(touch ${name})`,
    (name) => `echo \`touch ${name}\``,
    (name) => `cat <(touch ${name})`,
    (name) => `to''uch ${name}`,
    (name) => `t\\ouch ${name}`,
    (name) => `"touch" ${name}`,
    (name) => `$'to\\x75ch' ${name}`,
    (name) => `/usr/bin/touch ${name}`,
    (name) => `/usr/bin/../bin/touch ${name}`,
    (name) => `bash -c 'touch ${name}'`,
    (name) => `sh -c "touch ${name}"`,
    (name) => `env A=1 touch ${name}`,
    (name) => `A=1 touch ${name}`,
    (name) => `command touch ${name}`,
    (name) => `exec touch ${name}`,
    (name) => `nohup touch ${name}`,
    (name) => `timeout 5 touch ${name}`,
    (name) => `alias t=touch\nt ${name}`,
    (name) => `t() { touch "$1"; }; t ${name}`,
    (name) => `x=touch; $x ${name}`,
    (name) => `eval "touch ${name}"`,
    (name) => `bash <<'END'\ntouch ${name}\nEND`,
    (name) => `bash <<< 'touch ${name}'`,
    (name) => `echo 'touch ${name}' | sh`,
    (name) => `find . -maxdepth 0 -exec touch ${name} \\;`,
    (name) => `if true; then touch ${name}; fi`,
    (name) => `for f in ${name}; do touch $f; done`,
    (name) => `trap 'touch ${name}' EXIT`,
    (name) => `{touch,${name}}`,
    (name) => `\${x:-touch} ${name}`,
    (name) => `printf '' | tee >(touch ${name})`,
  ]

  it('claude.bash.excluded_commands: refuses them in any shell syntax, and nothing else', async () => {
    const commands = tricks.map((trick, index) => trick(`trace-${index}`))
    const { prompt, folder } = await openAgentHarness({
      yaml: shell('    excluded_commands: [touch]\n    allow_unsafe: true'),
      steps: running([...commands, 'echo allowed; echo touch me not']),
    })
    const { results, of } = await prompt('go')
    expect(readdirSync(folder).filter((name) => name.startsWith('trace-'))).toEqual([])
    const toolResults = await results()
    const isRefused = (index: number) => toolResults[index]?.result.includes('Refused: ') === true
    expect(commands.filter((_, index) => !isRefused(index))).toEqual([])
    expect(toolResults.at(-1)).toMatchObject({ isError: false, result: 'allowed\ntouch me not' })
    expect(await of('ApprovalRequested')).toEqual([])
  })

  it('claude.bash.excluded_commands: refuses them even if a person or a rule would allow the call', async () => {
    const { prompt, folder } = await openAgentHarness({
      yaml: `${shell('    excluded_commands: [touch]', 'manual')}\napprovals: { allow: ['Bash(touch *)'] }`,
      steps: running(['touch trace']),
    })
    const { results } = await prompt('go')
    expect(await results()).toMatchObject([{ isError: true }])
    expect(existsSync(join(folder, 'trace'))).toBe(false)
  })
})

describe('claude.bash.allow_unsafe', () => {
  const unsafe = [
    'sudo ls',
    'echo x > ../outside',
    'touch /tmp/quarterdeck-outside-of-it',
    'curl http://127.0.0.1:9/ | sh',
    'rm -rf ..',
    'cd .. && rm -rf x',
    'cp inside ../outside',
  ]

  it('claude.bash.allow_unsafe: false, the default, refuses unsafe commands even if a rule and the mode allow them', async () => {
    const { prompt, folder } = await openAgentHarness({
      yaml: `${shell('')}\napprovals: { allow: [Bash] }`,
      steps: running(unsafe),
      files: { inside: 'here' },
    })
    const { results } = await prompt('go')
    const toolResults = await results()
    const isRefused = (index: number) => toolResults[index]?.result.includes('Refused: ') === true
    expect(unsafe.filter((_, index) => !isRefused(index))).toEqual([])
    expect(existsSync(join(dirname(folder), 'outside'))).toBe(false)
  })

  it('claude.bash.allow_unsafe: false refuses the flag that disables the sandbox for a call', async () => {
    const { prompt } = await openAgentHarness({
      yaml: shell(''),
      steps: running(['echo free'], { dangerouslyDisableSandbox: true }),
    })
    const { results } = await prompt('go')
    expect(await results()).toMatchObject([{ isError: true }])
  })

  it('claude.bash.allow_unsafe: true leaves unsafe commands to the normal decision, here a person', async () => {
    const { prompt } = await openAgentHarness({
      yaml: shell('    allow_unsafe: true', 'manual'),
      steps: running(unsafe),
    })
    const { decideAll } = await prompt('go', 'waiting_approval')
    expect(await decideAll('deny')).toHaveLength(unsafe.length)
  })
})

describe('claude.working_directory', () => {
  it('claude.working_directory: is where the agent works, and its file tools cannot leave it through a link', async () => {
    const { prompt, folder, agent } = await openAgentHarness({
      yaml: `claude:
  working_directory: project
  permission_mode: acceptAll
  i_understand_this_is_unsafe: true
  bash: { enabled: true }
  file_system: { read: true, write: true, edit: true }`,
      files: { 'project/note.txt': 'in the project\n', 'secret.txt': 'canary-outside\n' },
      steps: [
        {
          when: { text: 'go', calls: 0 },
          then: {
            tools: [
              { name: 'Bash', input: { command: 'pwd' } },
              { name: 'Read', input: { file_path: 'note.txt' } },
              { name: 'Read', input: { file_path: 'way-out/secret.txt' } },
              { name: 'Read', input: { file_path: 'secret-link' } },
              { name: 'Read', input: { file_path: '../secret.txt' } },
              { name: 'Grep', input: { pattern: 'canary', path: 'way-out', output_mode: 'content' } },
              { name: 'Glob', input: { pattern: '*', path: 'way-out' } },
              { name: 'Write', input: { file_path: 'way-out/written.txt', content: 'out' } },
              { name: 'Edit', input: { file_path: 'secret-link', old_string: 'canary', new_string: 'gone' } },
              { name: 'Bash', input: { command: 'echo out > way-out/written.txt' } },
            ],
          },
        },
        { repeat: true, then: { text: 'done' } },
      ],
    })
    const project = join(folder, 'project')
    expect(agent.claude.workingDirectory).toBe(realpathSync(project))
    mkdirSync(join(folder, 'elsewhere'))
    writeFileSync(join(folder, 'elsewhere/secret.txt'), 'canary-elsewhere\n')
    symlinkSync(join(folder, 'elsewhere'), join(project, 'way-out'))
    symlinkSync(join(folder, 'secret.txt'), join(project, 'secret-link'))
    const { results } = await prompt('go')
    const [where, note, ...refused] = await results()
    expect(where).toMatchObject({ result: project, isError: false })
    expect(note).toMatchObject({ isError: false, result: expect.stringContaining('in the project') })
    expect(refused.map(({ isError }) => isError)).toEqual(refused.map(() => true))
    expect(JSON.stringify(refused)).not.toContain('canary')
    expect(existsSync(join(folder, 'elsewhere/written.txt'))).toBe(false)
  })
})
