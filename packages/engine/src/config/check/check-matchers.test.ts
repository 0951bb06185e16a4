import { describe, expect, it } from 'vitest'
import { formatProblem } from '../problems/problem.ts'
import { tempProject } from '../testing/temp-project.ts'

const head = 'name: a\nmodel: {provider: simulator}\ninstructions: {inline: Hi}\n'
const tools = `claude: {file_system: {read: true, write: true}}
tools:
  - {type: function, name: lookup, description: d, file: tool.mjs, function: f}
  - {type: vectorstore, name: docs, description: d, source: ., on_failure: warn}
  - {type: client, name: pick, description: d}
  - {type: mcp, name: notes, command: node}
embedding_provider: {provider: local}
`

async function warningsOf(matcher: string, { event = 'PreToolUse', text = tools, times = 1 } = {}) {
  const hook = `{event: ${event}, matcher: ${JSON.stringify(matcher)}, action: log}`
  const hooks = `hooks: [${Array(times).fill(hook).join()}]\n`
  const project = await tempProject({ 'agent.yaml': `${head}${hooks}${text}`, 'tool.mjs': 'export const f = () => 1' })
  const { problems, agent } = await project.load()
  expect(agent).not.toBeNull()
  return problems
    .filter(({ path }) => path.startsWith('hooks'))
    .map((problem) => formatProblem(problem, project.folder))
}

describe('a hook matcher', () => {
  it.each([
    ...['Write', 'Read|Bash', 'W.*', '^(Write|Edit)$', 'AskUserQuestion', '.*', 'Write|MultiEdit|NotebookEdit'],
    ...['lookup', 'mcp__tools__lookup', 'docs', 'mcp__tools__docs_search', 'pick', 'mcp__client__pick'],
    ...['notes', 'mcp__notes__add', 'mcp__notes__.*', 'mcp__.*', 'mcp__(notes|other)__x', '.*_add', 'm?cp__x'],
    ...['mcp__client__what_a_client_brings', '(?=.)mcp.*', '[Xx]|[m]cp__notes__x', '\\w+__add', '(a+)+b'],
  ])('causes no warning when it matches or may match a tool: %s', async (matcher) => {
    expect(await warningsOf(matcher)).toEqual([])
  })

  it.each([
    ['Wriet', 'Wriet matches no tool of this agent: the hook never runs. Did you mean "Write"?'],
    ['write', 'write matches no tool of this agent: the hook never runs. Did you mean "Write"?'],
    ['Bash', 'Bash matches no tool of this agent (Bash is disabled): the hook never runs'],
    ['lokup', 'lokup matches no tool of this agent: the hook never runs. Did you mean "lookup"?'],
    [
      'mcp__nots__.*',
      'mcp__nots__.* matches no tool of this agent: the hook never runs. Did you mean "mcp__notes__.*"?',
    ],
    ['mcp__other__.*', 'mcp__other__.* matches no tool of this agent: the hook never runs'],
    ['Deploy.*', 'Deploy.* matches no tool of this agent: the hook never runs'],
    ['(Deploy|Ship)', '(Deploy|Ship) matches no tool of this agent: the hook never runs'],
    ['Read|Wriet', 'no tool of this agent is named Wriet. Did you mean "Read|Write"?'],
    ['Read|^Wriet$|lokup', 'no tool of this agent is named Wriet or lokup. Did you mean "Read|^Write$|lookup"?'],
    [
      '^(Wriet|Reed)$',
      '^(Wriet|Reed)$ matches no tool of this agent: the hook never runs. Did you mean "^(Write|Read)$"?',
    ],
    ['Task', 'Task matches no tool of this agent (Agent is disabled): the hook never runs'],
    ['mcp__notes__', 'mcp__notes__ matches no tool of this agent: the hook never runs'],
  ])('causes a warning when it matches no tool: %s', async (matcher, message) => {
    expect(await warningsOf(matcher)).toEqual([`agent.yaml:4:38 warning: "hooks[0].matcher": ${message}`])
  })

  it('is compared with tools only for tool events', async () => {
    expect(await warningsOf('Wriet', { event: 'PostToolUse' })).toHaveLength(1)
    expect(await warningsOf('resume', { event: 'SessionStart' })).toEqual([])
    expect(await warningsOf('explorer', { event: 'SubagentStop' })).toEqual([])
  })

  it('matches no built-in tools on the loop backend', async () => {
    const text = 'backend: loop\n'
    expect(await warningsOf('Write', { text })).toHaveLength(1)
    expect(await warningsOf('AskUserQuestion', { text })).toEqual([])
  })

  it('matches both names of the tool that starts a subagent', async () => {
    const text = 'claude: {subagents: {enabled: true}}\n'
    expect(await warningsOf('Task', { text })).toEqual([])
    expect(await warningsOf('Agent', { text })).toEqual([])
  })

  it('is not corrected to the name of a disabled tool', async () => {
    const text = 'claude: {bash: {enabled: true}}\n'
    const nothing = /matches no tool of this agent: the hook never runs$/
    expect(await warningsOf('(Wriet|Reed)', { text })).toEqual([expect.stringMatching(nothing)])
    // Task is close enough to Bash to be suggested as a typo.
    expect(await warningsOf('Task', { text })).toEqual([
      expect.stringMatching(/\(Agent is disabled\): the hook never runs$/),
    ])
  })

  it.each(['((\\w+)+)+!', 'Write|((\\w+)+)+!'])('causes one warning when it takes too long: %s', async (matcher) => {
    const message = `${matcher} takes too long to compare with tool names: the hook fails`
    expect(await warningsOf(matcher, { times: 2 })).toEqual([expect.stringContaining(message)])
  })
})
