import { expect, it } from 'vitest'
import { selectSessionTools } from './session-tools.ts'

it('a session has every tool of its agent and no further instructions by default', () => {
  const sessionTools = selectSessionTools({}, [])
  expect(sessionTools.instructions).toBeNull()
  expect(['Bash', 'mcp__netbox__get', 'mcp__client__draw'].every(sessionTools.has)).toBe(true)
})

it('a session has only the allowed tools, by any of their names', () => {
  const { has } = selectSessionTools({ allowedTools: ['Read', 'Task', 'get', 'mcp__docs__find', 'draw'] }, [])
  const names = ['Read', 'Agent', 'SendMessage', 'mcp__netbox__get', 'mcp__docs__find', 'mcp__client__draw']
  expect(names.filter((name) => !has(name))).toEqual([])
  const others = ['Bash', 'Write', 'AskUserQuestion', 'mcp__netbox__put', 'mcp__client__erase', 'get', 'draw2']
  expect(others.filter(has)).toEqual(['get'])
})

it('a session with an empty list has no tools', () => {
  const { has } = selectSessionTools({ allowedTools: [] }, [])
  expect(['Bash', 'SendMessage', 'mcp__client__draw'].some(has)).toBe(false)
})
