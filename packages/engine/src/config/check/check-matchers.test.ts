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

describe('a matcher', () => {
  it.each([
    ...['Write', 'Read|Bash', 'W.*', '^(Write|Edit)$', 'AskUserQuestion', '.*', 'Write|MultiEdit|NotebookEdit'],
    ...['lookup', 'mcp__tools__lookup', 'docs', 'mcp__tools__docs_search', 'pick', 'mcp__client__pick'],
    ...['notes', 'mcp__notes__add', 'mcp__notes__.*', 'mcp__.*', 'mcp__(notes|other)__x', '.*_add', 'm?cp__x'],
    ...['mcp__client__what_a_client_brings', '(?=.)mcp.*', '[Xx]|[m]cp__notes__x', '\\w+__add', '(a+)+b'],
  ])('that fits a tool, or may fit one, is let be: %s', async (matcher) => {
    expect(await warningsOf(matcher)).toEqual([])
  })

  it.each([
    ['Wriet', 'Wriet fits no tool of this agent: the hook never runs. Did you mean "Write"?'],
    ['write', 'write fits no tool of this agent: the hook never runs. Did you mean "Write"?'],
    ['Bash', 'Bash fits no tool of this agent (Bash is off): the hook never runs'],
    ['lokup', 'lokup fits no tool of this agent: the hook never runs. Did you mean "lookup"?'],
    ['mcp__nots__.*', 'mcp__nots__.* fits no tool of this agent: the hook never runs. Did you mean "mcp__notes__.*"?'],
    ['mcp__other__.*', 'mcp__other__.* fits no tool of this agent: the hook never runs'],
    ['Deploy.*', 'Deploy.* fits no tool of this agent: the hook never runs'],
    ['(Deploy|Ship)', '(Deploy|Ship) fits no tool of this agent: the hook never runs'],
    ['Read|Wriet', 'no tool of this agent is called Wriet. Did you mean "Read|Write"?'],
    ['Read|^Wriet$|lokup', 'no tool of this agent is called Wriet or lokup. Did you mean "Read|^Write$|lookup"?'],
    [
      '^(Wriet|Reed)$',
      '^(Wriet|Reed)$ fits no tool of this agent: the hook never runs. Did you mean "^(Write|Read)$"?',
    ],
    ['Task', 'Task fits no tool of this agent (Agent is off): the hook never runs'],
    ['mcp__notes__', 'mcp__notes__ fits no tool of this agent: the hook never runs'],
  ])('that fits none is told: %s', async (matcher, message) => {
    expect(await warningsOf(matcher)).toEqual([`agent.yaml:4:38 warning: "hooks[0].matcher": ${message}`])
  })

  it('is asked about tools at the events of tools only', async () => {
    expect(await warningsOf('Wriet', { event: 'PostToolUse' })).toHaveLength(1)
    expect(await warningsOf('resume', { event: 'SessionStart' })).toEqual([])
    expect(await warningsOf('explorer', { event: 'SubagentStop' })).toEqual([])
  })

  it('knows that there are no built-in tools in the loop', async () => {
    const text = 'backend: loop\n'
    expect(await warningsOf('Write', { text })).toHaveLength(1)
    expect(await warningsOf('AskUserQuestion', { text })).toEqual([])
  })

  it('knows both names of the tool that starts a subagent', async () => {
    const text = 'claude: {subagents: {enabled: true}}\n'
    expect(await warningsOf('Task', { text })).toEqual([])
    expect(await warningsOf('Agent', { text })).toEqual([])
  })

  it('is not mended to a tool that is off', async () => {
    const text = 'claude: {bash: {enabled: true}}\n'
    const nothing = /fits no tool of this agent: the hook never runs$/
    expect(await warningsOf('(Wriet|Reed)', { text })).toEqual([expect.stringMatching(nothing)])
    // It is as near to Bash as a slip of the pen.
    expect(await warningsOf('Task', { text })).toEqual([
      expect.stringMatching(/\(Agent is off\): the hook never runs$/),
    ])
  })

  it.each(['((\\w+)+)+!', 'Write|((\\w+)+)+!'])(
    'that is never done with a name is told, and only once: %s',
    async (matcher) => {
      const message = `${matcher} takes too long to compare with the names of tools: the hook fails`
      expect(await warningsOf(matcher, { times: 2 })).toEqual([expect.stringContaining(message)])
    },
  )
})
