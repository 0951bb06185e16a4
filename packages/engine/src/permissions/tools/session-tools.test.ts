import { expect, it } from 'vitest'
import { selectSessionTools } from './session-tools.ts'

it('has every tool of its agent and nothing more to say unless it was told', () => {
  const sessionTools = selectSessionTools({}, [])
  expect(sessionTools.instructions).toBeNull()
  expect(['Bash', 'mcp__netbox__get', 'mcp__client__draw'].every(sessionTools.has)).toBe(true)
})

it('has only what is allowed, by any of its names', () => {
  const { has } = selectSessionTools({ allowedTools: ['Read', 'Task', 'get', 'mcp__docs__find', 'draw'] }, [])
  const names = ['Read', 'Agent', 'SendMessage', 'mcp__netbox__get', 'mcp__docs__find', 'mcp__client__draw']
  expect(names.filter((name) => !has(name))).toEqual([])
  const others = ['Bash', 'Write', 'AskUserQuestion', 'mcp__netbox__put', 'mcp__client__erase', 'get', 'draw2']
  expect(others.filter(has)).toEqual(['get'])
})

it('has nothing at all where nothing is allowed', () => {
  const { has } = selectSessionTools({ allowedTools: [] }, [])
  expect(['Bash', 'SendMessage', 'mcp__client__draw'].some(has)).toBe(false)
})
