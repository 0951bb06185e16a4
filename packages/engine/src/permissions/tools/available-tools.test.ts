import type { AgentTool, ClaudeSettings } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { questionTool } from '../../ports/question-tool.ts'
import { claudeSettings, noTools } from '../../testing/agent-definition.fixture.ts'
import { availableTools, canonicalToolName } from './available-tools.ts'

const nothing = claudeSettings('/project', noTools)
const everything = claudeSettings('/project', { webSearch: true })

const lookup: AgentTool = { type: 'skill', name: 'lookup', description: '', isCritical: false, folder: '/skills' }

/** Without the question tool, which every agent with a tool has. */
const switched = (claude: ClaudeSettings) => availableTools(claude).filter((name) => name !== questionTool)

describe('availableTools', () => {
  it('returns nothing if the agent file enables nothing', () => {
    expect(switched(nothing)).toEqual([])
  })

  it('returns each tool for the field that enables it', () => {
    expect(switched({ ...nothing, bash: { ...nothing.bash, enabled: true } })).toEqual(['Bash'])
    expect(switched({ ...nothing, fileSystem: { ...nothing.fileSystem, read: true } })).toEqual([
      'Read',
      'Glob',
      'Grep',
    ])
    expect(switched({ ...nothing, fileSystem: { ...nothing.fileSystem, write: true } })).toEqual(['Write'])
    expect(switched({ ...nothing, fileSystem: { ...nothing.fileSystem, edit: true } })).toEqual(['Edit'])
    expect(switched({ ...nothing, webSearch: true })).toEqual(['WebSearch'])
    expect(switched({ ...nothing, subagents: { enabled: true, maxParallel: 1 } })).toEqual(['Agent', 'SendMessage'])
  })

  it('includes the question tool for an agent with any tool, unless a list excludes it', () => {
    const reader = { ...nothing, fileSystem: { read: true, write: false, edit: false } }
    expect(availableTools(reader)).toContain('AskUserQuestion')
    expect(availableTools({ ...reader, allowedTools: ['Read'] })).toEqual(['Read'])
    expect(availableTools({ ...reader, disallowedTools: ['AskUserQuestion'] })).not.toContain('AskUserQuestion')
  })

  it('includes the question tool for an agent whose only tools are those of its file', () => {
    expect(availableTools(nothing, [lookup])).toEqual(['AskUserQuestion'])
    expect(availableTools({ ...nothing, allowedTools: ['lookup'] }, [lookup])).toEqual([])
  })

  it('excludes the question tool for an agent without tools, unless it is listed', () => {
    expect(availableTools(nothing)).toEqual([])
    expect(availableTools({ ...nothing, allowedTools: ['AskUserQuestion'] })).toEqual(['AskUserQuestion'])
  })

  it('lets allowed_tools narrow the list and never widen it', () => {
    expect(availableTools({ ...everything, allowedTools: ['Read', 'Bash'] })).toEqual(['Bash', 'Read'])
    expect(availableTools({ ...nothing, allowedTools: ['Read', 'Bash'] })).toEqual([])
    expect(availableTools({ ...everything, allowedTools: [] })).toEqual([])
  })

  it('removes disallowed_tools even if they are also allowed', () => {
    expect(availableTools({ ...everything, allowedTools: ['Read', 'Bash'], disallowedTools: ['Bash'] })).toEqual([
      'Read',
    ])
  })

  it('includes SendMessage with Agent, unless it is disallowed by name', () => {
    expect(availableTools({ ...everything, allowedTools: ['SendMessage'] })).toEqual([])
    expect(availableTools({ ...everything, allowedTools: ['Agent'], disallowedTools: ['SendMessage'] })).toEqual([
      'Agent',
    ])
  })

  it('accepts Task as the older name of Agent in both lists', () => {
    expect(canonicalToolName('Task')).toBe('Agent')
    expect(availableTools({ ...everything, allowedTools: ['Task'] })).toEqual(['Agent', 'SendMessage'])
    expect(availableTools({ ...everything, disallowedTools: ['Task'] })).not.toContain('Agent')
  })
})
