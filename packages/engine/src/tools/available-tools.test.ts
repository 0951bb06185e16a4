import { describe, expect, it } from 'vitest'
import { claudeSettings, noTools } from '../agent-definition.fixture.ts'
import { availableTools, canonicalToolName } from './available-tools.ts'

const nothing = claudeSettings('/project', noTools)
const everything = claudeSettings('/project', { webSearch: true })

describe('availableTools', () => {
  it('gives nothing to an agent that names nothing', () => {
    expect(availableTools(nothing)).toEqual([])
  })

  it('gives each tool to the field that switches it on', () => {
    expect(availableTools({ ...nothing, bash: { ...nothing.bash, enabled: true } })).toEqual(['Bash'])
    expect(availableTools({ ...nothing, fileSystem: { ...nothing.fileSystem, read: true } })).toEqual([
      'Read',
      'Glob',
      'Grep',
    ])
    expect(availableTools({ ...nothing, fileSystem: { ...nothing.fileSystem, write: true } })).toEqual(['Write'])
    expect(availableTools({ ...nothing, fileSystem: { ...nothing.fileSystem, edit: true } })).toEqual(['Edit'])
    expect(availableTools({ ...nothing, webSearch: true })).toEqual(['WebSearch'])
    expect(availableTools({ ...nothing, subagents: { enabled: true, maxParallel: 1 } })).toEqual([
      'Agent',
      'SendMessage',
    ])
  })

  it('lets allowed_tools narrow and never widen', () => {
    expect(availableTools({ ...everything, allowedTools: ['Read', 'Bash'] })).toEqual(['Bash', 'Read'])
    expect(availableTools({ ...nothing, allowedTools: ['Read', 'Bash'] })).toEqual([])
    expect(availableTools({ ...everything, allowedTools: [] })).toEqual([])
  })

  it('takes disallowed_tools away even when they are allowed by name', () => {
    expect(availableTools({ ...everything, allowedTools: ['Read', 'Bash'], disallowedTools: ['Bash'] })).toEqual([
      'Read',
    ])
  })

  it('lets whoever may start a subagent go on with it, unless that is disallowed by name', () => {
    expect(availableTools({ ...everything, allowedTools: ['SendMessage'] })).toEqual([])
    expect(availableTools({ ...everything, allowedTools: ['Agent'], disallowedTools: ['SendMessage'] })).toEqual([
      'Agent',
    ])
  })

  it('knows Task as the older name of Agent in both lists', () => {
    expect(canonicalToolName('Task')).toBe('Agent')
    expect(availableTools({ ...everything, allowedTools: ['Task'] })).toEqual(['Agent', 'SendMessage'])
    expect(availableTools({ ...everything, disallowedTools: ['Task'] })).not.toContain('Agent')
  })
})
